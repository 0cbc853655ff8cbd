package batching

import (
	"fmt"
	"slices"

	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/shape"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

// A value is an output of the loop's functions, and what it has become.
type value struct {
	role   Role
	ref    graph.Output // as one caller has it
	out    graph.Output // in the batch; none if it is kept
	shape  []int64      // of one caller's, if it is a row
	reason string       // why it is kept
}

// A stacker writes a function twice: as it is, for one caller, which also infers its shapes, and
// on the stacked rows of all callers.
type stacker struct {
	single, stacked *graph.Builder
	rows            graph.Output // a stacked value, for the number of callers
	count           graph.Output // that number as a vector of one element; none if nobody asked
	products        int
	weights         int64 // bytes of the invariants in them
	cuts            []value
	cutAt           map[graph.Output]bool
	checks          []graph.Output // what may fail
	failure         error          // why the loop is not batched
}

// fail notes why the loop is not batched.
func (s *stacker) fail(format string, args ...any) {
	if s.failure == nil {
		s.failure = reject(format, args...)
	}
}

func newStacker() *stacker {
	return &stacker{single: graph.NewBuilder(graph.New()), stacked: graph.NewBuilder(graph.New()), cutAt: map[graph.Output]bool{}}
}

// args adds the loop variables.
func (s *stacker) args(l *Loop, args []Arg, b *Batch) ([]value, error) {
	vars := make([]value, len(args))
	for i, t := range l.Types {
		v := value{role: b.Variables[i].Role, reason: b.Variables[i].Reason, shape: b.Variables[i].Shape}
		switch {
		case t == tensor.Resource && v.role == Kept: // such as a TensorArray, whose handle has another shape
			v.ref = s.placeholder(s.single, t, shape.Shape{})
		case t == tensor.Resource:
			attrs := graph.Attrs{"dtype": args[i].Handle.Type, "shape": registry.ShapeAttr(args[i].Handle.Shape.Attr()), "shared_name": fmt.Sprint("argument ", i)}
			if args[i].Handle.Type == tensor.Invalid {
				return nil, reject("what the resource of variable %d holds is not known", i)
			}
			v.ref = s.single.Op("VarHandleOp", attrs)
			v.out = s.stacked.Op("VarHandleOp", attrs)
		case v.role == Row:
			dims := append([]int64{-1}, v.shape...)
			v.ref = s.placeholder(s.single, t, shape.Of(v.shape...))
			v.out = s.placeholder(s.stacked, t, shape.Of(dims...))
			if s.rows.Op == nil {
				s.rows = v.out
			}
		case v.role == Invariant && args[i].Value != nil:
			v.ref = s.single.Const(args[i].Value)
			v.out = s.stacked.Const(args[i].Value)
		case v.role == Kept && !b.Variables[i].Passed:
			v.ref = s.placeholder(s.single, t, shape.Shape{})
		default:
			v.ref = s.placeholder(s.single, t, args[i].Shape)
			v.out = s.placeholder(s.stacked, t, args[i].Shape)
		}
		vars[i] = v
	}
	return vars, s.err()
}

func (s *stacker) placeholder(b *graph.Builder, t tensor.DType, sh shape.Shape) graph.Output {
	return b.Op("Placeholder", graph.Attrs{"dtype": t, "shape": registry.ShapeAttr(sh.Attr())})
}

func (s *stacker) err() error {
	if s.failure != nil {
		return s.failure
	}
	for _, b := range []*graph.Builder{s.single, s.stacked} {
		if err := b.Err(); err != nil {
			return reject("%v", status.From(err).Message)
		}
	}
	return nil
}

// feeds returns what First and Next take: rows, then invariants.
func (s *stacker) feeds(b *Batch, vars []value) (list []graph.Output) {
	for _, i := range slices.Concat(b.Rows, b.Invariants) {
		list = append(list, vars[i].out)
	}
	return list
}

// own returns an output of its own for a value that may be an argument.
func (s *stacker) own(o graph.Output) graph.Output { return s.stacked.Apply("Identity", o) }

// alive returns which callers have another iteration.
func (s *stacker) alive(l *Loop, vars []value) (graph.Output, error) {
	results, err := s.function(l.cond, vars)
	if err != nil {
		return graph.Output{}, err
	}
	v := results[0]
	switch {
	case v.role == Kept:
		return graph.Output{}, reject("the condition depends on what is outside of the batch: %s", v.reason)
	case v.ref.DataType() != tensor.Bool:
		return graph.Output{}, reject("the condition is not a bool")
	case v.role == Invariant:
		var reason string
		if v, reason = s.spread(v, nil); reason != "" {
			return graph.Output{}, reject("the condition is the same for all callers, and %s", reason)
		}
	case len(v.shape) != 0:
		return graph.Output{}, reject("the condition is not a scalar")
	}
	return s.own(v.out), s.err()
}

// callers returns the number of callers, as a vector of one element.
func (s *stacker) callers() graph.Output {
	if s.count.Op == nil {
		one := s.stacked.Const([]int32{1})
		size := s.stacked.Apply("Shape", s.rows)
		s.count = s.stacked.Apply("Slice", size, s.stacked.Const([]int32{0}), one)
	}
	return s.count
}

// spread returns an invariant value as a row of a shape.
func (s *stacker) spread(v value, dims []int64) (value, string) {
	have := shapeOf(v.ref)
	if !have.Full() || !equal(have.Dims(), dims) {
		return v, fmt.Sprintf("its shape changes from %s to %v", tensor.FormatDims(dims), have)
	}
	to := s.callers()
	if len(dims) > 0 {
		inner := make([]int32, len(dims))
		for i, d := range dims {
			inner[i] = int32(d)
		}
		to = s.stacked.Op("ConcatV2", nil, graph.OutputList{to, s.stacked.Const(inner)}, s.stacked.Const(int32(0)))
	}
	v.role, v.shape = Row, dims
	v.out = s.stacked.Apply("BroadcastTo", v.out, to)
	return v, ""
}

// function adds a function, and returns what its results have become.
func (s *stacker) function(f *function, args []value) ([]value, error) {
	at := make(map[graph.Output]value, len(f.nodes))
	for i, a := range f.args {
		at[a] = args[i]
	}
	copies := map[*graph.Node]*graph.Node{}
	for _, n := range f.nodes {
		in := make([]value, n.NumInputs())
		refs := make([]graph.Output, len(in))
		for i, from := range n.Inputs() {
			in[i] = at[from]
			refs[i] = in[i].ref
		}
		if err := s.err(); err != nil {
			return nil, err
		}
		var controls []*graph.Node // that say in which branch it is
		for _, c := range n.Controls() {
			if len(f.gates[c]) > 0 && copies[c] != nil {
				controls = append(controls, copies[c])
			}
		}
		ref, err := s.copy(s.single, n, refs, controls...)
		if err != nil {
			return nil, reject("%v", err)
		}
		copies[n] = ref
		if n.NumOutputs() == 0 {
			continue
		}
		var outs []value
		switch gates := f.gates[n]; {
		case n.Class() == graph.ClassSwitch:
			outs = s.gated(ref, in)
		case n.Class() == graph.ClassMerge:
			j := f.joins[n]
			v := s.merge(ref, j, at[j.pred], in)
			if outs = []value{v, {role: Kept, reason: "which branch runs"}}; v.role == Kept {
				s.takes(in)
			}
		default:
			outs = s.node(ref, in, len(gates) > 0)
		}
		for i, v := range outs {
			v.ref = ref.Output(i)
			at[n.Output(i)] = v
		}
	}
	results := make([]value, len(f.results))
	for i, r := range f.results {
		results[i] = at[r]
	}
	return results, s.err()
}

// copy adds a node to one of the graphs.
func (s *stacker) copy(b *graph.Builder, n *graph.Node, in []graph.Output, controls ...*graph.Node) (*graph.Node, error) {
	return b.Graph().AddCopy(n, graph.CopySpec{Name: b.Graph().UniqueName(n.Name()), Inputs: in, Controls: controls})
}

// gated returns the outputs of a Switch: what comes in, in all branches.
func (s *stacker) gated(n *graph.Node, in []value) []value {
	v := in[0]
	if v.role == Kept || in[1].role == Kept {
		s.takes(in)
		v = value{role: Kept, reason: in[0].reason + in[1].reason}
	}
	outs := make([]value, n.NumOutputs())
	for i := range outs {
		outs[i] = v
	}
	return outs
}

// node returns what the outputs of n, a node of the single graph, become; inBranch says that it is
// in a branch of a conditional.
func (s *stacker) node(n *graph.Node, in []value, inBranch bool) []value {
	outs := make([]value, n.NumOutputs())
	all := func(v value) []value {
		for i := range outs {
			outs[i] = v
		}
		return outs
	}
	role := Invariant
	for _, v := range in {
		if role = max(role, v.role); v.role == Kept {
			s.takes(in)
			return all(value{role: Kept, reason: v.reason})
		}
	}
	inputs := make([]graph.Output, len(in))
	for i, v := range in {
		inputs[i] = v.out
	}
	if role == Invariant {
		c, err := s.copy(s.stacked, n, inputs)
		if err != nil {
			return all(value{role: Kept, reason: err.Error()})
		}
		for i := range outs {
			outs[i] = value{out: c.Output(i)}
		}
		return outs
	}
	keep := func(reason string) []value {
		if inBranch {
			s.fail("in a conditional, %s", reason)
		}
		s.takes(in)
		return all(value{role: Kept, reason: reason})
	}
	for i := range outs {
		sh := shapeOf(n.Output(i))
		if !sh.Full() || empty(sh) {
			return keep(fmt.Sprintf("the shape of %s (%s) is %v", n.Name(), n.Type(), sh))
		}
		if t := n.Output(i).DataType(); t == tensor.Variant || t == tensor.Resource || t == tensor.String {
			return keep(fmt.Sprintf("%s makes a %v", n.Type(), t))
		}
	}
	r := &application{stacker: s, n: n, in: in}
	fails := looksUp[n.Type()] || divides[n.Type()] && !floats(n.Output(0)) && !r.divisor()
	if inBranch && fails {
		s.fail("in a conditional, %s (%s) may fail for callers that take another branch", n.Name(), n.Type())
	}
	list, reason := r.apply()
	if err := s.stacked.Err(); err != nil {
		return keep(err.Error()) // which function reports
	}
	if reason != "" {
		return keep(fmt.Sprintf("%s (%s) %s", n.Name(), n.Type(), reason))
	}
	if fails {
		s.checks = append(s.checks, list[0])
	}
	for i, o := range list {
		if r.invariant {
			outs[i] = value{out: o}
			continue
		}
		dims := shapeOf(n.Output(i)).Dims()
		if !shape.Compatible(shapeOf(o), shape.Of(append([]int64{-1}, dims...)...)) {
			return keep(fmt.Sprintf("%s (%s) has the shape %v in the batch, and %s for one caller", n.Name(), n.Type(), shapeOf(o), tensor.FormatDims(dims)))
		}
		outs[i] = value{role: Row, out: o, shape: dims}
	}
	return outs
}

// takes notes what a kept node takes of the batch.
func (s *stacker) takes(in []value) {
	for _, v := range in {
		if v.role == Row {
			s.cut(v)
		}
	}
}

func (s *stacker) cut(v value) {
	if !s.cutAt[v.ref] {
		s.cutAt[v.ref] = true
		s.cuts = append(s.cuts, v)
	}
}

// shapeOf returns what is known of an output's shape.
func shapeOf(o graph.Output) shape.Shape { return o.Op.OutputShapes()[o.Index] }
