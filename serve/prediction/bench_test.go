package prediction

import (
	"context"
	"net"
	"runtime"
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/protobuf/proto"

	"github.com/troupe-go/troupe/serve/internal/cost"
	"github.com/troupe-go/troupe/serve/internal/unary"
	"github.com/troupe-go/troupe/serve/prediction/messages"
)

// connected serves over a connection on this machine.
func connected(b *testing.B, register func(*grpc.Server), o ...grpc.ServerOption) *grpc.ClientConn {
	s := grpc.NewServer(o...)
	register(s)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	served := make(chan error)
	go func() { served <- s.Serve(l) }()
	c, err := grpc.NewClient(l.Addr().String(), grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		c.Close()
		s.GracefulStop()
		<-served
	})
	return c
}

// BenchmarkGRPC is the cost of a Predict of 1 KB over a connection on this machine, of
// client and server; of a call with the same messages whose handler does nothing; and of the
// server's part alone. The cost of the server is predict less echo and SavedModel.Run, which
// package serve's BenchmarkRun measures.
func BenchmarkGRPC(b *testing.B) {
	_, m := clientOf(b)
	request := &messages.PredictRequest{ModelSpec: of(""), Inputs: map[string][]byte{"x": floats(b, make([]float32, 250)...)}}
	reply := &messages.PredictResponse{ModelSpec: of(""), Outputs: map[string][]byte{"y": floats(b, make([]float32, 250)...)}}
	workers := grpc.NumStreamWorkers(uint32(runtime.GOMAXPROCS(0)))
	predict := func(s *grpc.Server) { Register(s, m) }
	echo := func(s *grpc.Server) {
		s.RegisterService(&grpc.ServiceDesc{
			ServiceName: "tensorflow.serving.PredictionService",
			HandlerType: (*any)(nil),
			Methods: []grpc.MethodDesc{unary.Method("tensorflow.serving.PredictionService", "Predict", func(context.Context, *messages.PredictRequest) (*messages.PredictResponse, error) {
				return reply, nil
			})},
		}, nil)
	}
	for _, c := range []struct {
		name     string
		register func(*grpc.Server)
		options  []grpc.ServerOption
	}{
		{"echo", echo, nil}, {"echo/workers", echo, []grpc.ServerOption{workers}},
		{"predict", predict, []grpc.ServerOption{grpc.ChainUnaryInterceptor(Observe(m), Recover)}},
		{"predict/workers", predict, []grpc.ServerOption{grpc.ChainUnaryInterceptor(Observe(m), Recover), workers}},
	} {
		b.Run(c.name, func(b *testing.B) {
			to := connected(b, c.register, c.options...)
			b.ReportAllocs()
			cost.Loop(b, func() {
				if err := to.Invoke(b.Context(), "/tensorflow.serving.PredictionService/Predict", request, &messages.PredictResponse{}); err != nil {
					b.Fatal(err)
				}
			})
		})
	}
	b.Run("server", func(b *testing.B) {
		s := &server{m: m}
		text, err := proto.Marshal(request)
		if err != nil {
			b.Fatal(err)
		}
		b.ReportAllocs()
		cost.Loop(b, func() {
			in := &messages.PredictRequest{}
			if err := proto.Unmarshal(text, in); err != nil {
				b.Fatal(err)
			}
			out, err := s.predict(b.Context(), in)
			if err != nil {
				b.Fatal(err)
			}
			if _, err := proto.Marshal(out); err != nil {
				b.Fatal(err)
			}
		})
	})
}
