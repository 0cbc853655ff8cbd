package programs

import (
	"fmt"

	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/tensor"
)

// Lower writes the program as a graph: placeholders in0, in1, … for the inputs,
// and the outputs that hold the results. It panics if the graph refuses a node,
// which is a bug here or there.
func (p *Program) Lower() (g *graph.Graph, inputs, results []graph.Output) {
	g = graph.New()
	l := &lowering{g: g}
	root := &scope{l: l, vars: map[Var]graph.Output{}}
	for i := range p.Inputs {
		in := l.add("Placeholder", fmt.Sprintf("in%d", i), nil, attrs{"dtype": tensor.Int32, "shape": graph.ScalarShape()}).Output(0)
		inputs = append(inputs, in)
		root.vars[Var(i)] = in
	}
	root.block(p.Body)
	for _, v := range p.Results {
		results = append(results, l.add("Identity", "", inputsOf(root.use(v)), nil).Output(0))
	}
	return g, inputs, results
}

type attrs = map[string]any

// A lowering numbers the nodes it adds.
type lowering struct {
	g *graph.Graph
	n int
}

func inputsOf(outs ...graph.Output) []graph.Input {
	all := make([]graph.Input, len(outs))
	for i, o := range outs {
		all[i] = o
	}
	return all
}

func (l *lowering) add(op, name string, in []graph.Input, a attrs, after ...*graph.Node) *graph.Node {
	if name == "" {
		l.n++
		name = fmt.Sprintf("%s_%d", op, l.n)
	}
	n, err := l.g.AddOperation(graph.OpSpec{Type: op, Name: name, Input: in, Attrs: a, ControlDependencies: after})
	if err != nil {
		panic(fmt.Sprintf("programs: %s %s: %v", op, name, err))
	}
	return n
}

// A scope is where nodes stand: the root, a loop's body or a branch. Values
// from outside are brought in where they are used: into a loop by a constant
// Enter, into a branch by a Switch.
type scope struct {
	l      *lowering
	parent *scope
	vars   map[Var]graph.Output
	bring  func(outer graph.Output) graph.Output // nil in the root
	pivot  *graph.Node                           // live just when the scope is; nil in the root
}

// use is the value of a variable in this scope.
func (s *scope) use(v Var) graph.Output {
	if o, ok := s.vars[v]; ok {
		return o
	}
	o := s.bring(s.parent.use(v))
	s.vars[v] = o
	return o
}

// gated is the value of a variable, live just when the scope is: what is made
// of a loop's invariants alone lives on after the loop's last turn.
func (s *scope) gated(v Var) graph.Output {
	return s.l.add("Identity", "", inputsOf(s.use(v)), nil, s.pivot).Output(0)
}

func (s *scope) op(op string, a attrs, in ...graph.Output) graph.Output {
	return s.l.add(op, "", inputsOf(in...), a).Output(0)
}

// literal is a constant that lives in this scope.
func (s *scope) literal(x any) graph.Output {
	t, err := tensor.NewTensor(x)
	if err != nil {
		panic(err)
	}
	var after []*graph.Node
	if s.pivot != nil {
		after = append(after, s.pivot)
	}
	return s.l.add("Const", "", nil, attrs{"value": t, "dtype": t.DType()}, after...).Output(0)
}

func (s *scope) block(b Block) {
	for _, st := range b {
		switch st := st.(type) {
		case *Assign:
			s.vars[st.To] = s.op(opNames[st.Op], nil, s.use(st.A), s.use(st.B))
		case *Literal:
			s.vars[st.To] = s.literal(st.Value)
		case *Branch:
			s.branch(st)
		case *Loop:
			s.loop(st)
		case *Collect:
			s.collect(st)
		}
	}
}

// branch writes a Switch for every value that a side uses and a Merge for
// every value that it makes.
func (s *scope) branch(b *Branch) {
	pred := s.op("Less", nil, s.use(b.A), s.use(b.B))
	pivots := s.l.add("Switch", "", inputsOf(pred, pred), nil)
	side := func(port int, block Block, out []Var) []graph.Output {
		in := &scope{l: s.l, parent: s, vars: map[Var]graph.Output{}}
		in.pivot = in.op("Identity", nil, pivots.Output(port)).Op
		in.bring = func(outer graph.Output) graph.Output {
			return s.l.add("Switch", "", inputsOf(outer, pred), nil).Output(port)
		}
		in.block(block)
		values := make([]graph.Output, len(out))
		for i, v := range out {
			values[i] = in.use(v)
		}
		return values
	}
	no, yes := side(0, b.Else, b.ElseOut), side(1, b.Then, b.ThenOut)
	for i, to := range b.To {
		s.vars[to] = s.merge(no[i], yes[i])
	}
}

func (s *scope) merge(a, b graph.Output) graph.Output {
	return s.l.add("Merge", "", []graph.Input{graph.OutputList{a, b}}, nil).Output(0)
}

