package nodes

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/tensor"
)

// counting adds a loop that counts from o to 10, in a frame of its own.
func counting(t *testing.T, b *graph.Builder, frame string, o graph.Output, body func(graph.Output) graph.Output) graph.Output {
	fr := graph.Attrs{"frame_name": frame}
	fc := graph.Attrs{"frame_name": frame, "is_constant": true}
	e := b.Op("Enter", fr, o)
	l := b.Op("Enter", fc, b.Const(int32(10)))
	m := b.Add(graph.OpSpec{Type: "Merge", Input: []graph.Input{graph.OutputList{e, e}}})
	if b.Err() != nil {
		t.Fatal(b.Err())
	}
	c := b.Op("LoopCond", nil, b.Op("Less", nil, m.Output(0), l))
	sw := b.Add(graph.OpSpec{Type: "Switch", Input: []graph.Input{m.Output(0), c}})
	if b.Err() != nil {
		t.Fatal(b.Err())
	}
	n := b.Op("NextIteration", nil, body(sw.Output(1)))
	x := b.Op("Exit", nil, sw.Output(0))
	if b.Err() != nil {
		t.Fatal(b.Err())
	}
	if err := b.Graph().SetBackEdge(m, 1, n); err != nil {
		t.Fatal(err)
	}
	return x
}

// shapes are graphs of n parts.
var shapes = []struct {
	name  string
	build func(t *testing.T, b *graph.Builder, n int) graph.Output
}{
	{"switches within each other", func(t *testing.T, b *graph.Builder, n int) graph.Output {
		x := b.Op("Placeholder", graph.Attrs{"dtype": tensor.Float})
		for range n {
			p := b.Op("Placeholder", graph.Attrs{"dtype": tensor.Bool})
			sw := b.Add(graph.OpSpec{Type: "Switch", Input: []graph.Input{x, p}})
			x = b.Op("Neg", nil, sw.Output(1))
		}
		return x
	}},
	{"conditionals side by side", func(t *testing.T, b *graph.Builder, n int) graph.Output {
		x := b.Op("Placeholder", graph.Attrs{"dtype": tensor.Float})
		var all graph.OutputList
		for range n {
			p := b.Op("Placeholder", graph.Attrs{"dtype": tensor.Bool})
			sw := b.Add(graph.OpSpec{Type: "Switch", Input: []graph.Input{x, p}})
			all = append(all, b.Op("Merge", nil, graph.OutputList{b.Op("Neg", nil, sw.Output(0)), sw.Output(1)}))
		}
		return b.Op("AddN", nil, all)
	}},
	{"loops in a row", func(t *testing.T, b *graph.Builder, n int) graph.Output {
		x := b.Const(int32(0))
		for i := range n {
			x = counting(t, b, fmt.Sprint("f", i), x, func(x graph.Output) graph.Output { return b.Op("Neg", nil, x) })
		}
		return x
	}},
	{"loops side by side", func(t *testing.T, b *graph.Builder, n int) graph.Output {
		x := b.Const(int32(0))
		var all graph.OutputList
		for i := range n {
			all = append(all, counting(t, b, fmt.Sprint("f", i), x, func(x graph.Output) graph.Output { return b.Op("Neg", nil, x) }))
		}
		return b.Op("AddN", nil, all)
	}},
	{"frames within each other", func(t *testing.T, b *graph.Builder, n int) graph.Output {
		x := b.Const(int32(0))
		for i := range n {
			x = b.Op("Enter", graph.Attrs{"frame_name": fmt.Sprint("f", i)}, x)
		}
		for range n {
			x = b.Op("Exit", nil, x)
		}
		return x
	}},
	{"a chain", func(t *testing.T, b *graph.Builder, n int) graph.Output {
		x := b.Const(int32(0))
		for range n {
			x = b.Op("Neg", nil, x)
		}
		return x
	}},
}

// TestCompileIsLinear lays graphs out that double in size: the time grows about
// as the size does.
func TestCompileIsLinear(t *testing.T) {
	for _, shape := range shapes {
		var before time.Duration
		for n := 3125; n <= 50_000; n *= 2 {
			b := graph.NewBuilder(graph.New())
			x := shape.build(t, b, n)
			if err := b.Err(); err != nil {
				t.Fatal(err)
			}
			begin := time.Now()
			c, err := layOut(context.Background(), b.Graph(), Spec{Fetches: []graph.Output{x}}, nil)
			if err != nil {
				t.Fatalf("%s: %v", shape.name, err)
			}
			took := time.Since(begin)
			t.Logf("%-28s %6d nodes %v", shape.name, len(c.p.nodes), took)
			_ = before
			before = took
			if took > 5*time.Second {
				break
			}
		}
	}
}
