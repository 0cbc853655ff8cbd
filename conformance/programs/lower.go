package programs

import (
	"fmt"
	"strings"

	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/graph/region"
	"github.com/troupe-go/troupe/tensor"
)

// A Form is how branches and loops are written.
type Form int

// The forms. Recursion and calls are functions in all of them.
const (
	Frames    Form = iota // as Switch, Merge, Enter, Exit, NextIteration
	Functions             // as If, Case and While, in a function that is called
	Mixed                 // some so and some so, within one another
)

// A Lowered is a program as a graph.
type Lowered struct {
	Graph *graph.Graph
	Form  Form
	// Inputs are placeholders for the program's inputs. Init initializes the
	// session's variables.
	Inputs, Results []graph.Output
	Init            []*graph.Node
	// Outputs has what the root frame has of the program's variables, branches
	// of the root frame included.
	Outputs map[Var]graph.Output
}

// Lower writes the program as a graph. It panics if the graph refuses a node,
// which is a bug here or there.
func (p *Program) Lower(form Form) *Lowered {
	l := &lowering{p: p, g: graph.New(), form: form, free: map[output]bool{}, outputs: map[Var]output{}}
	l.root = l
	low := &Lowered{Graph: l.g, Form: form, Outputs: l.outputs}
	root := &scope{l: l, region: region.Root(l), vars: map[Var]output{}, records: true}
	for _, v := range p.Inputs {
		t := p.Types[v]
		in := l.add("Placeholder", fmt.Sprintf("in_%d", int(v)), nil, attrs{"dtype": t.DType, "shape": graphShape(t.Dims)}).Output(0)
		low.Inputs = append(low.Inputs, in)
		root.set(v, in)
	}
	for _, v := range p.Variables {
		handle, init := root.handle(v, p.Types[v.Handle], form)
		low.Init = append(low.Init, init)
		root.set(v.Handle, handle)
		root.set(v.Flow, root.constant(float32(0)))
	}
	body := p.Body
	if form == Functions {
		body = Block{&Call{Body: p.Body, Outs: p.Results, To: p.Results}}
	}
	root.block(body)
	for _, v := range p.Results {
		low.Results = append(low.Results, l.add("Identity", "", []graph.Input{l.outputs[v]}, nil).Output(0))
	}
	return low
}

type (
	attrs      = map[string]any
	output     = graph.Output
	outputList = graph.OutputList
)

// A control among the inputs of a node is a node to wait for.
type control struct{ *graph.Node }

// A lowering writes one graph: the program's, or the body of a function.
type lowering struct {
	p       *Program
	g       *graph.Graph
	root    *lowering // of the program's graph
	form    Form
	n       int // nodes and functions numbered
	free    map[output]bool
	outputs map[Var]output
}

func (l *lowering) add(op, name string, in []graph.Input, a attrs, after ...*graph.Node) *graph.Node {
	if name == "" {
		l.n++
		name = fmt.Sprintf("%s/aux_%d", strings.TrimPrefix(op, "_"), l.n)
	}
	n, err := l.g.AddOperation(graph.OpSpec{Type: op, Name: name, Input: in, Attrs: a, ControlDependencies: after})
	if err != nil {
		panic(fmt.Sprintf("programs: %s %s: %v", op, name, err))
	}
	return n
}

// A scope is where nodes stand: the root, a function, a loop's head or body or a
// branch. Values from outside are brought in where they are used.
type scope struct {
	l       *lowering
	parent  *scope // nil in the root and in functions
	vars    map[Var]output
	region  *region.Region
	records bool        // of the root frame
	loops   bool        // in a loop of the graph
	branch  bool        // a branch
	last    *graph.Node // the main node of the latest Apply
}

func (s *scope) set(v Var, o output) {
	s.vars[v] = o
	if s.records {
		s.l.outputs[v] = o
	}
}

// use returns the value of a variable in this scope.
func (s *scope) use(v Var) output {
	if o, ok := s.vars[v]; ok {
		return o
	}
	if s.parent == nil {
		panic(fmt.Sprintf("programs: %v is not in sight", v))
	}
	o := must(s.region.Use(s.parent.use(v)))
	s.vars[v] = o
	return o
}

func (s *scope) args(a *Apply) []output {
	list := make([]output, len(a.Args))
	for i, v := range a.Args {
		list[i] = s.use(v)
	}
	return list
}

