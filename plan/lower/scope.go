package lower

import (
	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/graph/region"
)

// A scope is what the body of a function is played in: a part of the graph that
// runs as a whole or not at all.
type scope struct {
	name   string // of the node it comes from, to begin its nodes' names with
	device string // of nodes that ask for none
	args   []graph.Output
	// pivot runs, alive, if and only if the region does; what waits for nothing
	// else waits for it.
	pivot *graph.Node
}

// enter returns the scope of a node's inputs, of which none is there before all are.
func (l *lowering) enter(n *graph.Node) scope {
	r := scope{name: shorten(n.Name(), maxScope), device: n.Device()}
	var ids, controls []*graph.Node
	if n.NumInputs() == 1 { // else all wait below
		controls = n.Controls()
	}
	for _, in := range n.Inputs() {
		id := l.one("Identity", r.name+"/input", r.device, nil, controls, in)
		ids = append(ids, id.Op)
		r.args = append(r.args, id)
	}
	if l.err != nil {
		return r
	}
	if len(ids) == 1 {
		r.pivot = ids[0]
		return r
	}
	r.pivot = l.wait(r.name+"/begin", r.device, append(ids, n.Controls()...)...)
	for i, id := range r.args {
		r.args[i] = l.one("Identity", r.name+"/arg", r.device, nil, []*graph.Node{r.pivot}, id)
	}
	return r
}

// enterChoice returns the scope of a conditional. One that runs in parts begins when it is
// known which branch runs: arguments are waited for where they are used.
func (l *lowering) enterChoice(n *graph.Node, how manner) scope {
	if how != parted {
		return l.enter(n)
	}
	return l.enterParts(n, 1)
}

// enterLoop returns the scope of a loop. In one that runs in parts each variable begins by
// itself, and the scope has no pivot.
func (l *lowering) enterLoop(n *graph.Node, how manner) scope {
	if how != parted {
		return l.enter(n)
	}
	return l.enterParts(n, n.NumInputs())
}

// enterParts returns a scope of inputs that do not wait for one another, of which the first
// few wait for what the node does.
func (l *lowering) enterParts(n *graph.Node, wait int) scope {
	r := scope{name: shorten(n.Name(), maxScope), device: n.Device()}
	for i, in := range n.Inputs() {
		var controls []*graph.Node
		if i < wait {
			controls = n.Controls()
		}
		r.args = append(r.args, l.one("Identity", r.name+"/input", r.device, nil, controls, in))
	}
	return r
}

// A played is what a body has become.
type played struct {
	results []graph.Output
	effects []*graph.Node // what is done when the body is, beside its results
}

// after returns the results once the body is done.
func (l *lowering) after(p played, r scope) []graph.Output {
	effects := p.effects
	if len(effects) > 1 && len(p.results) > 1 { // so that edges do not multiply
		effects = []*graph.Node{l.wait(r.name+"/effects", r.device, effects...)}
	}
	outs := make([]graph.Output, len(p.results))
	for i, res := range p.results {
		outs[i] = l.one("Identity", r.name+"/output", r.device, nil, effects, res)
	}
	return outs
}

// A writer adds the nodes of the loop or the conditional that a node becomes.
type writer struct {
	l      *lowering
	name   string // of the node
	inner  string // what the nodes of a body or branch are named under
	device string
}

// region returns the root of what becomes of the node that r is the scope of.
func (l *lowering) region(r scope, inner string) *region.Region {
	return region.Root(writer{l, r.name, inner, r.device})
}

func (w writer) Write(role region.Role, spec graph.OpSpec) (*graph.Node, error) {
	spec.Name, spec.Device = w.name+"/"+string(role), w.device
	if role == region.Arg {
		spec.Name = w.inner + "/" + string(role)
	}
	n := w.l.add(spec)
	return n, w.l.err
}

func (w writer) Close(merge *graph.Node, from graph.Output) error {
	return w.l.e.SetInput(merge, 1, from)
}
