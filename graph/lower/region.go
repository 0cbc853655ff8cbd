package lower

import "github.com/troupe-go/troupe/graph"

// A region is a part of the graph that runs as a whole or not at all: the body
// of a function, of a branch, of an iteration.
type region struct {
	name   string // of the node it comes from, to begin its nodes' names with
	device string // of nodes that ask for none
	args   []graph.Output
	// pivot runs, alive, if and only if the region does; what waits for nothing
	// else waits for it.
	pivot *graph.Node
}

// enter is the region of a node's inputs, of which none is there before all are.
func (l *lowering) enter(n *graph.Node) region {
	r := region{name: n.Name(), device: n.Device()}
	var ids []*graph.Node
	for _, in := range n.Inputs() {
		id := l.one("Identity", r.name+"/input", r.device, nil, n.Controls(), in)
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

// A played is what a body has become.
type played struct {
	results []graph.Output
	effects []*graph.Node // what is done when the body is, beside its results
}

// after is output i once the body is done.
func (l *lowering) after(p played, i int, r region) graph.Output {
	return l.one("Identity", r.name+"/output", r.device, nil, p.effects, p.results[i])
}
