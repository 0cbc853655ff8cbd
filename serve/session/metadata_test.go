package session

import (
	"math"
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	grpcstatus "google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"

	"github.com/troupe-go/troupe/serve/session/master"
	"github.com/troupe-go/troupe/session"
	"github.com/troupe-go/troupe/tensor"
	"github.com/troupe-go/troupe/tensor/tensorproto"
	"github.com/troupe-go/troupe/wire"
)

// costGraph reports whether a RunMetadata has a cost graph.
func costGraph(b []byte) bool {
	c := wire.NewCursor("RunMetadata", b)
	for c.Next() {
		if c.IsBytes(2) {
			return true
		}
	}
	return false
}

// Metadata holds what was asked for: the graph of each device, when nodes ran, and, by the
// session's configuration, what every third run costs.
func TestMetadata(t *testing.T) {
	c := start(t, Options{})
	config, err := proto.Marshal(&wire.ConfigProto{AllowSoftPlacement: true, DeviceCount: map[string]int32{"CPU": 2},
		GraphOptions: &wire.GraphOptions{BuildCostModel: 3, BuildCostModelAfter: 1}})
	if err != nil {
		t.Fatal(err)
	}
	created, err := call[master.CreateSessionResponse](c, "CreateSession", &master.CreateSessionRequest{Config: config, GraphDef: def(t, sum+`
two = Neg(y) @/cpu:1 {T=DT_FLOAT}
`)})
	if err != nil {
		t.Fatal(err)
	}
	run := func(o *wire.RunOptions) ([]byte, *wire.RunMetadata) {
		t.Helper()
		r, err := call[master.RunStepResponse](c, "RunStep", &master.RunStepRequest{SessionHandle: created.GetSessionHandle(), Fetch: []string{"two:0"}, Options: o,
			Feed: []*master.NamedTensorProto{{Name: "x:0", Tensor: c.tensor(4)}}})
		if err != nil {
			t.Fatal(err)
		}
		m := &wire.RunMetadata{}
		if err := proto.Unmarshal(r.GetMetadata(), m); err != nil {
			t.Fatal(err)
		}
		return r.GetMetadata(), m
	}
	for i := range 8 {
		b, m := run(nil)
		if want := i == 3 || i == 6; costGraph(b) != want || m.StepStats != nil || m.PartitionGraphs != nil {
			t.Errorf("run %d: a cost graph: %v, step stats %v", i, costGraph(b), m.StepStats)
		}
	}
	_, m := run(&wire.RunOptions{OutputPartitionGraphs: true})
	if len(m.PartitionGraphs) != 2 || m.StepStats != nil {
		t.Fatal(m)
	}
	for i, g := range m.PartitionGraphs {
		for _, n := range g.Node {
			if want := []string{"/job:localhost/replica:0/task:0/device:CPU:0", "/job:localhost/replica:0/task:0/device:CPU:1"}[i]; n.Device != want {
				t.Errorf("%s of graph %d is on %q", n.Name, i, n.Device)
			}
		}
	}
	if _, m := run(&wire.RunOptions{TraceLevel: wire.RunOptions_FULL_TRACE}); len(m.GetStepStats().GetDevStats()) != 2 {
		t.Error(m)
	}
}

// Large tensors come as they are, more than one in a response.
func TestLarge(t *testing.T) {
	c := start(t, Options{})
	h := c.create(`
x = Placeholder() {dtype=DT_INT32}
y = Neg(x) {T=DT_INT32}
z = Mul(x, x) {T=DT_INT32}
`)
	const n = 3_000_001
	list := make([]int32, n)
	for i := range list {
		list[i] = int32(i)
	}
	x, err := tensor.NewTensor(list)
	if err != nil {
		t.Fatal(err)
	}
	b, err := tensorproto.Marshal(x)
	if err != nil {
		t.Fatal(err)
	}
	var r master.RunStepResponse
	err = c.conn.Invoke(t.Context(), "/tensorflow.MasterService/RunStep", &master.RunStepRequest{SessionHandle: h, Fetch: []string{"y:0", "z:0"},
		Feed: []*master.NamedTensorProto{{Name: "x:0", Tensor: b}}}, &r, grpc.MaxCallRecvMsgSize(math.MaxInt32))
	if err != nil {
		t.Fatal(err)
	}
	for k, f := range []func(int32) int32{func(x int32) int32 { return -x }, func(x int32) int32 { return x * x }} {
		v, err := tensorproto.Unmarshal(r.GetTensor()[k].GetTensor(), 0)
		if err != nil {
			t.Fatal(err)
		}
		for i, got := range v.Value().([]int32) {
			if got != f(int32(i)) {
				t.Fatalf("element %d of fetch %d is %d", i, k, got)
			}
		}
	}
}

// The tensors that are fed count towards the limit before they are decoded: a few bytes
// stand for any number of zeros.
func TestFeedLimit(t *testing.T) {
	o := wire.AppendNumber(nil, 1, uint64(tensor.Float))
	dim := wire.AppendField(nil, 2, wire.AppendNumber(nil, 1, 1<<28))
	bomb := wire.AppendField(o, 2, dim)
	c := start(t, Options{Session: session.SessionOptions{MemoryLimit: 1 << 20}})
	h := c.create(sum)
	_, err := call[master.RunStepResponse](c, "RunStep", &master.RunStepRequest{SessionHandle: h, Fetch: []string{"y:0"},
		Feed: []*master.NamedTensorProto{{Name: "x:0", Tensor: bomb}}})
	if grpcstatus.Code(err) != codes.ResourceExhausted {
		t.Error(err)
	}
}
