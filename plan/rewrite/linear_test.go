package rewrite_test

import (
	"context"
	"fmt"
	"runtime"
	"testing"

	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/plan"
	"github.com/troupe-go/troupe/plan/rewrite"
	"github.com/troupe-go/troupe/tensor"
)

// A large is a graph of n parts of so many nodes each, on which passes have much to do.
type large struct {
	name  string
	nodes int
	build func(b *graph.Builder, x graph.Output, n int) graph.Output
}

var larges = []large{
	{"constants", 2, func(b *graph.Builder, _ graph.Output, n int) graph.Output {
		y := b.Const([]float32{0, 0})
		for i := range n {
			y = b.Op("AddV2", nil, y, b.Const([]float32{float32(i), 1}))
		}
		return y
	}},
	{"equal nodes", 2, func(b *graph.Builder, x graph.Output, n int) graph.Output {
		var all graph.OutputList
		for range n {
			all = append(all, b.Op("Mul", nil, x, b.Const(float32(2))))
		}
		return b.Op("AddN", nil, all)
	}},
	{"identities", 2, func(b *graph.Builder, x graph.Output, n int) graph.Output {
		for range n {
			x = b.Op("Mul", nil, b.Op("Identity", nil, x), b.Const(float32(1)))
		}
		return x
	}},
	{"elementwise", 3, func(b *graph.Builder, x graph.Output, n int) graph.Output {
		for range n {
			x = b.Op("Mul", nil, b.Op("Tanh", nil, b.Op("Neg", nil, x)), x)
		}
		return x
	}},
	{"layers", 5, func(b *graph.Builder, x graph.Output, n int) graph.Output {
		w, c := b.Const([][]float32{{1, 2}, {3, 4}}), b.Const([]float32{5, 6})
		for range n {
			p := b.Op("AddV2", nil, b.Op("MatMul", nil, x, w), c)
			x = b.Op("Softmax", nil, b.Op("AddV2", nil, x, b.Op("Relu", nil, p)))
		}
		return x
	}},
	{"conditionals", 6, func(b *graph.Builder, x graph.Output, n int) graph.Output {
		yes := b.Const(true)
		for range n {
			s := b.Add(graph.OpSpec{Type: "Switch", Input: []graph.Input{x, yes}})
			x = b.Op("Merge", nil, graph.OutputList{b.Op("Neg", nil, b.Op("Exp", nil, s.Output(0))), b.Op("Neg", nil, b.Op("Tanh", nil, s.Output(1)))})
		}
		return x
	}},
	{"invariants", 3, func(b *graph.Builder, x graph.Output, n int) graph.Output {
		in := b.Op("Enter", graph.Attrs{"frame_name": "L", "is_constant": true}, x)
		pivot := b.Op("Enter", graph.Attrs{"frame_name": "L"}, x)
		all := graph.OutputList{pivot}
		for i := range n {
			two := b.After(pivot.Op).Const(float32(i))
			all = append(all, b.Op("AddV2", nil, pivot, b.Op("Mul", nil, in, two)))
		}
		return b.Op("Exit", nil, b.Op("AddN", nil, all))
	}},
	{"transpositions", 3, func(b *graph.Builder, x graph.Output, n int) graph.Output {
		first, last := b.Const([]int32{0, 3, 1, 2}), b.Const([]int32{0, 2, 3, 1})
		x = b.Op("Reshape", nil, x, b.Const([]int32{1, 1, 2, 2}))
		for range n {
			x = b.Op("Transpose", nil, b.Op("Neg", nil, b.Op("Transpose", nil, x, first)), last)
		}
		return x
	}},
	{"images", 2, func(b *graph.Builder, x graph.Output, n int) graph.Output {
		first, last := b.Const([]int32{0, 3, 1, 2}), b.Const([]int32{0, 2, 3, 1})
		x = b.Op("Transpose", nil, b.Op("Reshape", nil, x, b.Const([]int32{1, 1, 2, 2})), first)
		for range n {
			x = b.Op("AddV2", nil, x, b.Op("Neg", nil, x))
		}
		return b.Op("Transpose", nil, x, last)
	}},
	{"users of one constant", 1, func(b *graph.Builder, x graph.Output, n int) graph.Output {
		one := b.Const(float32(1))
		all := graph.OutputList{x}
		for range n {
			all = append(all, b.Op("AddV2", nil, x, one))
		}
		return b.Op("AddN", nil, all)
	}},
}

// TestLinear rewrites graphs of 1,000 to 100,000 nodes by all passes. From 10,000 to
// 100,000 what a node takes, in memory and in steps between questions whether to go on,
// grows by less than four. -v prints the former.
func TestLinear(t *testing.T) {
	sizes := []int{1000, 10_000, 100_000}
	if testing.Short() {
		sizes = sizes[:2]
	}
	last, before := sizes[len(sizes)-1], sizes[len(sizes)-2]
	for _, l := range larges {
		t.Run(l.name, func(t *testing.T) {
			took := map[int]rewriteCost{}
			row := ""
			for _, size := range sizes {
				took[size] = l.rewrite(t, size)
				row += fmt.Sprintf(" %6d", took[size].bytes/uint64(size))
			}
			t.Logf("%-22s bytes a node:%s", l.name, row)
			if a, b := took[before], took[last]; b.bytes >= 40*a.bytes || b.questions >= 40*(a.questions+10) {
				t.Errorf("%d nodes take %v, %d take %v", before, a, last, b)
			}
		})
	}
}

// A rewriteCost is what rewriting took.
type rewriteCost struct {
	bytes     uint64 // allocated
	questions int    // whether to go on
}

// A countingContext counts how often it is asked whether to go on.
type countingContext struct {
	context.Context
	asked int
}

func (c *countingContext) Err() error {
	c.asked++
	return nil
}

// rewrite rewrites about that many nodes.
func (l large) rewrite(t *testing.T, nodes int) rewriteCost {
	t.Helper()
	g := graph.New()
	b := graph.NewBuilder(g)
	x := b.Op("Placeholder", graph.Attrs{"dtype": tensor.Float, "shape": graph.MakeShape(2, 2)})
	y := l.build(b, x, nodes/l.nodes)
	if b.Err() != nil {
		t.Fatal(b.Err())
	}
	p := plan.Program{Graph: g, Nodes: g.Nodes(), Feeds: []graph.Output{x}, Fetches: []graph.Output{y}}
	if p.Nodes[0] == x.Op {
		p.Nodes = p.Nodes[1:]
	}
	ctx := &countingContext{Context: context.Background()}
	var start, end runtime.MemStats
	runtime.ReadMemStats(&start)
	_, err := plan.Run(ctx, &p, rewrite.Options{Passes: rewrite.All()}.List(ctx), plan.Options{})
	runtime.ReadMemStats(&end)
	if err != nil || p.Graph == g {
		t.Fatalf("%v: not rewritten", err)
	}
	return rewriteCost{end.TotalAlloc - start.TotalAlloc, ctx.asked}
}
