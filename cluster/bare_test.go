package cluster_test

import (
	"context"
	"fmt"
	"io"
	"net"
	"os"
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/protobuf/types/known/wrapperspb"
)

// bareVariable makes the test binary a bare server of gRPC, for [BenchmarkBareStream].
const bareVariable = "TROUPE_TEST_BARE"

var bareStream = grpc.StreamDesc{ServerStreams: true, ClientStreams: true}

// beBare returns each message of a stream until standard input ends.
func beBare() error {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	server := grpc.NewServer(grpc.UnknownServiceHandler(func(_ any, s grpc.ServerStream) error {
		m := &wrapperspb.BytesValue{}
		for {
			if err := s.RecvMsg(m); err != nil {
				return err
			}
			if err := s.SendMsg(m); err != nil {
				return err
			}
		}
	}))
	go server.Serve(l)
	fmt.Println(l.Addr())
	io.Copy(io.Discard, os.Stdin)
	server.Stop()
	return nil
}

// BenchmarkBareStream sends the bytes of an iteration of [BenchmarkLoop] to another process and
// back on a stream of gRPC: what the loop cannot be faster than.
func BenchmarkBareStream(b *testing.B) {
	p := spawn(b, bareVariable+"=1")
	conn, err := grpc.NewClient(p.address, grpc.WithTransportCredentials(insecure.NewCredentials()), grpc.WithNoProxy())
	if err != nil {
		b.Fatal(err)
	}
	defer conn.Close()
	ctx, cancel := context.WithCancel(b.Context())
	defer cancel()
	s, err := conn.NewStream(ctx, &bareStream, "/bare/Echo")
	if err != nil {
		b.Fatal(err)
	}
	m := wrapperspb.Bytes(make([]byte, 150))
	for b.Loop() {
		if err := s.SendMsg(m); err != nil {
			b.Fatal(err)
		}
		if err := s.RecvMsg(m); err != nil {
			b.Fatal(err)
		}
	}
}
