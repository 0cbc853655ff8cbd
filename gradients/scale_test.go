package gradients_test

import (
	"testing"
	"time"

	"github.com/troupe-go/troupe/gradients"
	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/op"
	tf "github.com/troupe-go/troupe/session"
)

// Shapes of graphs of about n nodes.
var shapes = map[string]func(s *op.Scope, x tf.Output, n int) tf.Output{
	"chain": func(s *op.Scope, x tf.Output, n int) tf.Output {
		for range n {
			x = op.Sin(s.SubScope("n"), x)
		}
		return x
	},
	"fan": func(s *op.Scope, x tf.Output, n int) tf.Output {
		var all []tf.Output
		for range n {
			all = append(all, op.Sin(s.SubScope("n"), x))
		}
		return op.AddN(s, all)
	},
	"loops in a row": func(s *op.Scope, x tf.Output, n int) tf.Output {
		for range n / 20 {
			x = count(s, 1, []tf.Output{x}, func(s *op.Scope, _ tf.Output, v []tf.Output) []tf.Output {
				return []tf.Output{op.Sin(s, v[0])}
			})[0]
		}
		return x
	},
	"a long body": func(s *op.Scope, x tf.Output, n int) tf.Output {
		return count(s, 1, []tf.Output{x}, func(s *op.Scope, _ tf.Output, v []tf.Output) []tf.Output {
			x := v[0]
			for range n {
				x = op.Sin(s.SubScope("n"), x)
			}
			return []tf.Output{x}
		})[0]
	},
}

// Backward graphs are built in time linear in the graph.
func TestLinear(t *testing.T) {
	if testing.Short() {
		t.Skip("timing")
	}
	for name, build := range shapes {
		// The processor's time is counted in ticks of some milliseconds, so small graphs
		// are timed together.
		const most = 8_000
		perNode := func(n int) time.Duration {
			best := time.Hour
			for range 3 {
				took := time.Duration(0)
				for range most / n {
					s := op.NewScope()
					x := op.Placeholder(s, tf.Float, op.PlaceholderShape(tf.ScalarShape()))
					y := build(s, x, n)
					g, err := s.Finalize()
					if err != nil {
						t.Fatal(err)
					}
					began := cpuTime()
					if _, err := gradients.Dense(g, []graph.Output{y}, []graph.Output{x}, gradients.Options{}); err != nil {
						t.Fatal(err)
					}
					took += cpuTime() - began
				}
				best = min(best, took/most)
			}
			return best
		}
		small, large := perNode(2_000), perNode(most)
		t.Logf("%s: %v a node of 2,000, %v of 8,000", name, small, large)
		if large > 4*small {
			t.Errorf("%s: %v a node of 2,000, but %v of 8,000", name, small, large)
		}
	}
}
