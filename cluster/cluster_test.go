package cluster_test

import (
	"context"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/troupe-go/troupe/cluster"
	"github.com/troupe-go/troupe/graph/notation"
	"github.com/troupe-go/troupe/profile"
	"github.com/troupe-go/troupe/session"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

// text returns the graph of a text.
func text(t testing.TB, s string) *session.Graph {
	t.Helper()
	g := session.NewGraph()
	if err := notation.Add(g, s); err != nil {
		t.Fatal(err)
	}
	return g
}

func trivial(t testing.TB) *session.Graph {
	return text(t, "c = Const() {dtype=DT_FLOAT, value=Tensor<type: float shape: [] values: 1>}\n")
}

func newSession(t testing.TB, target string, g *session.Graph, rewrite ...string) *session.Session {
	t.Helper()
	s, err := session.NewSession(g, &session.SessionOptions{Target: target, Rewrite: strings.Join(rewrite, ""), Cluster: session.ClusterOptions{Bound: bound}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// run runs a step by names.
func run(ctx context.Context, s *session.Session, g *session.Graph, feeds map[string]*tensor.Tensor, fetches, targets []string) ([]*tensor.Tensor, error) {
	fed := map[session.Output]*tensor.Tensor{}
	for name, v := range feeds {
		fed[g.Operation(name).Output(0)] = v
	}
	var outs []session.Output
	for _, name := range fetches {
		outs = append(outs, g.Operation(name).Output(0))
	}
	var ops []*session.Operation
	for _, name := range targets {
		ops = append(ops, g.Operation(name))
	}
	return s.RunContext(ctx, fed, outs, ops)
}

const twoWorkers = `
x = Placeholder() @/job:worker/task:0 {dtype=DT_FLOAT}
y = Mul(x, x) @/job:worker/task:1 {T=DT_FLOAT}
z = AddV2(y, x) @/job:worker/task:0 {T=DT_FLOAT}
`

func TestTwoWorkers(t *testing.T) {
	_, target := startWorkers(t, 2)
	g := text(t, twoWorkers)
	s := newSession(t, target, g)
	for _, n := range []int{1, 1 << 16, 3} {
		values := make([]float32, n)
		for i := range values {
			values[i] = float32(i + 2)
		}
		x, _ := tensor.FromSlice(values, int64(n))
		got, err := run(t.Context(), s, g, map[string]*tensor.Tensor{"x": x}, []string{"z"}, nil)
		if err != nil {
			t.Fatal(err)
		}
		for i, v := range floats(got[0]) {
			if want := values[i]*values[i] + values[i]; v != want {
				t.Fatalf("element %d of %d: %v, want %v", i, n, v, want)
			}
		}
	}
}

// floats returns the elements of a tensor.
func floats(x *tensor.Tensor) []float32 {
	v := tensor.ValueOf(x)
	return tensor.Of[float32](&v)
}

func TestTargets(t *testing.T) {
	_, target := startWorkers(t, 1)
	open := func(o session.SessionOptions) error {
		s, err := session.NewSession(trivial(t), &o)
		if err == nil {
			s.Close()
		}
		return err
	}
	wants(t, open(session.SessionOptions{Target: "grpc://x:1"}), status.Unimplemented, "troupe://")
	wants(t, open(session.SessionOptions{Target: "troupe://"}), status.InvalidArgument)
	wants(t, open(session.SessionOptions{Target: "troupe://nonsense"}), status.InvalidArgument, "nonsense")
	wants(t, open(session.SessionOptions{Target: target, Devices: map[string]int{"CPU": 2}}), status.InvalidArgument, "devices")
	wants(t, open(session.SessionOptions{Target: target}), status.FailedPrecondition, "bound")
	_, errs, err := cluster.Ask(t.Context(), target, &session.ClusterOptions{Bound: bound})
	if err != nil || errs[0] != nil {
		t.Error(err, errs)
	}
}

// TestStepStats has the cost of each worker's nodes, at times within the step.
func TestStepStats(t *testing.T) {
	var target string
	for i := range 2 {
		target += "," + startProcess(t, processOptions{Task: i, Bound: bound}).address
	}
	g := text(t, twoWorkers)
	s := newSession(t, "troupe://"+target[1:], g)
	x, _ := tensor.FromSlice(make([]float32, 1<<16), 1<<16)
	for range 2 { // the first run compiles and registers, too
		var m session.RunMetadata
		o := session.RunOptions{Profile: true, Metadata: &m}
		if _, err := s.RunWithOptions(t.Context(), o, map[session.Output]*tensor.Tensor{g.Operation("x").Output(0): x}, []session.Output{g.Operation("z").Output(0)}, nil); err != nil {
			t.Fatal(err)
		}
		on := map[string]string{}
		threads := map[int]string{}
		for _, e := range m.Stats.Events {
			n := &m.Stats.Nodes[e.Node]
			on[n.Name] = n.Device
			if e.Begin < 0 || e.End < e.Begin || e.End > int64(m.Stats.Elapsed) {
				t.Errorf("%s runs from %d to %d of %v", n.Name, e.Begin, e.End, m.Stats.Elapsed)
			}
			if e.Thread != profile.Elsewhere && threads[e.Thread] != "" && threads[e.Thread] != n.Device {
				t.Errorf("%s and %s share thread %d", threads[e.Thread], n.Device, e.Thread)
			}
			threads[e.Thread] = n.Device
		}
		for name, device := range map[string]string{"y": "/job:worker/replica:0/task:1/device:CPU:0", "z": "/job:worker/replica:0/task:0/device:CPU:0"} {
			if on[name] != device {
				t.Errorf("%s ran on %q, want %q; all: %v", name, on[name], device, on)
			}
		}
	}
}

// TestNoWorker opens a session where nothing listens.
func TestNoWorker(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := l.Addr().String()
	l.Close()
	_, err = session.NewSession(text(t, twoWorkers), &session.SessionOptions{Target: "troupe://" + address})
	wants(t, err, status.Unavailable, address, "refused")
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
	defer cancel()
	_, errs, err := cluster.Ask(ctx, "troupe://"+address, nil)
	if err != nil {
		t.Fatal(err)
	}
	wants(t, errs[0], status.Unavailable, "refused")
}

// TestJoinedPrograms joins, by an operation that takes both, two variables that earlier programs
// have placed on two workers: it fails with their names, and the session goes on.
func TestJoinedPrograms(t *testing.T) {
	_, target := startWorkers(t, 2)
	g := text(t, `
a = VarHandleOp() {container="", dtype=DT_FLOAT, shape=shape [], shared_name="a"}
b = VarHandleOp() {container="", dtype=DT_FLOAT, shape=shape [], shared_name="b"}
one = Const() {dtype=DT_FLOAT, value=Tensor<type: float shape: [] values: 1>}
ia = AssignVariableOp(a, one) @/job:worker/task:0 {dtype=DT_FLOAT}
ib = AssignVariableOp(b, one) @/job:worker/task:1 {dtype=DT_FLOAT}
`)
	s := newSession(t, target, g)
	if _, err := run(t.Context(), s, g, nil, nil, []string{"ia", "ib"}); err != nil {
		t.Fatal(err)
	}
	if err := notation.Add(g, `
joined = ResourceApplyMomentum(a, b, one, one, one) {T=DT_FLOAT, use_locking=false, use_nesterov=false}
read = ReadVariableOp(a) {dtype=DT_FLOAT}
`); err != nil {
		t.Fatal(err)
	}
	_, err := run(t.Context(), s, g, nil, nil, []string{"joined"})
	if err == nil || !strings.Contains(err.Error(), "variable a is on worker /job:worker/task:0, and on worker /job:worker/task:1") && !strings.Contains(err.Error(), "variable b is on worker /job:worker/task:1, and on worker /job:worker/task:0") {
		t.Errorf("a joined program: %v", err)
	}
	got, err := run(t.Context(), s, g, nil, []string{"read"}, nil)
	if err != nil || floats(got[0])[0] != 1 {
		t.Errorf("a after it: %v, %v", got, err)
	}
}
