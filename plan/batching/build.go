package batching

import (
	"fmt"

	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/shape"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

// An Arg is what is known of a loop variable before the loop.
type Arg struct {
	// Shape is the shape of its first value.
	Shape shape.Shape
	// Invariant says that all callers bring the same value.
	Invariant bool
	// Value is that value, where it is to be a constant of the programs; else nil.
	Value *tensor.Tensor
	// Handle is what is behind it, if it is a resource.
	Handle shape.HandleData
}

// A Program is a graph, and what a run of it takes and returns.
type Program struct {
	Graph          *graph.Graph
	Feeds, Fetches []graph.Output
}

// A Variable is a loop variable in a [Batch].
type Variable struct {
	Role Role
	// Passed: the body does not change it.
	Passed bool
	// Shape is that of one caller's value, of a Row.
	Shape []int64
	// Reason is why it is Kept.
	Reason string
}

// A Cut is a value that Kept takes of each iteration.
type Cut struct {
	Type  tensor.DType
	Shape []int64
}

// A Batch is the programs of a loop for arguments of given shapes.
type Batch struct {
	Variables []Variable
	Products  int // products of rows and invariants in Next
	// The positions of variables: of Rows, in the order in which Next and First take them; of
	// those that Next returns; of the Invariants, but for those with a Value, which are constants;
	// and of the Kept ones that Kept returns.
	Rows, Changing, Invariants, Held []int
	// Cuts are what Kept takes of each iteration.
	Cuts []Cut
	// Checked is how many results of Kept, behind the variables, say whether it is valid: where one
	// is false the loop has to be run as it is.
	Checked                  int
	First, Next, Kept, Whole Program
}

// Build makes the programs for arguments of these shapes. A dimension that is not known counts as
// 1, so that the result says only whether the loop can be batched; see [Arg]. It fails with
// UNIMPLEMENTED and the reason where it cannot.
func (l *Loop) Build(args []Arg) (*Batch, error) {
	kept := make([]string, len(l.Types)) // reasons
	for i, t := range l.Types {
		if args[i].Invariant && l.passes(i) {
			continue
		}
		switch s := args[i].Shape; {
		case t == tensor.Variant:
			kept[i] = "a variant"
		case t == tensor.Resource && !l.passes(i):
			return nil, reject("loop variable %d is a resource that may differ between callers", i)
		case t == tensor.Resource:
			kept[i] = "a resource that may differ between callers"
		case t == tensor.String:
			kept[i] = "strings"
		case !s.Known():
			kept[i] = "its rank is not known"
		case empty(s):
			kept[i] = "it has no elements"
		}
	}
	for { // until no further variable turns out to be kept
		b, more, err := l.build(args, kept)
		if err != nil || !more {
			return b, err
		}
	}
}

func empty(s shape.Shape) bool {
	for _, d := range s.Dims() {
		if d == 0 {
			return true
		}
	}
	return false
}

// build is Build with variables that are kept; more reports that it has added to them.
func (l *Loop) build(args []Arg, kept []string) (b *Batch, more bool, err error) {
	b = &Batch{Variables: make([]Variable, len(args))}
	for i := range args {
		v := &b.Variables[i]
		v.Passed = l.passes(i)
		switch {
		case args[i].Invariant && v.Passed:
			if args[i].Value == nil {
				b.Invariants = append(b.Invariants, i)
			}
		case kept[i] != "":
			v.Role, v.Reason = Kept, kept[i]
			if !v.Passed {
				b.Held = append(b.Held, i)
			}
		default:
			v.Role = Row
			v.Shape = known(args[i].Shape)
			b.Rows = append(b.Rows, i)
			if !v.Passed {
				b.Changing = append(b.Changing, i)
			}
		}
	}
	if len(b.Changing) == 0 {
		return nil, false, reject("no variable of it can be a row of a batch%s", reasons(kept))
	}

	first := newStacker()
	vars, err := first.args(l, args, b)
	if err != nil {
		return nil, false, err
	}
	b.First.Graph, b.First.Feeds = first.stacked.Graph(), first.feeds(b, vars)
	alive, err := first.alive(l, vars)
	if err != nil {
		return nil, false, err
	}
	b.First.Fetches = []graph.Output{alive}

	s := newStacker()
	if vars, err = s.args(l, args, b); err != nil {
		return nil, false, err
	}
	b.Next.Graph, b.Next.Feeds = s.stacked.Graph(), s.feeds(b, vars)
	next, err := s.function(l.body, vars)
	if err != nil {
		return nil, false, err
	}
	for _, i := range b.Changing {
		v := next[i]
		switch {
		case v.role == Kept:
			kept[i], more = v.reason, true
		case v.role == Row && !equal(v.shape, b.Variables[i].Shape):
			kept[i], more = fmt.Sprintf("its shape changes from %s to %s", tensor.FormatDims(b.Variables[i].Shape), tensor.FormatDims(v.shape)), true
		case v.role == Invariant:
			w, reason := s.spread(v, b.Variables[i].Shape)
			if reason != "" {
				kept[i], more = reason, true
			}
			next[i] = w
		}
	}
	if more {
		return nil, true, nil
	}
	for _, i := range b.Changing {
		b.Next.Fetches = append(b.Next.Fetches, s.own(next[i].out))
	}
	if alive, err = s.alive(l, next); err != nil {
		return nil, false, err
	}
	b.Next.Fetches = append(b.Next.Fetches, alive)
	if b.Products = s.products; b.Products == 0 {
		return nil, false, reject("no product of a row and an invariant%s", reasons(kept))
	}

	once := &function{args: s.refs(vars, b.Held)} // what an iteration does to the held variables
	for _, i := range b.Held {
		once.results = append(once.results, next[i].ref)
		if next[i].role == Row {
			s.cut(next[i])
		}
	}
	for _, c := range s.cuts {
		once.args = append(once.args, c.ref)
		b.Next.Fetches = append(b.Next.Fetches, s.own(c.out))
		b.Cuts = append(b.Cuts, Cut{c.ref.DataType(), c.shape})
	}
	s.unread(&b.Next)
	once.args = append(once.args, s.refs(vars, b.Invariants)...)
	for i := range b.Variables { // which may be read by what is kept
		if v := &b.Variables[i]; v.Role == Kept && v.Passed {
			once.args = append(once.args, vars[i].ref)
		}
	}
	for _, b := range []*graph.Builder{first.stacked, first.single, s.stacked, s.single} {
		if err := b.Err(); err != nil {
			return nil, false, reject("%v", status.From(err).Message)
		}
	}
	if len(b.Held) > 0 {
		if b.Kept, err = l.kept(b, args, once); err != nil {
			return nil, false, err
		}
	}
	b.Whole, err = l.Whole(args)
	return b, false, err
}

// unread adds to what a program returns that may fail though nothing needs it, as a function's
// argument that the function does not use.
func (s *stacker) unread(p *Program) {
	var roots []*graph.Node
	for _, o := range p.Fetches {
		if o.Op != nil {
			roots = append(roots, o.Op)
		}
	}
	read := map[*graph.Node]bool{}
	graph.DepthFirst(roots, func(n *graph.Node, yield func(*graph.Node)) {
		for _, in := range n.Inputs() {
			yield(in.Op)
		}
	}, nil, func(n *graph.Node) { read[n] = true })
	for _, o := range s.checks {
		if o.Op != nil && !read[o.Op] {
			p.Fetches = append(p.Fetches, o)
		}
	}
}

// refs returns variables as one caller has them.
func (s *stacker) refs(vars []value, at []int) (list []graph.Output) {
	for _, i := range at {
		list = append(list, vars[i].ref)
	}
	return list
}

// passes reports whether the body passes variable i on as it is.
func (l *Loop) passes(i int) bool { return through(l.body.results[i]) == l.body.args[i] }

// through follows Identities back.
func through(o graph.Output) graph.Output {
	for o.Op.Class() == graph.ClassIdentity {
		o = o.Op.Inputs()[0]
	}
	return o
}

// known returns the dimensions, 1 for each that is not known.
func known(s shape.Shape) []int64 {
	dims := make([]int64, s.Rank())
	for i := range dims {
		if dims[i] = s.Dim(i); dims[i] < 0 {
			dims[i] = 1
		}
	}
	return dims
}

func equal(a, b []int64) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return true
}

// reasons lists why variables are kept.
func reasons(kept []string) string {
	text := ""
	for i, r := range kept {
		if r != "" {
			text += fmt.Sprintf("; variable %d is kept: %s", i, r)
		}
	}
	return text
}
