package batching

import (
	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/graph/region"
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/shape"
	"github.com/troupe-go/troupe/tensor"
)

// kept returns the program that computes the kept variables of one caller after it has left: a
// loop over what the batch has logged. It takes the number of iterations, the variables as they
// were before the first, each cut of all iterations, stacked, and what else once takes: once is
// an iteration, a function of the variables, its cuts and the rest.
func (l *Loop) kept(b *Batch, args []Arg, once *function) (Program, error) {
	inputs := map[graph.Output]bool{}
	for _, a := range once.args {
		inputs[a] = true
	}
	var roots []*graph.Node
	for _, r := range once.results {
		if !inputs[r] {
			roots = append(roots, r.Op)
		}
	}
	graph.DepthFirst(roots, func(n *graph.Node, yield func(*graph.Node)) {
		for _, in := range n.Inputs() {
			if !inputs[in] {
				yield(in.Op)
			}
		}
		for _, c := range n.Controls() {
			yield(c)
		}
	}, nil, func(n *graph.Node) {
		once.nodes = append(once.nodes, n)
	})

	g := graph.New()
	w := graph.NewBuilder(g)
	place := func(t tensor.DType, s shape.Shape) graph.Output {
		return w.Op("Placeholder", graph.Attrs{"dtype": t, "shape": registry.ShapeAttr(s.Attr())})
	}
	p := Program{Graph: g, Feeds: []graph.Output{place(tensor.Int32, shape.Of())}}
	for range b.Held {
		p.Feeds = append(p.Feeds, place(once.args[len(p.Feeds)-1].DataType(), shape.Shape{}))
	}
	for _, c := range b.Cuts {
		p.Feeds = append(p.Feeds, place(c.Type, shape.Of(append([]int64{-1}, c.Shape...)...)))
	}
	for _, o := range once.args[len(b.Held)+len(b.Cuts):] {
		if o.Op.Type() == "VarHandleOp" {
			a := o.Op.Attrs()
			p.Feeds = append(p.Feeds, w.Op("VarHandleOp", graph.Attrs{"dtype": a.Find("dtype").Type, "shape": *a.Find("shape"), "shared_name": a.Find("shared_name").S}))
			continue
		}
		p.Feeds = append(p.Feeds, place(o.DataType(), shapeOf(o)))
	}
	if writes := b.writes(once); writes != nil {
		return p, b.scatter(w, &p, writes)
	}
	zero, one := w.Const(int32(0)), w.Const(int32(1))
	if err := w.Err(); err != nil {
		return p, err
	}

	root := region.Root(writer{g})
	loop, err := root.Loop(region.LoopSpec{Frame: l.Name, Init: append([]graph.Output{zero}, p.Feeds...), ParallelIterations: 1})
	if err != nil {
		return p, err
	}
	going, err := loop.Cond.Add(graph.OpSpec{Type: "Less", Name: "going", Input: []graph.Input{loop.Vars[0], loop.Vars[1]}})
	if err != nil {
		return p, err
	}
	if err := loop.Test(going.Output(0)); err != nil {
		return p, err
	}
	next := append([]graph.Output(nil), loop.Current...)
	more, err := loop.Body.Add(graph.OpSpec{Type: "AddV2", Name: "count", Input: []graph.Input{loop.Current[0], one}})
	if err != nil {
		return p, err
	}
	next[0] = more.Output(0)
	in := append([]graph.Output(nil), loop.Current[2:]...)
	for i := range b.Cuts {
		row, err := loop.Body.Add(graph.OpSpec{Type: "GatherV2", Name: "cut", Input: []graph.Input{in[len(b.Held)+i], loop.Current[0], zero}})
		if err != nil {
			return p, err
		}
		in[len(b.Held)+i] = row.Output(0)
	}
	held, err := inRegion(loop.Body, g, l.Name+"/body/", once, in)
	if err != nil {
		return p, err
	}
	copy(next[2:], held)
	out, err := loop.Close(next)
	if err != nil {
		return p, err
	}
	p.Fetches = out[2 : 2+len(held)]
	return p, nil
}
