package session

import (
	"context"
	"crypto/subtle"
	"runtime/debug"

	"google.golang.org/grpc"
	"google.golang.org/grpc/metadata"

	"github.com/troupe-go/troupe/status"
)

// service is TensorFlow's MasterService. Its file declares the package tensorflow.grpc,
// but clients call it by this name.
var service = grpc.ServiceDesc{
	ServiceName: "tensorflow.MasterService",
	HandlerType: (*any)(nil),
	Methods: []grpc.MethodDesc{
		method("CreateSession", (*endpoint).createSession),
		method("ExtendSession", (*endpoint).extendSession),
		method("PartialRunSetup", (*endpoint).partialRunSetup),
		method("RunStep", (*endpoint).runStep),
		method("CloseSession", (*endpoint).closeSession),
		method("ListDevices", (*endpoint).listDevices),
		method("Reset", (*endpoint).reset),
		method("MakeCallable", (*endpoint).makeCallable),
		method("RunCallable", (*endpoint).runCallable),
		method("ReleaseCallable", (*endpoint).releaseCallable),
	},
}

// method describes a method of the service.
func method[Request, Response any](name string, call func(*endpoint, context.Context, *Request) (*Response, error)) grpc.MethodDesc {
	full := "/tensorflow.MasterService/" + name
	return grpc.MethodDesc{
		MethodName: name,
		Handler: func(server any, ctx context.Context, decode func(any) error, intercept grpc.UnaryServerInterceptor) (any, error) {
			request := new(Request)
			if err := decode(request); err != nil {
				return nil, err
			}
			handle := func(ctx context.Context, request any) (any, error) {
				return call(server.(*endpoint), ctx, request.(*Request))
			}
			if intercept == nil {
				return handle(ctx, request)
			}
			return intercept(ctx, request, &grpc.UnaryServerInfo{Server: server, FullMethod: full}, handle)
		},
	}
}

// intercept authenticates a call, recovers from panics, and gives errors the form of
// TensorFlow.
func (s *Server) intercept(ctx context.Context, request any, info *grpc.UnaryServerInfo, handle grpc.UnaryHandler) (response any, err error) {
	defer func() {
		if r := recover(); r != nil {
			s.options.Logger.Error().Str("method", info.FullMethod).Interface("panic", r).Bytes("stack", debug.Stack()).Msg("a call panicked")
			response, err = nil, grpcError(status.Errorf(status.Internal, "%s panicked: %v", info.FullMethod, r))
		}
	}()
	if !s.authentic(ctx) {
		return nil, grpcError(status.Errorf(status.Unauthenticated, "the call has no valid token; send \"authorization: Bearer TOKEN\""))
	}
	response, err = handle(ctx, request)
	if err != nil {
		return nil, grpcError(err)
	}
	return response, nil
}

// authentic reports whether a call carries the server's token, if it has one.
func (s *Server) authentic(ctx context.Context) bool {
	if s.options.Token == "" && s.options.Known == nil {
		return true
	}
	md, _ := metadata.FromIncomingContext(ctx)
	for _, v := range md.Get("authorization") {
		if s.options.Known != nil && s.options.Known(v) || s.options.Known == nil && subtle.ConstantTimeCompare([]byte(v), []byte("Bearer "+s.options.Token)) == 1 {
			return true
		}
	}
	return false
}
