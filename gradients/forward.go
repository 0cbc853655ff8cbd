package gradients

import (
	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/tensor"
)

// forward returns a builder of what runs in the frame of a loop of the forward graph, or
// outside of all if l is nil. What it adds must take something from there.
func (w *walk) forward(l *loop) *graph.Builder {
	if l == nil {
		return w.b
	}
	return w.b.In(frame{w.loops, l})
}

// A frame owns what is added to a forward loop.
type frame struct {
	all *loops
	l   *loop
}

func (f frame) Place(spec graph.OpSpec) (graph.OpSpec, error) { return spec, nil }

func (f frame) Own(nodes ...*graph.Node) {
	for _, n := range nodes {
		f.all.of[n] = f.l
	}
}

// anchored returns a builder of what runs in the frame around a loop whenever the loop
// does.
func (w *walk) anchored(l *loop) *graph.Builder {
	b := w.forward(l.parent)
	if l.anchor == nil {
		l.anchor = b.Add(graph.OpSpec{Type: "Identity", Name: l.name + "/begins", Input: []graph.Input{l.Vars[0].Init()}})
	}
	if l.anchor == nil {
		return b // there was an error
	}
	return b.After(l.anchor)
}

// variable adds a variable to a forward loop: next makes its next value of the one
// that the body sees. It is the last value, outside.
func (w *walk) variable(l *loop, name string, init graph.Output, next func(b *graph.Builder, v graph.Output) graph.Output) graph.Output {
	b := w.forward(l)
	attrs := graph.Attrs{"frame_name": l.Frame}
	if p := l.Vars[0].Enter.Attrs().Find("parallel_iterations"); p != nil {
		attrs["parallel_iterations"] = p.I
	}
	op := func(op string, attrs graph.Attrs, inputs ...graph.Input) *graph.Node {
		return b.Add(graph.OpSpec{Type: op, Name: l.name + "/" + name + "/" + op, Attrs: attrs, Input: inputs})
	}
	enter := op("Enter", attrs, init)
	if enter == nil {
		return graph.Output{}
	}
	merge := op("Merge", nil, graph.OutputList{enter.Output(0), enter.Output(0)})
	if merge == nil {
		return graph.Output{}
	}
	turn := op("Switch", nil, merge.Output(0), l.LoopCond.Output(0))
	if turn == nil {
		return graph.Output{}
	}
	back := op("NextIteration", nil, next(b, turn.Output(1)))
	exit := op("Exit", nil, turn.Output(0))
	if exit == nil {
		return graph.Output{}
	}
	if err := b.Graph().SetBackEdge(merge, 1, back.Output(0)); err != nil {
		b.Fail(err)
		return graph.Output{}
	}
	l.variable[merge], l.variable[turn] = true, true
	w.leave(l, exit)
	return exit.Output(0)
}

// leave says that an Exit that was added leaves a loop.
func (w *walk) leave(l *loop, exit *graph.Node) {
	w.loops.inner[exit] = l
	l.exits = append(l.exits, exit)
	delete(w.loops.of, exit)
	if l.parent != nil {
		w.loops.of[exit] = l.parent
	}
}

// iterations returns how many iterations a forward loop had, outside.
func (w *walk) iterations(l *loop) graph.Output {
	if l.count.Op == nil {
		zero := w.anchored(l).Const(int32(0))
		l.count = w.variable(l, "count", zero, func(b *graph.Builder, v graph.Output) graph.Output {
			here := b.Apply("Identity", v)
			if here.Op == nil {
				return here
			}
			return b.Apply("AddV2", here, b.After(here.Op).Const(int32(1)))
		})
	}
	return l.count
}

// last returns the last value of a variable, outside.
func (w *walk) last(l *loop, v graph.LoopVar) graph.Output {
	if len(v.Exits) > 0 {
		return v.Exits[0].Output(0)
	}
	exit := w.forward(l).Add(graph.OpSpec{Type: "Exit", Name: l.name + "/last", Input: []graph.Input{v.Switch.Output(0)}})
	if exit == nil {
		return graph.Output{}
	}
	w.leave(l, exit)
	return exit.Output(0)
}

// keep adds a list to a forward loop on which each iteration puts a value of it.
// It is what the list is in the end, outside.
func (w *walk) keep(l *loop, v graph.Output) graph.Output {
	g, err := l.gateOf(v)
	if err != nil {
		w.b.Fail(err)
		return graph.Output{}
	}
	dt := v.DataType().Base()
	before := w.anchored(l)
	list := emptyList(before, dt)
	return w.variable(l, "kept", list, func(b *graph.Builder, list graph.Output) graph.Output {
		if g != nil {
			// Where the value is dead, something else is put on the list.
			values := graph.OutputList{v}
			for ; g != nil; g = g.around {
				for side := range g.sides {
					if side != g.side {
						values = append(values, w.nothing(l, l.sibling(g, side), dt))
					}
				}
			}
			v = b.Op("Merge", nil, values)
		}
		return b.Apply("TensorListPushBack", list, v)
	})
}

func emptyList(b *graph.Builder, dt tensor.DType) graph.Output {
	return b.Op("EmptyTensorList", graph.Attrs{"element_dtype": dt, "shape_type": tensor.Int32}, b.Const(int32(-1)), b.Const(int32(-1)))
}

// nothing returns a tensor without elements that is there where a gate lets through.
func (w *walk) nothing(l *loop, g *gate, dt tensor.DType) graph.Output {
	at := placeholder{g, dt}
	if have, ok := l.placeholders[at]; ok {
		return have
	}
	pivot := w.pivot(l, g)
	if pivot == nil {
		return graph.Output{}
	}
	b := w.forward(l).After(pivot)
	var made graph.Output
	switch dt {
	case tensor.Variant:
		made = emptyList(b, tensor.Float)
	case tensor.Resource: // a handle that nobody follows
		made = b.Op("VarHandleOp", graph.Attrs{"dtype": tensor.Float, "shape": graph.Shape{}})
	default:
		t, err := tensor.New(dt, 0)
		if err != nil {
			b.Fail(err)
			return graph.Output{}
		}
		made = b.Const(t)
	}
	l.placeholders[at] = made
	return made
}

// A placeholder is on a list in place of a value that is dead: of a type, where a
// gate lets through.
type placeholder struct {
	g  *gate
	dt tensor.DType
}

// pivot returns a node that runs, alive, if and only if a gate lets through.
func (w *walk) pivot(l *loop, g *gate) *graph.Node {
	if n := l.pivots[g]; n != nil {
		return n
	}
	b := w.forward(l)
	if g.around != nil {
		outer := w.pivot(l, g.around)
		if outer == nil {
			return nil
		}
		b = b.After(outer)
	}
	turn := sides(b, g, g.pred, g.pred)
	if turn == nil {
		return nil
	}
	for side := range g.sides {
		l.pivots[l.sibling(g, side)] = w.forward(l).Add(graph.OpSpec{Type: "Identity", Input: []graph.Input{turn.Output(side)}})
	}
	return l.pivots[g]
}
