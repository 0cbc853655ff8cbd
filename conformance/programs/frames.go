package programs

import (
	"github.com/troupe-go/troupe/graph"
)

func (st *Choice) number() Var {
	if len(st.To) > 0 {
		return st.To[0]
	}
	return st.Index
}

func (st *Choice) lower(s *scope) {
	if s.l.functional(st.number()) {
		s.callChoice(st)
		return
	}
	index := s.use(st.Index)
	switches := map[output][]output{} // of a value, by side
	side := func(o output, i int) output {
		sides, ok := switches[o]
		if !ok {
			sides = s.switched(o, index, len(st.Blocks), st.Multi)
			switches[o] = sides
		}
		return sides[i]
	}
	outs := make([]outputList, len(st.To))
	var pivots outputList
	for i, block := range st.Blocks {
		in := &scope{l: s.l, parent: s, vars: map[Var]output{}, records: s.records}
		in.bring = func(outer output) output { return side(outer, i) }
		in.pivot = in.op("Identity", nil, side(index, i)).Op
		pivots = append(pivots, in.pivot.Output(0))
		in.block(block)
		for k, v := range st.Outs[i] {
			outs[k] = append(outs[k], in.use(v))
		}
	}
	var merge *graph.Node
	for k, to := range st.To {
		m := s.node("Merge", "", []any{outs[k]}, nil)
		if k == 0 {
			merge = m
		}
		s.set(to, m.Output(0))
	}
	if st.Which != nil {
		if merge == nil {
			merge = s.node("Merge", "", []any{pivots}, nil)
		}
		s.set(*st.Which, merge.Output(1))
	}
}

// switched is the sides of a Switch.
func (s *scope) switched(o, index output, n int, multi bool) []output {
	var sw *graph.Node
	switch {
	case multi:
		sw = s.node("_SwitchN", "", []any{o, index}, attrs{"num_outs": int64(n)})
	case o.DataType().IsRef():
		sw = s.node("RefSwitch", "", []any{o, index}, nil)
	default:
		sw = s.node("Switch", "", []any{o, index}, nil)
	}
	out := make([]output, n)
	for i := range out {
		out[i] = sw.Output(i)
	}
	return out
}

// A frame is a loop being written.
type frame struct {
	outer, head, body *scope
	name              string
	parallel          int
}

// enter brings a value into the frame. Front ends let it wait for the pivot, so
// that the frame is entered as a whole.
func (f *frame) enter(o output, constant bool) output {
	op := "Enter"
	if o.DataType().IsRef() {
		op = "RefEnter"
	}
	in := []any{o}
	if f.outer.pivot != nil {
		in = append(in, control{f.outer.pivot})
	}
	e := f.outer.l.add(op, "", []graph.Input{o}, attrs{
		"frame_name": f.name, "is_constant": constant, "parallel_iterations": int64(f.parallel)}, controls(in)...).Output(0)
	if constant {
		f.outer.l.free[e] = true
	}
	return e
}

func controls(in []any) []*graph.Node {
	var list []*graph.Node
	for _, x := range in {
		if c, ok := x.(control); ok {
			list = append(list, c.Node)
		}
	}
	return list
}

func (st *Loop) lower(s *scope) {
	if s.l.functional(st.Carried[0]) {
		s.callLoop(st)
		return
	}
	l := s.l
	f := &frame{outer: s, name: st.frame(), parallel: st.Parallel}
	f.head = &scope{l: l, parent: s, vars: map[Var]output{}}
	f.head.bring = func(outer output) output { return f.enter(outer, true) }
	merges := make([]output, len(st.Init))
	for i, v := range st.Init {
		e := f.enter(s.shaped(s.use(v), l.p.Types[st.Carried[i]], false), false)
		merges[i] = l.add("Merge", "", []graph.Input{outputList{e, e}}, nil).Output(0)
		f.head.vars[st.Carried[i]] = merges[i]
	}
	f.head.pivot = merges[0].Op
	f.head.block(st.Test)
	cond := l.add("LoopCond", "", []graph.Input{f.head.use(st.Going)}, nil).Output(0)
	f.body = &scope{l: l, parent: f.head, vars: map[Var]output{}}
	// The body sees the loop's invariants as the head does: they need no Switch.
	f.body.bring = func(outer output) output { return outer }
	exits := make([]output, len(merges))
	for i, m := range merges {
		sw := l.add("Switch", "", []graph.Input{m, cond}, nil)
		f.body.vars[st.Carried[i]] = sw.Output(1)
		exits[i] = l.add("Exit", "", []graph.Input{sw.Output(0)}, nil).Output(0)
	}
	f.body.pivot = l.add("Identity", "", []graph.Input{f.body.vars[st.Carried[0]]}, nil)
	f.body.block(st.Body)
	for i, v := range st.Next {
		next := f.body.use(v)
		if l.free[next] || !l.p.Strict { // or there could be a next turn for ever
			next = l.add("Identity", "", []graph.Input{next}, nil, f.body.pivot).Output(0)
		}
		if have := merges[i].Shape(); have.NumDimensions() >= 0 && have.String() != next.Shape().String() {
			next = f.body.shaped(next, l.p.Types[st.Carried[i]], true)
		}
		back := l.add("NextIteration", "", []graph.Input{next}, nil).Output(0)
		if err := l.g.SetBackEdge(merges[i].Op, 1, back); err != nil {
			panic(err)
		}
	}
	for i, to := range st.To {
		s.set(to, exits[i])
	}
}

// shaped is a tensor of which the graph knows no more than the type says: what a
// front end knows of a variable whose shape changes.
func (s *scope) shaped(o output, t Type, always bool) output {
	if t.Kind != Tensor || t.known() && !always {
		return o
	}
	return s.op("PlaceholderWithDefault", attrs{"shape": graphShape(t.Dims)}, o)
}
