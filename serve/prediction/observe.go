package prediction

import (
	"context"
	"path"

	"go.opentelemetry.io/otel/propagation"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/peer"
	grpcstatus "google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"

	"github.com/troupe-go/troupe/serve"
	"github.com/troupe-go/troupe/serve/prediction/messages"
	"github.com/troupe-go/troupe/status"
)

// Observe returns an interceptor that logs, counts and traces calls as the manager's
// options say. A call continues the trace that its traceparent names. It belongs in
// front of [Recover]. Calls for health are left out.
func Observe(m *serve.Manager) grpc.UnaryServerInterceptor {
	return func(ctx context.Context, request any, info *grpc.UnaryServerInfo, handle grpc.UnaryHandler) (any, error) {
		if len(metadata.ValueFromIncomingContext(ctx, "traceparent")) > 0 {
			md, _ := metadata.FromIncomingContext(ctx)
			ctx = propagation.TraceContext{}.Extract(ctx, carrier(md))
		}
		client := ""
		if p, ok := peer.FromContext(ctx); ok {
			client = p.Addr.String()
		}
		ctx, r := m.Begin(ctx, "gRPC", path.Base(info.FullMethod), client)
		switch q := request.(type) {
		case interface{ GetModelSpec() *messages.ModelSpec }:
			r.Model = q.GetModelSpec().GetName()
		case interface{ GetModelName() string }: // of the Open Inference Protocol
			r.Model = q.GetModelName()
		default:
			r.Skip()
		}
		if q, ok := request.(proto.Message); ok {
			r.BytesIn = int64(proto.Size(q))
		}
		response, err := handle(ctx, request)
		if p, ok := response.(proto.Message); ok && err == nil {
			r.BytesOut = int64(proto.Size(p))
		}
		r.End(ended(err))
		return response, err
	}
}

// ended returns the error of a call, with its code.
func ended(err error) error {
	s := grpcstatus.Convert(err)
	if s.Code() == codes.OK {
		return nil
	}
	return status.Errorf(status.Code(s.Code()), "%s", s.Message())
}

// carrier reads a trace from a call's metadata.
type carrier metadata.MD

// Get implements propagation.TextMapCarrier.
func (c carrier) Get(key string) string {
	if v := metadata.MD(c).Get(key); len(v) > 0 {
		return v[0]
	}
	return ""
}

// Set implements propagation.TextMapCarrier.
func (c carrier) Set(key, value string) { metadata.MD(c).Set(key, value) }

// Keys implements propagation.TextMapCarrier.
func (c carrier) Keys() (keys []string) {
	for k := range c {
		keys = append(keys, k)
	}
	return keys
}
