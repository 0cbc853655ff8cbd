package gradients

import (
	"context"
	"strconv"

	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/graph/gradient"
	"github.com/troupe-go/troupe/graph/region"
	"github.com/troupe-go/troupe/status"
)

// A walk goes from ys to xs.
type walk struct {
	*span
	b      *graph.Builder // of the backward graph's scope
	loops  *loops         // of the graph that is differentiated
	root   *level
	sums   map[graph.Output]gradient.Value // of the xs
	shapes *shapes
	size   int // of the graph before the walk
	watch  *status.Watch
}

func newWalk(ctx context.Context, g *graph.Graph, b *graph.Builder, ys, xs, stop []graph.Output) (*walk, error) {
	w := &walk{b: b, watch: status.NewWatch(ctx), sums: map[graph.Output]gradient.Value{}, size: g.NumNodes()}
	var err error
	if w.span, err = between(w.watch, g, ys, xs, stop); err != nil {
		return nil, err
	}
	if w.loops, err = findLoops(g); err != nil {
		return nil, err
	}
	w.shapes = findShapes(w.loops, ys)
	at, err := w.frameOf(ys, xs)
	if err != nil {
		return nil, err
	}
	w.root = &level{w: w, at: at, parts: map[graph.Output][]gradient.Value{}, twins: map[graph.Output]graph.Output{}}
	w.root.region = region.Root(writer{w.root.on(b)})
	return w, nil
}

// start returns the ys their gradients and walks.
func (w *walk) start(ys, grads []graph.Output) error {
	var from []graph.Output
	for i, y := range ys {
		if !w.wants(y) {
			continue
		}
		dy := grads[i]
		if dy.Op == nil {
			dy = w.ones(i, y)
		}
		w.root.give(y, gradient.Value{Dense: dy})
		from = append(from, y)
	}
	if err := w.root.run(from); err != nil || w.root.at == nil {
		return err
	}
	if err := w.root.checkBegun(); err != nil {
		return err
	}
	for x := range w.x { // what an iteration begins with has no turn
		w.root.take(x)
	}
	return w.b.Err()
}

// ones returns the gradient of y number i if none is given.
func (w *walk) ones(i int, y graph.Output) graph.Output {
	a := gradient.BuildBeside(w.root.on(w.b.On(y.Op.Device())), nil, w.shapes.more)
	shape, one := a.Shape(y), a.Scalar(y, 1)
	return a.Builder.Add(graph.OpSpec{Type: "Fill", Name: "grad_ys_" + strconv.Itoa(i), Input: []graph.Input{shape, one}}).Output(0)
}

// functionOf returns how a node is differentiated; nil if nothing flows through it.
func functionOf(n *graph.Node) (gradient.Func, error) {
	if f := ownGradient(n); f != nil {
		return f, nil
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

// results returns the gradients of the xs.
func (w *walk) results(xs []graph.Output) []gradient.Value {
	values := make([]gradient.Value, len(xs))
	for i, x := range xs {
		values[i] = w.sums[x]
	}
	return values
}
