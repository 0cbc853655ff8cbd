package main

import (
	"context"
	"fmt"
	"strings"
	"sync/atomic"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"

	"github.com/troupe-go/troupe/serve/prediction/messages"
	"github.com/troupe-go/troupe/tensor"
	"github.com/troupe-go/troupe/tensor/tensorproto"
)

// overGRPC returns what sends a Predict request to HOST:PORT/NAME, over a few connections in
// turn, as several clients have.
func overGRPC(address string, inputs map[string]*tensor.Tensor) func(context.Context) error {
	host, name, ok := strings.Cut(address, "/")
	if !ok {
		check(fmt.Errorf("grpc://%s: write grpc://HOST:PORT/NAME", address))
	}
	request := &messages.PredictRequest{ModelSpec: &messages.ModelSpec{Name: name}, Inputs: map[string][]byte{}}
	for key, t := range inputs {
		b, err := tensorproto.Marshal(t)
		check(err)
		request.Inputs[key] = b
	}
	var conns [8]*grpc.ClientConn
	for i := range conns {
		var err error
		conns[i], err = grpc.NewClient(host, grpc.WithTransportCredentials(insecure.NewCredentials()))
		check(err)
	}
	var next atomic.Uint64
	return func(ctx context.Context) error {
		reply := &messages.PredictResponse{}
		err := conns[next.Add(1)%uint64(len(conns))].Invoke(ctx, "/tensorflow.serving.PredictionService/Predict", request, reply)
		if err == nil && len(reply.Outputs) == 0 {
			err = fmt.Errorf("the reply has no outputs")
		}
		return err
	}
}
