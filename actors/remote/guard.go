package remote

import (
	"context"
	"runtime/debug"

	"github.com/asynkron/protoactor-go/remote"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	grpcstatus "google.golang.org/grpc/status"
)

// mailbox is the name of the actor that receives posts, postType the type of its messages.
const (
	mailbox  = "troupe"
	postType = "google.protobuf.BytesValue"
)

// receiveMethod is the one method of Proto.Actor's service that is let through.
const receiveMethod = "/remote.Remoting/Receive"

// guardUnary refuses all calls of Proto.Actor's service that are not streams.
func (e *Endpoint) guardUnary(_ context.Context, _ any, info *grpc.UnaryServerInfo, _ grpc.UnaryHandler) (any, error) {
	return nil, grpcstatus.Errorf(codes.Unimplemented, "%s is not served", info.FullMethod)
}

// guardStream lets in who shows the token, checks what Proto.Actor's remote is about to
// read, recovers what panics, and ends the stream with the endpoint.
func (e *Endpoint) guardStream(server any, stream grpc.ServerStream, info *grpc.StreamServerInfo, handle grpc.StreamHandler) error {
	if !authentic(stream.Context(), e.options.Token) {
		return grpcstatus.Error(codes.Unauthenticated, "the call has no valid token")
	}
	if info.FullMethod == receiveMethod {
		stream = &checked{stream, e}
	}
	done := make(chan error, 1)
	go func() {
		defer func() {
			if r := recover(); r != nil {
				e.options.Log.Error().Str("method", info.FullMethod).Interface("panic", r).Bytes("stack", debug.Stack()).Msg("a stream panicked")
				done <- grpcstatus.Error(codes.InvalidArgument, "the stream's messages are invalid")
			}
		}()
		done <- handle(server, stream)
	}()
	select {
	case err := <-done:
		return err
	case <-e.closing:
		return grpcstatus.Error(codes.Unavailable, "the endpoint is closed")
	}
}

// checked is a stream of Proto.Actor's remote that fails before it delivers what the
// remote must not see.
type checked struct {
	grpc.ServerStream
	e *Endpoint
}

func (s *checked) RecvMsg(m any) error {
	if err := s.ServerStream.RecvMsg(m); err != nil {
		return err
	}
	if why := refused(m, s.e.address); why != "" {
		s.e.options.Log.Warn().Str("reason", why).Msg("a stream was refused")
		return grpcstatus.Error(codes.InvalidArgument, why)
	}
	return nil
}

// refused returns why a message is refused; "" if it is not.
func refused(m any, address string) string {
	message, ok := m.(*remote.RemoteMessage)
	if !ok {
		return "not a message of Proto.Actor's remote"
	}
	switch t := message.MessageType.(type) {
	case *remote.RemoteMessage_ConnectRequest:
		if t.ConnectRequest.GetServerConnection() == nil {
			return "not a connection of a server"
		}
	case *remote.RemoteMessage_MessageBatch:
		b := t.MessageBatch
		for _, name := range b.GetTypeNames() {
			if name != postType {
				return "a type other than " + postType
			}
		}
		for _, pid := range b.GetTargets() {
			if pid.GetId() != mailbox || pid.GetAddress() != address { // it would be passed on
				return "a target other than the actor " + mailbox + " of " + address
			}
		}
		for _, env := range b.GetEnvelopes() {
			switch {
			case env == nil,
				int(env.TypeId) < 0 || int(env.TypeId) >= len(b.TypeNames),
				int(env.Target) < 0 || int(env.Target) >= len(b.Targets),
				int(env.Sender) < 0 || int(env.Sender) > len(b.Senders),
				env.SerializerId != 0:
				return "an index out of range"
			}
		}
	default:
		return "a message of an unknown kind"
	}
	return ""
}
