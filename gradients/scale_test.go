package gradients_test

import (
	"context"
	"runtime"
	"testing"

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

// Backward graphs are built in memory, and in steps between questions whether to go on,
// that are linear in the graph.
func TestLinear(t *testing.T) {
	for name, build := range shapes {
		cost := func(n int) (bytes uint64, questions int) {
			s := op.NewScope()
			x := op.Placeholder(s, tf.Float, op.PlaceholderShape(tf.ScalarShape()))
			y := build(s, x, n)
			g, err := s.Finalize()
			if err != nil {
				t.Fatal(err)
			}
			ctx := &countingContext{Context: t.Context()}
			var start, end runtime.MemStats
			runtime.ReadMemStats(&start)
			if _, err := gradients.Dense(g, []graph.Output{y}, []graph.Output{x}, gradients.Options{Context: ctx}); err != nil {
				t.Fatal(err)
			}
			runtime.ReadMemStats(&end)
			return end.TotalAlloc - start.TotalAlloc, ctx.asked
		}
		const few, many = 1000, 8000
		cost(few) // what is made once
		a, p := cost(few)
		b, q := cost(many)
		t.Logf("%s: %d bytes a node of %d, %d of %d; %d and %d questions", name, a/few, few, b/many, many, p, q)
		if b > 3*many/few*a || q > 3*many/few*(p+10) {
			t.Errorf("%s: %d bytes and %d questions for %d nodes, but %d and %d for %d", name, a, p, few, b, q, many)
		}
	}
}

// A countingContext counts how often it is asked whether to go on.
type countingContext struct {
	context.Context
	asked int
}

func (c *countingContext) Err() error {
	c.asked++
	return c.Context.Err()
}
