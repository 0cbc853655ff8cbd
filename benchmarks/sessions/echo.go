package main

import (
	"context"
	"math"
	"net"

	"google.golang.org/grpc"
	"google.golang.org/grpc/encoding"
)

// serveEcho serves empty responses to the requests that this command makes.
func serveEcho(address string) error {
	l, err := net.Listen("tcp", address)
	if err != nil {
		return err
	}
	empty := func(_ any, _ context.Context, decode func(any) error, _ grpc.UnaryServerInterceptor) (any, error) {
		if err := decode(new(frame)); err != nil {
			return nil, err
		}
		return frame{}, nil
	}
	s := grpc.NewServer(grpc.ForceServerCodecV2(frames{encoding.GetCodecV2("proto")}), grpc.MaxRecvMsgSize(math.MaxInt32))
	s.RegisterService(&grpc.ServiceDesc{
		ServiceName: "tensorflow.MasterService", HandlerType: (*any)(nil),
		Methods: []grpc.MethodDesc{{MethodName: "CreateSession", Handler: empty}, {MethodName: "RunStep", Handler: empty}},
	}, nil)
	return s.Serve(l)
}
