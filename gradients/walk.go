package gradients

import (
	"strconv"

	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/graph/gradient"
	"github.com/troupe-go/troupe/status"
)

// A walk goes from ys to xs. A node's turn comes when all that its outputs flow
// into within the span has been differentiated, so that each gradient is summed up
// once and each node seen once.
type walk struct {
	*span
	b     *graph.Builder // of the backward graph's scope
	ready []*graph.Node
	parts map[graph.Output][]gradient.Value // what has come, of nodes that wait
	sums  map[graph.Output]gradient.Value   // of the xs
}

func newWalk(g *graph.Graph, b *graph.Builder, ys, xs, stop []graph.Output) *walk {
	return &walk{
		span:  between(g, ys, xs, stop),
		b:     b,
		parts: map[graph.Output][]gradient.Value{},
		sums:  map[graph.Output]gradient.Value{},
	}
}

// begin gives the ys their gradients.
func (w *walk) begin(ys, grads []graph.Output) {
	ready := map[*graph.Node]bool{}
	for i, y := range ys {
		if !w.wants(y) {
			continue
		}
		dy := grads[i]
		if dy.Op == nil {
			dy = w.ones(i, y)
		}
		w.parts[y] = append(w.parts[y], gradient.Value{Dense: dy})
		if w.pending[y.Op.ID()] == 0 && !ready[y.Op] {
			ready[y.Op] = true
			w.ready = append(w.ready, y.Op)
		}
	}
}

// ones is the gradient of y number i if none is given.
func (w *walk) ones(i int, y graph.Output) graph.Output {
	a := gradient.Build(w.b.On(y.Op.Device()))
	shape, one := a.Shape(y), a.Scalar(y, 1)
	return a.Builder.Add(graph.OpSpec{Type: "Fill", Name: "grad_ys_" + strconv.Itoa(i), Input: []graph.Input{shape, one}}).Output(0)
}

// run takes the nodes that are ready, one after another. A node becomes ready once.
func (w *walk) run() error {
	for len(w.ready) > 0 {
		n := w.ready[0]
		w.ready = w.ready[1:]
		if err := w.visit(n); err != nil {
			return err
		}
		if !w.leads[n.ID()] {
			continue
		}
		for _, from := range n.Inputs() {
			if !w.wants(from) {
				continue
			}
			id := from.Op.ID()
			if w.pending[id]--; w.pending[id] == 0 {
				w.ready = append(w.ready, from.Op)
			}
		}
	}
	return w.b.Err()
}

// visit sums up what has come to the outputs of a node and hands it on to the
// inputs.
func (w *walk) visit(n *graph.Node) error {
	dy := make([]gradient.Value, n.NumOutputs())
	flows := false
	for i := range dy {
		p := n.Output(i)
		parts, ok := w.parts[p]
		if !ok {
			continue
		}
		delete(w.parts, p)
		sum := gradient.Build(w.b.On(n.Device())).Sum(parts)
		if w.x[p] {
			w.sums[p] = sum
		}
		if !w.stop[p] {
			dy[i] = sum
			flows = flows || !sum.None()
		}
	}
	if !flows || !w.leads[n.ID()] {
		return w.b.Err()
	}
	f, err := functionOf(n)
	if f == nil || err != nil {
		return err
	}
	wanted := make([]bool, n.NumInputs())
	for i, from := range n.Inputs() {
		wanted[i] = w.wants(from) && gradient.Differentiable(from.DataType())
	}
	dx, err := gradient.Call(f, gradient.Setting{
		Node:    n,
		Builder: w.b.Scope(n.Name() + "_grad").On(n.Device()),
		Dy:      dy,
		Wanted:  wanted,
	})
	if err != nil {
		return status.Within(err, "the gradient of node '%s' (%s)", n.Name(), n.Type())
	}
	for i, v := range dx {
		if wanted[i] && !v.None() {
			from := n.Inputs()[i]
			w.parts[from] = append(w.parts[from], v)
		}
	}
	return nil
}

// functionOf is how a node is differentiated; nil if nothing flows through it.
func functionOf(n *graph.Node) (gradient.Func, error) {
	switch n.Class() {
	case graph.ClassEnter, graph.ClassExit, graph.ClassNextIteration, graph.ClassLoopCond:
		return nil, status.Errorf(status.Unimplemented, "node '%s' (%s): gradients through loops are not implemented yet", n.Name(), n.Type())
	}
	if n.Callee() != nil || len(n.Functions()) > 0 {
		return nil, status.Errorf(status.Unimplemented, "node '%s' (%s): gradients of functions are not implemented yet", n.Name(), n.Type())
	}
	name := n.Type()
	if v := n.Attrs().Find("_gradient_op_type"); v != nil && v.S != "" {
		name = v.S
	}
	f, ok := gradient.Lookup(name)
	if !ok {
		return nil, status.Errorf(status.NotFound, "No gradient defined for operation '%s' (op type: %s)", n.Name(), name)
	}
	return f, nil
}

// results is the gradients of the xs.
func (w *walk) results(xs []graph.Output) []gradient.Value {
	values := make([]gradient.Value, len(xs))
	for i, x := range xs {
		values[i] = w.sums[x]
	}
	return values
}
