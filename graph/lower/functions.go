package lower

import (
	"github.com/troupe-go/troupe/graph"
)

// maxNodes bounds the nodes of the bodies that are laid out: a few functions that
// call one another twice stand for any number. What would pass it stays a call.
const maxNodes = 1 << 14

// A Graph is a lowered graph, and where to find in it what the original had.
type Graph struct {
	*graph.Graph
	// Feeds are the outputs to be fed, by the position of those of the original.
	Feeds []graph.Output
	// Effects are nodes that must run though no fetch may need them.
	Effects []*graph.Node

	copies []*graph.Node                  // by the ids of the original
	outs   map[*graph.Node][]graph.Output // of the copies that were lowered
	done   map[*graph.Node]*graph.Node
	fed    map[graph.Output]graph.Output
}

// Lowers says whether a node of this kind is one that Functions replaces.
func Lowers(n *graph.Node) bool { return n.Class() == graph.ClassCall || lowerers[n.Type()] != nil }

// Plays says whether Functions replaces nodes of an operation of that name.
func Plays(op string) bool { return lowerers[op] != nil }

var lowerers map[string]func(*lowering, *task) error

func init() {
	lowerers = map[string]func(*lowering, *task) error{
		"PartitionedCall": (*lowering).call, "StatefulPartitionedCall": (*lowering).call,
		"If": (*lowering).cond, "StatelessIf": (*lowering).cond,
		"Case": (*lowering).choice, "StatelessCase": (*lowering).choice,
		"While": (*lowering).while, "StatelessWhile": (*lowering).while,
	}
}

// Functions lowers what a step needs of a graph: need is the nodes, closed under
// inputs and control inputs save for the outputs that are fed. Nodes that are
// not needed are left out.
//
// A call of a function from within its own body stays a call, and so does one
// whose body would come to too many nodes.
//
// It fails with NOT_FOUND if there is no such function and with INVALID_ARGUMENT
// if a body or its types do not fit. The message names the node.
func Functions(g *graph.Graph, need []*graph.Node, feeds []graph.Output) (*Graph, error) {
	l := &lowering{
		g:     g,
		e:     g.Edit(),
		sizes: map[string]int{},
		outs:  map[*graph.Node][]graph.Output{},
		done:  map[*graph.Node]*graph.Node{},
	}
	l.e.Lax()
	r := &Graph{copies: l.e.Nodes(), outs: l.outs, done: l.done, fed: map[graph.Output]graph.Output{}}
	keep := make(map[*graph.Node]bool, len(need))
	for _, n := range need {
		keep[l.e.Copy(n)] = true
	}
	for _, f := range feeds {
		to, err := l.feed(graph.Output{Op: l.e.Copy(f.Op), Index: f.Index})
		if err != nil {
			return nil, err
		}
		keep[to.Op] = true
		r.fed[f], r.Feeds = to, append(r.Feeds, to)
	}
	var idle []*graph.Node
	for _, n := range l.e.Nodes() {
		switch {
		case !keep[n]:
			idle = append(idle, n)
		case Lowers(n):
			l.queue = append(l.queue, &task{node: n})
		}
	}
	if err := l.e.Remove(idle...); err != nil {
		return nil, err
	}
	for len(l.queue) > 0 {
		t := l.queue[0]
		l.queue = l.queue[1:]
		if err := l.lower(t); err != nil {
			return nil, at(err, t.node)
		}
	}
	for _, n := range l.effects {
		r.Effects = append(r.Effects, r.standIn(n))
	}
	var err error
	r.Graph, err = l.e.Done()
	return r, err
}

// Output is where output o of the original is now.
func (g *Graph) Output(o graph.Output) graph.Output {
	if to, ok := g.fed[o]; ok {
		return to
	}
	c := g.copies[o.Op.ID()]
	if outs, ok := g.outs[c]; ok {
		return outs[o.Index]
	}
	return graph.Output{Op: c, Index: o.Index}
}

// Node is the node that has run when node n of the original would have.
func (g *Graph) Node(n *graph.Node) *graph.Node {
	return g.standIn(g.copies[n.ID()])
}

// standIn is what has run when a node of the copy, which may be lowered, would have.
func (g *Graph) standIn(n *graph.Node) *graph.Node {
	if done, ok := g.done[n]; ok {
		return done
	}
	return n
}