// pair is args, of which the second may come to a branch of a loop as it is, without the
// Switch of the branch, or of those around it: the first one keeps the node from acting
// where the branch does not run.
func (s *scope) pair(a *Apply) []output {
	if s.loops && s.branch && len(a.Args) == 2 && a.To[0]%3 != 0 {
		_, first := s.vars[a.Args[0]]
		_, second := s.vars[a.Args[1]]
		if x := s.use(a.Args[0]); first && !second && !s.l.free[x] {
			from := s.parent
			for from.branch && a.To[0]%3 == 2 {
				if _, has := from.vars[a.Args[1]]; has {
					break
				}
				from = from.parent
			}
			return []output{x, from.use(a.Args[1])}
		}
	}
	return s.args(a)
}

func (s *scope) uses(vars []Var) []output {
	list := make([]output, len(vars))
	for i, v := range vars {
		list[i] = s.use(v)
	}
	return list
}

func (s *scope) type1(v Var) tensor.DType { return s.l.p.Types[v].DType }

// node adds a node to the scope; its inputs are outputs, outputs in a slice, lists
// of outputs, and nodes to wait for. What a loop's invariants alone go into would be
// live in its last turn as well, and in a loop that never turns: where that
// matters it hangs on the scope's pivot, as what has no input does always.
func (s *scope) node(op, name string, in []any, a attrs) *graph.Node {
	var inputs []graph.Input
	var after []*graph.Node
	local, none := false, true
	see := func(o output) {
		none = false
		local = local || !s.l.free[o]
	}
	for _, x := range in {
		switch x := x.(type) {
		case control:
			after = append(after, x.Node)
		case output:
			inputs = append(inputs, x)
			see(x)
		case outputList:
			inputs = append(inputs, x)
			for _, o := range x {
				see(o)
			}
		case []output:
			for _, o := range x {
				inputs = append(inputs, o)
				see(o)
			}
		default:
			panic(fmt.Sprintf("programs: an input of type %T", x))
		}
	}
	hang := none || !local && s.l.p.Strict
	if hang && s.region.Pivot != nil {
		after = append(after, s.region.Pivot)
	}
	n := s.l.add(op, name, inputs, a, after...)
	s.region.Own(n)
	if !hang && !local {
		s.l.setFree(n)
	}
	return n
}

// op adds a node without a name of its own.
func (s *scope) op(op string, a attrs, in ...any) output { return s.node(op, "", in, a).Output(0) }

// apply adds the main node of a statement, which is named after it.
func (s *scope) apply(a *Apply, op string, attr attrs, in ...any) []output {
	s.last = s.node(op, fmt.Sprintf("%s_%d", op, int(a.To[0])), in, attr)
	out := make([]output, s.last.NumOutputs())
	for i := range out {
		out[i] = s.last.Output(i)
	}
	return out
}

// applyAfter is apply of a node that waits for a flow.
func (s *scope) applyAfter(a *Apply, flow output, op string, attr attrs, in ...any) []output {
	return s.apply(a, op, attr, append(in, control{s.after(flow, nil).Op})...)
}

// after returns a value once a node has acted. A Switch acts for both of its sides,
// so a flow is waited for by way of such an Identity.
func (s *scope) after(o output, n *graph.Node) output {
	if n == nil {
		return s.op("Identity", nil, o)
	}
	return s.op("Identity", nil, o, control{n})
}

// constant returns a constant that lives in this scope.
func (s *scope) constant(x any) output {
	t, err := (*tensor.Tensor)(nil), error(nil)
	if a, ok := x.(*Array); ok {
		t = a.Tensor()
	} else if t, err = tensor.NewTensor(x); err != nil {
		panic(err)
	}
	return s.op("Const", attrs{"value": t, "dtype": t.DType()})
}

func (s *scope) int(i int) output { return s.constant(int32(i)) }

func (s *scope) ints(list []int) output {
	x := newArray(tensor.Int32, []int{len(list)})
	for i, n := range list {
		x.elems[i].i = int64(n)
	}
	return s.constant(x)
}

func (s *scope) block(b Block) {
	for _, st := range b {
		st.lower(s)
	}
}

func (st *Apply) lower(s *scope) {
	for i, o := range st.Op.lower(s, st) {
		if i < len(st.To) {
			s.set(st.To[i], o)
		}
	}
}

func (st *Literal) lower(s *scope) { s.set(st.To, s.constant(st.Value)) }

func (st *Fed) lower(*scope) { panic("programs: a part is evaluated, not lowered") }

// functional reports how a statement is written that can be written both ways.
func (l *lowering) functional(v Var) bool {
	return l.form == Functions || l.form == Mixed && uint32(v)*2654435761>>16&1 == 0
}
