package lower

import (
	"context"

	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

// A lowering is the work of [Functions].
type lowering struct {
	ctx     context.Context
	watch   *status.Watch
	g       *graph.Graph // the original
	e       editor
	stays   func(*graph.Node) bool // calls that are not to be lowered; nil: none
	budget  budget
	queue   []*task
	lowered []*graph.Node                 // to be removed: until the end others may wait for them
	loose   map[*graph.Node][]*graph.Node // effects that no edge leads to, by the lowered node that has them
	parted  map[*graph.Node][]*graph.Node // of nodes that run in parts: all parts
	outs    map[*graph.Node][]graph.Output
	done    map[*graph.Node]*graph.Node
	plans   map[planned]*bodyPlan
	frames  map[string]int // names of frames, and how far the search for a unique one got
	now     *task
	err     error // the first failure to add a node
}

// An editor is what a graph is changed by.
type editor interface {
	UniqueName(name string) string
	Add(spec graph.OpSpec) (*graph.Node, error)
	AddCopy(n *graph.Node, spec graph.CopySpec) (*graph.Node, error)
	SetInput(n *graph.Node, i int, from graph.Output) error
	Redirect(from, to graph.Output) error
	RedirectAll(n *graph.Node, to []graph.Output) error
	// Replace ends the work: what nodes have become takes their place, and by says
	// what has run when they would have.
	Replace(nodes []*graph.Node, by map[*graph.Node]*graph.Node) error
}

// A task is a node to be lowered, and the body that it came from.
type task struct {
	node *graph.Node
	in   *origin // nil: it is a node of the graph
}

// An origin is a body that has been laid out, and the one that it was called in.
type origin struct {
	function string
	in       *origin
	entire   bool // it runs entirely
	called   bool // it is what a call does, or a part of that
}

// maxRing is how many calls of functions may be within one another for the
// innermost to be known as one of a function within itself. Longer rings go round
// until the budget is used up.
const maxRing = 256

// within reports whether o is of that function or was called from within it.
func (o *origin) within(function string) bool {
	for k := 0; o != nil && k < maxRing; k++ {
		if o.function == function {
			return true
		}
		o = o.in
	}
	return false
}

// run lowers what is queued, and what that brings.
func (l *lowering) run() error {
	for len(l.queue) > 0 {
		t := l.queue[0]
		l.queue = l.queue[1:]
		l.now = t
		if err := l.lower(t); err != nil {
			return at(err, t.node)
		}
	}
	by := make(map[*graph.Node]*graph.Node, len(l.lowered))
	for _, n := range l.lowered {
		by[n] = l.done[n]
	}
	return l.e.Replace(l.lowered, by)
}

func (l *lowering) lower(t *task) error {
	f := lowerers[t.node.Type()]
	if f == nil {
		f = (*lowering).call
	}
	if err := f(l, t); err != nil {
		return err
	}
	return l.err
}

// feed makes what takes an output take a placeholder, which it answers. An
// output that is a placeholder stays.
func (l *lowering) feed(from graph.Output) (graph.Output, error) {
	if from.Op.Class() == graph.ClassPlaceholder && from.Op.NumInputs() == 0 {
		return from, nil
	}
	l.now = &task{node: from.Op}
	p := l.add(graph.OpSpec{Type: "Placeholder", Name: "feed", Attrs: graph.Attrs{"dtype": from.DataType().Base()}})
	if l.err != nil {
		return graph.Output{}, l.err
	}
	if from.Op.Class() == graph.ClassPlaceholder {
		l.done[from.Op] = p
	}
	return p.Output(0), l.e.Redirect(from, p.Output(0))
}

// add adds a node under a name made unique. Once one could not be added it
// answers any node.
func (l *lowering) add(spec graph.OpSpec) *graph.Node {
	if l.err == nil {
		l.err = l.count()
	}
	if l.err != nil {
		return l.now.node
	}
	spec.Name = l.e.UniqueName(spec.Name)
	n, err := l.e.Add(spec)
	if err != nil {
		l.err = err
		return l.now.node
	}
	return n
}

// count counts a node that is going to be added.
func (l *lowering) count() error {
	if err := l.watch.Steps(8); err != nil {
		return err
	}
	return l.budget.add()
}

// one adds a node of one output that matters.
func (l *lowering) one(op, name, device string, attrs graph.Attrs, controls []*graph.Node, inputs ...graph.Input) graph.Output {
	n := l.add(graph.OpSpec{Type: op, Name: name, Input: inputs, Attrs: attrs, ControlDependencies: controls, Device: device})
	return n.Output(0)
}

// wait adds a node that has run when others have.
func (l *lowering) wait(name, device string, on ...*graph.Node) *graph.Node {
	return l.add(graph.OpSpec{Type: "NoOp", Name: name, ControlDependencies: on, Device: device})
}

// finish puts outputs in place of a node's own, and what is done when they
// and last are in place of the node.
func (l *lowering) finish(n *graph.Node, r scope, outs []graph.Output, last ...*graph.Node) error {
	for _, o := range outs {
		last = append(last, o.Op)
	}
	done := l.wait(r.name+"/end", r.device, last...)
	if l.err != nil {
		return l.err
	}
	l.outs[n], l.done[n] = outs, done
	l.lowered = append(l.lowered, n)
	return l.e.RedirectAll(n, outs)
}

// finishParts is finish for a node that runs in parts: consumers that wait for the
// node wait for end alone. The node is all of its outputs, and last.
func (l *lowering) finishParts(n *graph.Node, outs []graph.Output, end *graph.Node, last ...*graph.Node) error {
	if l.err != nil {
		return l.err
	}
	l.outs[n], l.done[n] = outs, end
	l.lowered = append(l.lowered, n)
	for _, o := range outs {
		last = append(last, o.Op)
	}
	l.parted[n] = last
	return l.e.RedirectAll(n, outs)
}

// manner returns how the branches of a conditional or the body of a loop run. TensorFlow
// marks those that it lays out, and lays out none in a body that runs entirely.
func (l *lowering) manner(t *task) manner {
	v := t.node.Attrs().Find("_lower_using_switch_merge")
	if v != nil && v.B && (t.in == nil || !t.in.entire) {
		return parted
	}
	return entire
}

// holds returns a condition as a scalar that is true or false.
func (l *lowering) holds(v graph.Output, r scope) graph.Output {
	if v.DataType() == tensor.Bool && v.Shape().NumDimensions() == 0 {
		return v
	}
	return l.one("ToBool", r.name+"/holds", r.device, nil, nil, v)
}

// function returns an attribute of a node that names a function.
func function(n *graph.Node, attr string) *registry.Func { return n.Attrs().Find(attr).Func }

// at reports which node an error is about, unless it is that the context has ended.
func at(err error, n *graph.Node) error {
	e := *status.From(err)
	if e.Node == "" && e.Code != status.Canceled && e.Code != status.DeadlineExceeded {
		e.Node, e.Op = n.Name(), n.Type()
	}
	return &e
}
