package cluster_test

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/troupe-go/troupe/conformance/programs"
	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/session"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

var (
	drawn      = flag.Int("drawn", 40, "how many random programs TestPrograms runs")
	drawnFirst = flag.Uint64("drawnfirst", 1, "the seed of the first of these")
)

// source draws from a seeded generator.
type source struct{ *rand.Rand }

func (s source) Int(_ string, lo, hi int) int { return lo + s.IntN(hi-lo+1) }

// TestPrograms runs random programs whose nodes are at random on up to four worker processes,
// and compares with one process.
func TestPrograms(t *testing.T) {
	var addresses []string
	for i := range 4 {
		addresses = append(addresses, startProcess(t, processOptions{Task: i, Bound: bound}).address)
	}
	newSession(t, "troupe://"+addresses[0], trivial(t)) // so that all share a client
	failed := 0
	for k := range *drawn {
		seed := *drawnFirst + uint64(k)
		src := source{rand.New(rand.NewPCG(seed, 7))}
		p := programs.Random(src, programs.Options{Depth: 3})
		p.Strict = true // see gaps: what a loop's invariants alone go into has its pivot, as TensorFlow writes it
		low := p.Lower(programs.Form(src.IntN(3)))
		inputs := make([]*tensor.Tensor, len(p.Inputs))
		for i, v := range p.Inputs {
			inputs[i] = programs.Draw(src, p.Types[v]).Tensor()
		}
		n := 1 + src.IntN(4)
		strewn, err := strew(low, n, src)
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		want, wantErr := play(t, low, inputs, &session.SessionOptions{})
		got, gotErr := play(t, strewn, inputs, &session.SessionOptions{
			Target: "troupe://" + strings.Join(addresses[:n], ","), Cluster: session.ClusterOptions{Bound: bound, Isolated: true},
		})
		err = nil
		switch {
		case (wantErr == nil) != (gotErr == nil):
			err = fmt.Errorf("error %v, want %v", gotErr, wantErr)
		case wantErr != nil:
			failed++
		default:
			for i := range want {
				if err = tensor.Compare(got[i], want[i], tensor.Tolerance{Exact: true}); err != nil {
					err = fmt.Errorf("result %d: %w", i, err)
					break
				}
			}
		}
		if err != nil {
			t.Errorf("seed %d over %d workers: %v\n%s", seed, n, err, p)
		}
	}
	t.Logf("%d programs, of which %d fail as they should", *drawn, failed)
}

// strew puts the nodes of a program on the devices of n workers at random.
func strew(low *programs.Lowered, n int, src source) (*programs.Lowered, error) {
	e := low.Graph.Edit()
	e.Lax()
	for _, node := range e.Nodes() {
		if d := src.IntN(4*n + 1); d > 0 {
			if err := e.SetDevice(node, fmt.Sprintf("/job:worker/task:%d", d%n)); err != nil {
				return nil, err
			}
		}
	}
	s := &programs.Lowered{}
	for _, o := range low.Inputs {
		s.Inputs = append(s.Inputs, graph.Output{Op: e.Copy(o.Op), Index: o.Index})
	}
	for _, o := range low.Results {
		s.Results = append(s.Results, graph.Output{Op: e.Copy(o.Op), Index: o.Index})
	}
	for _, op := range low.Init {
		s.Init = append(s.Init, e.Copy(op))
	}
	var err error
	s.Graph, err = e.Done()
	return s, err
}

// play runs a program twice in a session: what it leaves in variables counts.
func play(t *testing.T, low *programs.Lowered, inputs []*tensor.Tensor, o *session.SessionOptions) (all []*tensor.Tensor, err error) {
	t.Helper()
	s, err := session.NewSession(low.Graph, o)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if len(low.Init) > 0 {
		if _, err := s.RunContext(t.Context(), nil, nil, low.Init); err != nil {
			return nil, err
		}
	}
	feeds := map[session.Output]*tensor.Tensor{}
	for i, in := range low.Inputs {
		feeds[in] = inputs[i]
	}
	for range 2 {
		got, err := s.RunContext(t.Context(), feeds, low.Results, nil)
		if err != nil {
			if code := status.CodeOf(err); code == status.Unavailable || code == status.Aborted {
				t.Errorf("a worker failed: %v", err)
			}
			return nil, err
		}
		all = append(all, got...)
	}
	return all, nil
}
