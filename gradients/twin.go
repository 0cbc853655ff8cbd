package gradients

import (
	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/graph/region"
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/status"
)

// A placer places backward nodes in a level; forward values that they take are
// brought in.
type placer struct{ lv *level }

func (p placer) Place(spec graph.OpSpec) (graph.OpSpec, error) {
	inputs := make([]graph.Input, len(spec.Input))
	for i, in := range spec.Input {
		switch in := in.(type) {
		case graph.Output:
			inputs[i] = p.lv.twin(in)
		case graph.OutputList:
			list := make(graph.OutputList, len(in))
			for k, v := range in {
				list[k] = p.lv.twin(v)
			}
			inputs[i] = list
		default:
			inputs[i] = in
		}
	}
	if err := p.lv.w.b.Err(); err != nil {
		return spec, err
	}
	spec.Input = inputs
	// What a forward iteration has done is done long before.
	var controls []*graph.Node
	for _, c := range spec.ControlDependencies {
		if p.lv.w.loops.of[c] == nil {
			controls = append(controls, c)
		}
	}
	spec.ControlDependencies = controls
	return p.lv.region.Place(spec)
}

func (p placer) Own(nodes ...*graph.Node) { p.lv.region.Own(nodes...) }

// twin returns a value as backward nodes of the level, or of one within, can take it: of
// a forward iteration its value in that iteration, and every other value itself. It
// is dead if the forward value was. It is the zero Output after an error.
func (lv *level) twin(v graph.Output) graph.Output {
	if v.Op == nil {
		return v
	}
	l := lv.w.loops.of[v.Op]
	if l == nil {
		return v
	}
	at := lv
	for at != nil && at.in != l {
		if at.at != nil && at.at.inside(l) {
			return v
		}
		at = at.outer
	}
	if at == nil {
		lv.w.b.Fail(status.Errorf(status.Internal, "gradients: %v is inside the loop '%s', which is not being differentiated", v, l.name))
		return graph.Output{}
	}
	if l.variable[v.Op] && v.Op.Class() == graph.ClassMerge {
		v = l.bodyInput(v)
	}
	if t, ok := at.twins[v]; ok {
		return t
	}
	t := at.makeTwin(v)
	at.twins[v] = t
	return t
}

// bodyInput returns the value of a variable as the body sees it.
func (l *loop) bodyInput(v graph.Output) graph.Output {
	for _, c := range v.Consumers() {
		if c.Op.Class() == graph.ClassSwitch && c.Index == 0 && l.variable[c.Op] {
			return c.Op.Output(1)
		}
	}
	return v
}

func (lv *level) makeTwin(v graph.Output) graph.Output {
	n, l := v.Op, lv.in
	b := lv.on(lv.w.b)
	switch {
	case n.Class() == graph.ClassEnter:
		return lv.outer.twin(n.Inputs()[0])
	case n.Type() == "Identity":
		return lv.twin(n.Inputs()[0])
	case l.variable[n]:
		if init, ok := l.same[n]; ok {
			return lv.outer.twin(init)
		}
		if c := l.counter(n); c != nil {
			return lv.count(c)
		}
		return lv.recall(v)
	case n.Class() == graph.ClassSwitch:
		again := b.Add(graph.OpSpec{Type: n.Type(), Input: []graph.Input{lv.twin(n.Inputs()[0]), lv.twin(n.Inputs()[1])}, Attrs: attrsOf(n)})
		if again == nil {
			return graph.Output{}
		}
		for side := range n.NumOutputs() {
			lv.twins[n.Output(side)] = again.Output(side)
		}
		return again.Output(v.Index)
	case lv.free(v):
		return lv.again(v)
	}
	return lv.recall(v)
}

// free reports whether a value can be computed again from constants, from what stays
// the same in all iterations and from what the level has already.
func (lv *level) free(v graph.Output) bool {
	if lv.w.loops.of[v.Op] != lv.in {
		return true
	}
	if _, ok := lv.twins[v]; ok {
		return true
	}
	n := v.Op
	switch {
	case n.Class() == graph.ClassEnter:
		return true
	case n.Type() == "Const":
		g, err := lv.in.gateOf(v)
		return g == nil && err == nil
	case n.Type() == "Identity":
		return lv.free(n.Inputs()[0])
	case !n.Def().Is(registry.Cheap):
		return false
	}
	for _, p := range n.Inputs() {
		if !lv.free(p) {
			return false
		}
	}
	g, err := lv.in.gateOf(v)
	return g == nil && err == nil
}

// again computes a value again.
func (lv *level) again(v graph.Output) graph.Output {
	n := v.Op
	copied := lv.on(lv.w.b).Add(specOf(n))
	if copied == nil {
		return graph.Output{}
	}
	for i := range n.NumOutputs() {
		lv.twins[n.Output(i)] = copied.Output(i)
	}
	return copied.Output(v.Index)
}

// specOf returns what a node is made of, without its control dependencies.
func specOf(n *graph.Node) graph.OpSpec {
	spec := graph.OpSpec{Type: n.Type(), Name: n.Name(), Attrs: attrsOf(n)}
	for _, arg := range n.Def().Inputs {
		lo, hi, _ := registry.ArgRange(n.Def().Inputs, n.Attrs(), arg.Name)
		if arg.NumberAttr != "" || arg.TypeListAttr != "" {
			spec.Input = append(spec.Input, graph.OutputList(n.Inputs()[lo:hi:hi]))
		} else {
			spec.Input = append(spec.Input, n.Inputs()[lo])
		}
	}
	return spec
}

func attrsOf(n *graph.Node) graph.Attrs {
	attrs := graph.Attrs{}
	for _, a := range n.Attrs() {
		attrs[a.Name] = a.Value
	}
	return attrs
}

// recall takes a value from the list that the forward loop has kept it on.
func (lv *level) recall(v graph.Output) graph.Output {
	w, b := lv.w, lv.on(lv.w.b)
	list := lv.outer.twin(w.keep(lv.in, v))
	if list.Op == nil {
		return list
	}
	i, err := lv.back.Var(list)
	if err != nil {
		b.Fail(err)
		return graph.Output{}
	}
	pop := b.Add(graph.OpSpec{
		Type: "TensorListPopBack", Attrs: graph.Attrs{"element_dtype": v.DataType().Base()},
		Input: []graph.Input{lv.back.Current[i], b.Const(int32(-1))},
	})
	if pop == nil {
		return graph.Output{}
	}
	lv.popped = append(lv.popped, pop.Output(0))
	value := pop.Output(1)
	g, err := lv.in.gateOf(v)
	if err != nil {
		b.Fail(err)
		return graph.Output{}
	}
	return lv.behind(g, value)
}

// behind lets a value through the gates of a forward value again.
func (lv *level) behind(g *gate, value graph.Output) graph.Output { return lv.between(g, nil, value) }

// between lets a value that is behind outer through the gates from there to g.
func (lv *level) between(g, outer *gate, value graph.Output) graph.Output {
	if g == outer || g == nil {
		return value
	}
	value = lv.between(g.around, outer, value)
	turn := sides(lv.on(lv.w.b), g, value, lv.twin(g.pred))
	if turn == nil {
		return graph.Output{}
	}
	return turn.Output(g.side)
}

// A writer names the nodes of backward loops.
type writer struct{ b *graph.Builder }

func (w writer) Write(role region.Role, spec graph.OpSpec) (*graph.Node, error) {
	n := w.b.Add(spec)
	return n, w.b.Err()
}

func (w writer) Close(merge *graph.Node, from graph.Output) error {
	return w.b.Graph().SetBackEdge(merge, 1, from)
}
