package session

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"net"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/encoding"
	"google.golang.org/grpc/mem"
	grpcstatus "google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/troupe-go/troupe/serve/session/master"
	"github.com/troupe-go/troupe/session"
	"github.com/troupe-go/troupe/wire"
)

var noise = flag.Duration("noise", 0, "TestNoise, TestMutated and TestScan go on for this `TIME` each")

// noisy serves with small limits.
func noisy(t *testing.T) *client {
	return start(t, Options{MaxSessions: 64, MaxGraph: 100_000, MaxMessage: 1 << 20, Session: session.SessionOptions{MemoryLimit: 64 << 20, Timeout: 2 * time.Second}})
}

// alive fails the test unless the server runs a step.
func (c *client) alive() {
	c.t.Helper()
	h := c.create(sum)
	if got, code, e := c.run(h, map[string]float32{"x:0": 2}, []string{"y:0"}); code != 0 || got[0] != 3 {
		c.t.Fatal(got, code, e)
	}
	if _, err := call[master.CloseSessionResponse](c, "CloseSession", &master.CloseSessionRequest{SessionHandle: h}); err != nil {
		c.t.Fatal(err)
	}
}

// TestNoise writes random bytes to the port: raw, after HTTP/2's preface, and as frames of it;
// nothing at all, as a port scan does; and TLS's and HTTP/1's first bytes.
func TestNoise(t *testing.T) {
	c := noisy(t)
	address := c.conn.Target()
	rng := rand.New(rand.NewPCG(1, 2))
	c.alive()
	for i, began := 0, time.Now(); i < 200 || time.Since(began) < *noise; i++ {
		conn, err := net.Dial("tcp", address)
		if err != nil {
			t.Fatalf("connection %d: %v", i, err)
		}
		b := make([]byte, rng.IntN(4096))
		for k := range b {
			b[k] = byte(rng.Uint32())
			if i%4 == 0 {
				b[k] %= 8
			}
		}
		switch i % 8 {
		case 0, 2:
			fmt.Fprint(conn, "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n")
		case 4: // frames of 9 bytes and what they announce, one after the other
			fmt.Fprint(conn, "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n")
			for at := 0; at+9 < len(b); {
				n := rng.IntN(min(len(b)-at-9, 64) + 1)
				b[at], b[at+1], b[at+2], b[at+3] = 0, 0, byte(n), byte(rng.IntN(11))
				b[at+5], b[at+6], b[at+7] = 0, 0, 0
				at += 9 + n
			}
		case 5:
			b = nil
		case 6:
			b = append([]byte{22, 3, 1}, b...)
		case 7:
			b = append([]byte("GET / HTTP/1.1\r\nHost: x\r\n\r\n"), b...)
		}
		conn.Write(b)
		conn.Close()
		if i%100 == 0 {
			c.alive()
		}
	}
	c.alive()
}

// A raw message is sent as it is, and received unread.
type raw []byte

type rawCodec struct{ encoding.CodecV2 }

func (c rawCodec) Marshal(v any) (mem.BufferSlice, error) {
	return mem.BufferSlice{mem.SliceBuffer(*v.(*raw))}, nil
}

func (c rawCodec) Unmarshal(data mem.BufferSlice, v any) error {
	*v.(*raw) = data.Materialize()
	return nil
}

// A request of a method, which begins with a handle.
type request struct {
	method string
	body   func(handle string) proto.Message
}

// requests that mutations begin with.
func validRequests(t *testing.T) []request {
	graph, more := def(t, sum), def(t, "more = Const() {dtype=DT_FLOAT, value=Tensor<type: float shape: [] values: 1>}\n")
	config, err := proto.Marshal(&wire.ConfigProto{DeviceCount: map[string]int32{"CPU": 2}, AllowSoftPlacement: true, DeviceFilters: []string{"/job:localhost"}})
	if err != nil {
		t.Fatal(err)
	}
	options := &wire.RunOptions{TimeoutInMs: 1000, TraceLevel: wire.RunOptions_FULL_TRACE, OutputPartitionGraphs: true}
	one := (&client{t: t}).tensor(1)
	feed := []*master.NamedTensorProto{{Name: "x:0", Tensor: one}}
	return []request{
		{"CreateSession", func(string) proto.Message {
			return &master.CreateSessionRequest{GraphDef: graph, Config: config, Target: "grpc://x"}
		}},
		{"ExtendSession", func(h string) proto.Message {
			return &master.ExtendSessionRequest{SessionHandle: h, GraphDef: more}
		}},
		{"RunStep", func(h string) proto.Message {
			return &master.RunStepRequest{SessionHandle: h, Feed: feed, Fetch: []string{"y:0"}, Target: []string{"y"}, Options: options}
		}},
		{"RunStep", func(h string) proto.Message {
			return &master.RunStepRequest{SessionHandle: h, Feed: feed, Fetch: []string{"y:0"}, PartialRunHandle: "p"}
		}},
		{"PartialRunSetup", func(h string) proto.Message {
			return &master.PartialRunSetupRequest{SessionHandle: h, Feed: []string{"x:0"}, Fetch: []string{"y:0"}}
		}},
		{"ListDevices", func(h string) proto.Message { return &master.ListDevicesRequest{SessionHandle: h} }},
		{"RunCallable", func(h string) proto.Message {
			return &master.RunCallableRequest{SessionHandle: h, Handle: 1, Feed: [][]byte{one}}
		}},
		{"MakeCallable", func(h string) proto.Message {
			return &master.MakeCallableRequest{SessionHandle: h, Options: &master.CallableOptions{Feed: []string{"x:0"}, Fetch: []string{"y:0"}}}
		}},
		{"ReleaseCallable", func(h string) proto.Message { return &master.ReleaseCallableRequest{SessionHandle: h, Handle: 1} }},
		{"CloseSession", func(string) proto.Message { return &master.CloseSessionRequest{SessionHandle: "none"} }},
	}
}

