package cluster_test

import (
	"testing"

	"github.com/troupe-go/troupe/cluster"
	"github.com/troupe-go/troupe/session"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

const partialGraph = `
x = Placeholder() @/job:worker/task:1 {dtype=DT_FLOAT}
y = Placeholder() {dtype=DT_FLOAT}
go = Placeholder() @/job:worker/task:1 {dtype=DT_BOOL}
square = Mul(x, x) @/job:worker/task:1 {T=DT_FLOAT}
sum = AddV2(square, y) @/job:worker/task:0 {T=DT_FLOAT}
sw = Switch(sum, go) @/job:worker/task:1 {T=DT_FLOAT}
taken = Neg(sw:1) @/job:worker/task:1 {T=DT_FLOAT}
left = Identity(sw) @/job:worker/task:1 {T=DT_FLOAT}
`

// A partialRun is one whose feeds and fetches go by name.
type partialRun struct {
	*session.PartialRun
	g *session.Graph
}

func (p partialRun) run(t testing.TB, feeds map[string]*tensor.Tensor, fetch string) ([]float32, error) {
	t.Helper()
	fed := map[session.Output]*tensor.Tensor{}
	for name, v := range feeds {
		fed[p.g.Operation(name).Output(0)] = v
	}
	var fetches []session.Output
	if fetch != "" {
		fetches = []session.Output{p.g.Operation(fetch).Output(0)}
	}
	got, err := p.RunContext(t.Context(), fed, fetches, nil)
	if err != nil || fetch == "" {
		return nil, err
	}
	return floats(got[0]), nil
}

func newPartial(t testing.TB, s *session.Session, g *session.Graph, feeds, fetches []string) partialRun {
	t.Helper()
	var in, out []session.Output
	for _, name := range feeds {
		in = append(in, g.Operation(name).Output(0))
	}
	for _, name := range fetches {
		out = append(out, g.Operation(name).Output(0))
	}
	p, err := s.NewPartialRunContext(t.Context(), in, out, nil)
	if err != nil {
		t.Fatal(err)
	}
	return partialRun{p, g}
}

// A step over two workers is fed and fetched while it runs: what is fed depends on what was
// fetched, values are small and large, and one fetch is on a branch that is not taken.
func TestPartialRuns(t *testing.T) {
	_, target := startWorkers(t, 2)
	g := text(t, partialGraph)
	s := newSession(t, target, g)
	for _, n := range []int{1, 1 << 16, 2} {
		values := make([]float32, n)
		for i := range values {
			values[i] = float32(i%100 + 3)
		}
		x, _ := tensor.FromSlice(values, int64(n))
		p := newPartial(t, s, g, []string{"x", "y", "go"}, []string{"square", "sum", "taken", "left"})
		squares, err := p.run(t, map[string]*tensor.Tensor{"x": x}, "square")
		if err != nil {
			t.Fatal(err)
		}
		y, _ := tensor.FromSlice(squares, int64(n))
		sums, err := p.run(t, map[string]*tensor.Tensor{"y": y}, "sum")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := p.run(t, map[string]*tensor.Tensor{"x": x}, ""); status.CodeOf(err) != status.InvalidArgument {
			t.Errorf("a second feed: %v", err)
		}
		negative, err := p.run(t, map[string]*tensor.Tensor{"go": tensor.FromScalar(true)}, "taken")
		if err != nil {
			t.Fatal(err)
		}
		for i, v := range values {
			if squares[i] != v*v || sums[i] != 2*v*v || negative[i] != -2*v*v {
				t.Fatalf("element %d of %d: %v, %v, %v of %v", i, n, squares[i], sums[i], negative[i], v)
			}
		}
		_, err = p.run(t, nil, "left")
		wants(t, err, status.InvalidArgument, "left", "not taken")
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	}
}

// Partial runs end when they are closed, with their session, and with a worker: what waits for
// their fetches is told why.
func TestPartialRunsEnd(t *testing.T) {
	t.Parallel() // it mostly waits
	_, target := startWorkers(t, 1)
	second := startWorker(t, cluster.WorkerOptions{Task: 1})
	g := text(t, partialGraph+`
queue = FIFOQueueV2() @/job:worker/task:1 {component_types=[DT_FLOAT]}
never = QueueDequeueV2(queue) @/job:worker/task:1 {component_types=[DT_FLOAT]}
`)
	var s *session.Session
	for _, end := range []struct {
		what string
		by   func(partialRun, *session.Session) error
		code status.Code
		word string
	}{
		{"closed", func(p partialRun, _ *session.Session) error { return p.Close() }, status.Canceled, ""},
		{"session", func(_ partialRun, s *session.Session) error { return s.Close() }, status.Canceled, "session"},
		{"worker", func(partialRun, *session.Session) error { return second.Close() }, status.Unavailable, "/job:worker/task:1"},
	} {
		if end.what != "session" {
			s = newSession(t, target+","+second.Address(), g)
		}
		p := newPartial(t, s, g, []string{"x", "y"}, []string{"square", "sum", "never"})
		if _, err := p.run(t, map[string]*tensor.Tensor{"x": tensor.FromScalar(float32(2))}, "square"); err != nil {
			t.Fatalf("%s: %v", end.what, err)
		}
		ended := make(chan error)
		go func() {
			_, err := p.run(t, nil, "never")
			ended <- err
		}()
		if err := end.by(p, s); err != nil {
			t.Errorf("%s: %v", end.what, err)
		}
		wants(t, <-ended, end.code, end.word)
	}
}
