package programs

import (
	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/graph/region"
)

// Write adds the nodes that loops and branches are made of. A program that is not
// strict lets what its loops' invariants alone go into run without a pivot.
func (l *lowering) Write(role region.Role, spec graph.OpSpec) (*graph.Node, error) {
	free := role == region.Enter && spec.Attrs["is_constant"] == true
	if role == region.Switch || role == region.Arg {
		free = !l.p.Strict && l.allFree(spec.Input)
		if free {
			spec.ControlDependencies = nil
		}
	}
	n := l.add(spec.Type, "", spec.Input, spec.Attrs, spec.ControlDependencies...)
	if free {
		l.setFree(n)
	}
	return n, nil
}

func (l *lowering) Close(merge *graph.Node, from graph.Output) error {
	return l.g.SetBackEdge(merge, 1, from)
}

func (l *lowering) allFree(in []graph.Input) bool {
	for _, in := range in {
		if o, ok := in.(output); !ok || !l.free[o] {
			return false
		}
	}
	return true
}

func (l *lowering) setFree(n *graph.Node) {
	for i := range n.NumOutputs() {
		l.free[n.Output(i)] = true
	}
}

// must is for what only a mistake of this package makes a region refuse.
func must[T any](x T, err error) T {
	if err != nil {
		panic("programs: " + err.Error())
	}
	return x
}

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
	var c *region.Choice
	if index := s.use(st.Index); st.Multi {
		c = must(s.region.Case(index, len(st.Blocks)))
	} else {
		c = must(s.region.Cond(index))
	}
	outs := make([]outputList, len(st.To))
	var pivots outputList
	for i, block := range st.Blocks {
		in := &scope{l: s.l, parent: s, region: must(c.Branch(i, nil)), vars: map[Var]output{}, records: s.records, loops: s.loops, branch: true}
		pivots = append(pivots, in.region.Pivot.Output(0))
		in.block(block)
		for k, v := range st.Outs[i] {
			outs[k] = append(outs[k], in.result(c, i, st.To[k], v))
		}
	}
	var merge *graph.Node
	for k, to := range st.To {
		o := must(c.Join(region.Output, outs[k]))
		if k == 0 {
			merge = o.Op
		}
		s.set(to, o)
	}
	if st.Which != nil {
		if merge == nil {
			merge = must(c.Join(region.Output, pivots)).Op
		}
		s.set(*st.Which, merge.Output(1))
	}
}

// result returns what branch k of a choice gives for a variable. A value that the branch
// only forwards, it may give as it comes from the Switch: in graphs that were
// frozen, and from those who write Switch and Merge themselves, no Identity stands
// between.
func (s *scope) result(c *region.Choice, k int, to, v Var) output {
	if _, ok := s.vars[v]; !ok && to%2 == 0 {
		if sent := must(c.Send(s.parent.use(v))).Output(k); !sent.DataType().IsRef() {
			return sent
		}
	}
	return s.use(v)
}

func (st *Loop) lower(s *scope) {
	if s.l.functional(st.Carried[0]) {
		s.callLoop(st)
		return
	}
	l := s.l
	init := make([]output, len(st.Init))
	for i, v := range st.Init {
		init[i] = s.shaped(s.use(v), l.p.Types[st.Carried[i]], false)
	}
	loop := must(s.region.Loop(region.LoopSpec{Frame: st.frame(), ParallelIterations: int64(st.Parallel), Init: init}))
	head := &scope{l: l, parent: s, region: loop.Cond, vars: map[Var]output{}}
	for i, v := range st.Carried {
		head.vars[v] = loop.Vars[i]
	}
	head.block(st.Test)
	if err := loop.Test(head.use(st.Going)); err != nil {
		panic("programs: " + err.Error())
	}
	body := &scope{l: l, parent: head, region: loop.Body, vars: map[Var]output{}, loops: true}
	for i, v := range st.Carried {
		body.vars[v] = loop.Current[i]
	}
	body.block(st.Body)
	next := make([]output, len(st.Next))
	for i, v := range st.Next {
		next[i] = body.use(v)
		if l.free[next[i]] || !l.p.Strict { // or there could be a next turn for ever
			next[i] = body.op("Identity", nil, next[i], control{loop.Body.Pivot})
		}
		if have := loop.Vars[i].Shape(); have.NumDimensions() >= 0 && have.String() != next[i].Shape().String() {
			next[i] = body.shaped(next[i], l.p.Types[st.Carried[i]], true)
		}
	}
	results := must(loop.Close(next))
	for i, to := range st.To {
		s.set(to, results[i])
	}
}

// shaped returns a tensor of which the graph knows no more than the type says: what a
// front end knows of a variable whose shape changes.
func (s *scope) shaped(o output, t Type, always bool) output {
	if t.Kind != Tensor || t.known() && !always {
		return o
	}
	return s.op("PlaceholderWithDefault", attrs{"shape": graphShape(t.Dims)}, o)
}
