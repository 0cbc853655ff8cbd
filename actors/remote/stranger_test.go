package remote_test

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"net"
	"testing"
	"time"

	"github.com/asynkron/protoactor-go/actor"
	protoactor "github.com/asynkron/protoactor-go/remote"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	grpcstatus "google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/wrapperspb"

	"github.com/troupe-go/troupe/actors/remote"
)

// stranger connects to an endpoint without being one.
func stranger(t testing.TB, address string) protoactor.RemotingClient {
	conn, err := grpc.NewClient(address, grpc.WithTransportCredentials(insecure.NewCredentials()), grpc.WithNoProxy())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	return protoactor.NewRemotingClient(conn)
}

// send sends one message, and returns how the stream ends.
func send(t testing.TB, c protoactor.RemotingClient, m *protoactor.RemoteMessage) error {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	s, err := c.Receive(ctx)
	if err != nil {
		return err
	}
	if err := s.Send(m); err != nil {
		return err
	}
	if err := s.CloseSend(); err != nil {
		return err
	}
	for {
		if _, err := s.Recv(); err != nil {
			return err
		}
	}
}

func batchFor(address string, change func(*protoactor.MessageBatch)) *protoactor.RemoteMessage {
	data, _ := proto.Marshal(wrapperspb.Bytes([]byte{1, 'x', 'y'}))
	b := &protoactor.MessageBatch{
		TypeNames: []string{"google.protobuf.BytesValue"},
		Targets:   []*actor.PID{{Address: address, Id: "troupe"}},
		Envelopes: []*protoactor.MessageEnvelope{{MessageData: data}},
	}
	change(b)
	return &protoactor.RemoteMessage{MessageType: &protoactor.RemoteMessage_MessageBatch{MessageBatch: b}}
}

// TestStrangers sends what ends a process in which Proto.Actor's remote stands alone, and
// what would reach actors that are not for strangers.
func TestStrangers(t *testing.T) {
	h, came := packets()
	e := listen(t, remote.Options{}, h)
	c := stranger(t, e.Address())
	batch := func(change func(*protoactor.MessageBatch)) *protoactor.RemoteMessage {
		return batchFor(e.Address(), change)
	}
	if _, err := c.ListProcesses(t.Context(), &protoactor.ListProcessesRequest{}); grpcstatus.Code(err) != codes.Unimplemented {
		t.Errorf("ListProcesses: %v", err)
	}
	if _, err := c.GetProcessDiagnostics(t.Context(), &protoactor.GetProcessDiagnosticsRequest{}); grpcstatus.Code(err) != codes.Unimplemented {
		t.Errorf("GetProcessDiagnostics: %v", err)
	}
	poison, _ := proto.Marshal(&actor.PoisonPill{})
	for name, m := range map[string]*protoactor.RemoteMessage{
		"unknown type":     batch(func(b *protoactor.MessageBatch) { b.TypeNames[0] = "nobody.Knows" }),
		"type index":       batch(func(b *protoactor.MessageBatch) { b.Envelopes[0].TypeId = 7 }),
		"negative index":   batch(func(b *protoactor.MessageBatch) { b.Envelopes[0].TypeId = -1 }),
		"target index":     batch(func(b *protoactor.MessageBatch) { b.Envelopes[0].Target = 7 }),
		"no target":        batch(func(b *protoactor.MessageBatch) { b.Targets = nil }),
		"sender index":     batch(func(b *protoactor.MessageBatch) { b.Envelopes[0].Sender = 7 }),
		"serializer index": batch(func(b *protoactor.MessageBatch) { b.Envelopes[0].SerializerId = 7 }),
		"another actor":    batch(func(b *protoactor.MessageBatch) { b.Targets[0].Id = "activator" }),
		"another address":  batch(func(b *protoactor.MessageBatch) { b.Targets[0].Address = "127.0.0.1:1" }),
		"a poison pill": batch(func(b *protoactor.MessageBatch) {
			b.TypeNames[0], b.Envelopes[0].MessageData = "actor.PoisonPill", poison
		}),
		"nothing":          {},
		"a client":         {MessageType: &protoactor.RemoteMessage_ConnectRequest{ConnectRequest: &protoactor.ConnectRequest{}}},
		"a bad message":    batch(func(b *protoactor.MessageBatch) { b.Envelopes[0].MessageData = []byte{0xff} }),
		"a disconnect":     {MessageType: &protoactor.RemoteMessage_DisconnectRequest{DisconnectRequest: &protoactor.DisconnectRequest{}}},
		"no connect reply": {MessageType: &protoactor.RemoteMessage_ConnectResponse{ConnectResponse: &protoactor.ConnectResponse{}}},
	} {
		if err := send(t, c, m); grpcstatus.Code(err) == codes.OK || err == nil || grpcstatus.Code(err) == codes.Unavailable {
			t.Errorf("%s: the stream ended with %v", name, err)
		}
	}
	if err := send(t, c, batch(func(*protoactor.MessageBatch) {})); err.Error() != "EOF" {
		t.Errorf("a good batch: %v", err)
	}
	if got := <-came; got != "x y" {
		t.Errorf("got %q", got)
	}
}

var noise = flag.Duration("noise", 0, "TestNoise goes on for this `TIME`")

// TestNoise writes random bytes to the port, raw, after HTTP/2's preface, and as frames of it.
func TestNoise(t *testing.T) {
	h, came := packets()
	e := listen(t, remote.Options{}, h)
	rng := rand.New(rand.NewPCG(1, 2))
	for i, began := 0, time.Now(); i < 200 || time.Since(began) < *noise; i++ {
		conn, err := net.Dial("tcp", e.Address())
		if err != nil {
			t.Fatalf("connection %d: %v", i, err)
		}
		if i%2 == 0 {
			fmt.Fprint(conn, "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n")
		}
		b := make([]byte, rng.IntN(4096))
		for k := range b {
			b[k] = byte(rng.Uint32())
			if i%4 == 0 {
				b[k] %= 8
			}
		}
		if i%8 == 4 { // a frame of 9 bytes and what it announces, one after the other
			for at := 0; at+9 < len(b); {
				n := rng.IntN(min(len(b)-at-9, 64) + 1)
				b[at], b[at+1], b[at+2], b[at+3] = 0, 0, byte(n), byte(rng.IntN(11))
				b[at+5], b[at+6], b[at+7] = 0, 0, 0
				at += 9 + n
			}
		}
		conn.Write(b)
		conn.Close()
	}
	other := listen(t, remote.Options{}, remote.Handler{})
	until(t, came, func() { other.Post(e.Address(), []byte("alive")) })
}