// A frame is a loop being written.
type frame struct {
	outer, head, body *scope
	name              string
	parallel          int
	merges            []graph.Output
	switches          []*graph.Node
	cond              graph.Output
}

// open writes Enter and Merge for every loop variable.
func (s *scope) open(parallel int, init ...graph.Output) *frame {
	s.l.n++
	f := &frame{outer: s, name: fmt.Sprintf("while_%d", s.l.n), parallel: parallel}
	f.head = &scope{l: s.l, parent: s, vars: map[Var]graph.Output{}}
	f.head.bring = func(outer graph.Output) graph.Output { return f.enter(outer, true) }
	for _, o := range init {
		e := f.enter(o, false)
		f.merges = append(f.merges, s.merge(e, e))
	}
	f.head.pivot = f.merges[0].Op
	return f
}

func (f *frame) enter(o graph.Output, constant bool) graph.Output {
	var after []*graph.Node
	if f.outer.pivot != nil { // as front ends do, so that the frame is entered as a whole
		after = append(after, f.outer.pivot)
	}
	return f.outer.l.add("Enter", "", inputsOf(o), attrs{
		"frame_name": f.name, "is_constant": constant, "parallel_iterations": int64(f.parallel)}, after...).Output(0)
}

// test writes LoopCond and the Switches, and opens the body.
func (f *frame) test(pred graph.Output) {
	l := f.outer.l
	f.cond = l.add("LoopCond", "", inputsOf(pred), nil).Output(0)
	for _, m := range f.merges {
		f.switches = append(f.switches, l.add("Switch", "", inputsOf(m, f.cond), nil))
	}
	f.body = &scope{l: l, parent: f.head, vars: map[Var]graph.Output{}}
	f.body.pivot = f.body.op("Identity", nil, f.switches[0].Output(1)).Op
	// The body sees the loop's invariants as the head does: they need no Switch.
	f.body.bring = func(outer graph.Output) graph.Output { return outer }
}

// shut closes the loop with the next values and answers what leaves it.
func (f *frame) shut(next ...graph.Output) []graph.Output {
	l := f.outer.l
	out := make([]graph.Output, len(next))
	for i, n := range next {
		back := l.add("NextIteration", "", inputsOf(n), nil).Output(0)
		if err := l.g.SetBackEdge(f.merges[i].Op, 1, back); err != nil {
			panic(err)
		}
		out[i] = l.add("Exit", "", inputsOf(f.switches[i].Output(0)), nil).Output(0)
	}
	return out
}

func (s *scope) loop(w *Loop) {
	limit := s.op("TruncateMod", nil, s.use(w.Trips), s.literal(int32(maxTrips)))
	init := []graph.Output{s.literal(int32(0))}
	for _, v := range w.Init {
		init = append(init, s.use(v))
	}
	f := s.open(w.Parallel, init...)
	pred := f.head.op("Less", nil, f.merges[0], f.enter(limit, true))
	if w.Stop != nil {
		pred = f.head.op("LogicalAnd", nil, pred, f.head.op("Less", nil, f.merges[1], f.head.use(*w.Stop)))
	}
	f.test(pred)
	f.body.vars[w.Counter] = f.switches[0].Output(1)
	for i, v := range w.Carried {
		f.body.vars[v] = f.switches[i+1].Output(1)
	}
	f.body.block(w.Body)
	next := []graph.Output{f.body.op("AddV2", nil, f.switches[0].Output(1), f.body.literal(int32(1)))}
	for _, v := range w.Next {
		next = append(next, f.body.gated(v))
	}
	out := f.shut(next...)
	for i, to := range w.To {
		s.vars[to] = out[i+1]
	}
}

func (s *scope) collect(c *Collect) {
	array := s.l.add("TensorArrayV3", "", inputsOf(s.literal(int32(c.Size))), attrs{
		"dtype": tensor.Int32, "clear_after_read": false, "element_shape": graph.ScalarShape()})
	handle := array.Output(0)
	f := s.open(2, s.literal(int32(0)), array.Output(1))
	f.test(f.head.op("Less", nil, f.merges[0], f.head.literal(int32(c.Size))))
	i, flow := f.switches[0].Output(1), f.switches[1].Output(1)
	f.body.vars[c.Counter] = i
	f.body.block(c.Body)
	flow = f.body.op("TensorArrayWriteV3", nil, f.enter(handle, true), i, f.body.gated(c.Item), flow)
	out := f.shut(f.body.op("AddV2", nil, i, f.body.literal(int32(1))), flow)
	at := s.op("FloorMod", nil, s.use(c.At), s.literal(int32(c.Size)))
	s.vars[c.To] = s.op("TensorArrayReadV3", attrs{"dtype": tensor.Int32}, handle, at, out[1])
}