// mutate changes some bytes of a message.
func mutate(rng *rand.Rand, b []byte) []byte {
	b = append([]byte(nil), b...)
	for range 1 + rng.IntN(4) {
		if len(b) == 0 {
			return append(b, byte(rng.Uint32()))
		}
		at := rng.IntN(len(b))
		switch rng.IntN(6) {
		case 0:
			b[at] ^= 1 << rng.IntN(8)
		case 1:
			b[at] = byte(rng.Uint32())
		case 2:
			b = append(b[:at], b[min(len(b), at+1+rng.IntN(8)):]...)
		case 3:
			b = append(b[:at:at], append([]byte{byte(rng.Uint32())}, b[at:]...)...)
		case 4: // a part once more
			end := min(len(b), at+1+rng.IntN(32))
			b = append(b[:end:end], b[at:]...)
		case 5:
			b[at] = [...]byte{0, 0x7f, 0x80, 0xff}[rng.IntN(4)]
		}
	}
	return b
}

// mutateField changes a field of a message, or of one in it.
func mutateField(rng *rand.Rand, m protoreflect.Message) {
	var set []protoreflect.FieldDescriptor
	m.Range(func(f protoreflect.FieldDescriptor, _ protoreflect.Value) bool {
		set = append(set, f)
		return true
	})
	if len(set) == 0 {
		return
	}
	slices.SortFunc(set, func(a, b protoreflect.FieldDescriptor) int { return int(a.Number() - b.Number()) })
	f := set[rng.IntN(len(set))]
	if f.Name() == "session_handle" && rng.IntN(8) > 0 {
		f = set[len(set)-1]
	}
	changed := func(v protoreflect.Value) (protoreflect.Value, bool) {
		switch f.Kind() {
		case protoreflect.BytesKind:
			return protoreflect.ValueOfBytes(mutate(rng, v.Bytes())), true
		case protoreflect.StringKind:
			return protoreflect.ValueOfString(strings.ToValidUTF8(string(mutate(rng, []byte(v.String()))), "?")), true
		case protoreflect.MessageKind:
			mutateField(rng, v.Message())
		case protoreflect.Int64Kind:
			return protoreflect.ValueOfInt64(v.Int() ^ 1<<rng.IntN(64)), true
		}
		return v, false
	}
	v := m.Get(f)
	switch {
	case f.IsMap():
	case f.IsList():
		list := m.Mutable(f).List()
		at := rng.IntN(list.Len())
		if v, ok := changed(list.Get(at)); ok {
			list.Set(at, v)
		}
		if rng.IntN(4) == 0 && f.Kind() != protoreflect.MessageKind {
			list.Append(list.Get(at)) // twice
		}
	default:
		if v, ok := changed(v); ok {
			m.Set(f, v)
		}
	}
}

// TestMutated sends requests that were changed at random to all methods: no call panics, and the
// server goes on.
func TestMutated(t *testing.T) {
	c := noisy(t)
	rng := rand.New(rand.NewPCG(3, 4))
	all := validRequests(t)
	var h string
	failed := map[codes.Code]int{}
	for i, began := 0, time.Now(); i < 500 || time.Since(began) < *noise; i++ {
		if i%200 == 0 {
			if _, err := call[master.ResetResponse](c, "Reset", &master.ResetRequest{}); err != nil {
				t.Fatal(err)
			}
			c.alive()
			h = c.create(sum)
			if *noise > 0 && i%100_000 == 0 {
				var m runtime.MemStats
				runtime.ReadMemStats(&m)
				t.Logf("%d requests: %d goroutines, %d MB of heap", i, runtime.NumGoroutine(), m.HeapInuse>>20)
			}
		}
		q := all[rng.IntN(len(all))]
		m := proto.Clone(q.body(h))
		if i%4 != 0 {
			mutateField(rng, m.ProtoReflect())
		}
		b, err := proto.Marshal(m)
		if err != nil {
			t.Fatal(err)
		}
		if i%4 == 0 {
			b = mutate(rng, b)
		}
		in, out := raw(b), raw(nil)
		ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
		err = c.conn.Invoke(ctx, "/tensorflow.MasterService/"+q.method, &in, &out, grpc.ForceCodecV2(rawCodec{encoding.GetCodecV2("proto")}))
		cancel()
		failed[grpcstatus.Code(err)]++
		if err != nil && (strings.Contains(err.Error(), "panicked") || grpcstatus.Code(err) == codes.DeadlineExceeded && ctx.Err() != nil) {
			t.Errorf("%s of %x: %v", q.method, []byte(in), err)
		}
		if strings.Contains(string(out), "panicked") {
			t.Errorf("%s of %x: %s", q.method, []byte(in), out)
		}
	}
	c.alive()
	t.Log(failed)
}
