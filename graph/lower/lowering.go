package lower

import (
	"slices"

	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

// A lowering is the work of [Functions].
type lowering struct {
	g       *graph.Graph // the original
	e       *graph.Editor
	queue   []*task
	effects []*graph.Node
	outs    map[*graph.Node][]graph.Output
	done    map[*graph.Node]*graph.Node
	added   int
	sizes   map[string]int // of functions, by name and attributes
	err     error          // the first failure to add a node
}

// A task is a node to be lowered, and the functions whose bodies it came from.
type task struct {
	node   *graph.Node
	within []string
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
	p := l.add(graph.OpSpec{Type: "Placeholder", Name: "feed", Attrs: graph.Attrs{"dtype": from.DataType().Base()}})
	if l.err != nil {
		return graph.Output{}, l.err
	}
	if from.Op.Class() == graph.ClassPlaceholder { // who waits for it waits for the feed
		l.relieve(from.Op, p)
	}
	return p.Output(0), l.e.Redirect(from, p.Output(0))
}

// add adds a node under a name made unique. Once one could not be added it
// answers any node.
func (l *lowering) add(spec graph.OpSpec) *graph.Node {
	if l.err != nil {
		return nil
	}
	spec.Name = l.e.UniqueName(spec.Name)
	n, err := l.e.Add(spec)
	l.err = err
	return n
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

// finish puts outputs in the place of a node's own, and what is done when they
// and last are in the place of the node.
func (l *lowering) finish(n *graph.Node, outs []graph.Output, last ...*graph.Node) error {
	for _, o := range outs {
		last = append(last, o.Op)
	}
	done := l.wait(n.Name()+"/end", n.Device(), last...)
	if l.err != nil {
		return l.err
	}
	for i, o := range outs {
		if err := l.e.Redirect(n.Output(i), o); err != nil {
			return err
		}
	}
	l.relieve(n, done)
	l.outs[n], l.done[n] = outs, done
	return l.e.Remove(n)
}

// relieve makes who waits for a node wait for another one.
func (l *lowering) relieve(n, by *graph.Node) {
	for _, e := range slices.Collect(n.Out()) {
		if e.IsControl() {
			l.check(l.e.RemoveControl(e.To.Op, n))
			l.check(l.e.AddControl(e.To.Op, by))
		}
	}
}

func (l *lowering) check(err error) {
	if l.err == nil {
		l.err = err
	}
}

// holds is a condition as a scalar that is true or false.
func (l *lowering) holds(v graph.Output, r scope) graph.Output {
	if v.DataType() == tensor.Bool && v.Shape().NumDimensions() == 0 {
		return v
	}
	return l.one("ToBool", r.name+"/holds", r.device, nil, nil, v)
}

// function is an attribute of a node that names a function.
func function(n *graph.Node, attr string) *registry.Func { return n.Attrs().Find(attr).Func }

// at says which node an error is about.
func at(err error, n *graph.Node) error {
	e := *status.From(err)
	if e.Node == "" {
		e.Node, e.Op = n.Name(), n.Type()
	}
	return &e
}
