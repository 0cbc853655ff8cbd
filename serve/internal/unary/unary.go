// Package unary describes the methods of gRPC services that take one message and return one:
// what protoc-gen-go-grpc generates, for services whose names a program may have registered
// with TensorFlow's messages already.
package unary

import (
	"context"
	"strings"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	grpcstatus "google.golang.org/grpc/status"

	"github.com/troupe-go/troupe/status"
)

// Method describes a method of a service. Errors of call reach the client as [Error] has them.
func Method[Request, Response any](service, name string, call func(context.Context, *Request) (*Response, error)) grpc.MethodDesc {
	full := "/" + service + "/" + name
	return grpc.MethodDesc{
		MethodName: name,
		Handler: func(server any, ctx context.Context, decode func(any) error, intercept grpc.UnaryServerInterceptor) (any, error) {
			request := new(Request)
			if err := decode(request); err != nil {
				return nil, err
			}
			handle := func(ctx context.Context, request any) (any, error) {
				response, err := call(ctx, request.(*Request))
				if err != nil {
					return nil, Error(err)
				}
				return response, nil
			}
			if intercept == nil {
				return handle(ctx, request)
			}
			return intercept(ctx, request, &grpc.UnaryServerInfo{Server: server, FullMethod: full}, handle)
		},
	}
}

// Error returns an error with the code that gRPC has for it; the numbers are the same.
func Error(err error) error {
	return grpcstatus.Error(codes.Code(status.From(err).Code), Message(err))
}

// Message returns the text of an error, without its code.
func Message(err error) string {
	e := status.From(err)
	return strings.ToValidUTF8(strings.TrimPrefix(e.Error(), e.Code.String()+": "), "\uFFFD")
}
