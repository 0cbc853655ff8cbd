package lower

import (
	"context"

	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/status"
)

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
		"SymbolicGradient": (*lowering).symbolic,
		"While":            (*lowering).while, "StatelessWhile": (*lowering).while,
	}
}

// Functions lowers what a step needs of a graph: need is the nodes, closed under
// inputs and control inputs save for the outputs that are fed. Nodes that are
// not needed are left out. It takes time linear in the size of the graph, and
// fails soon after ctx has ended.
//
// A call of a function from within its own body stays a call, and so does one
// for whose body there is no room; see [budget].
//
// It fails with NOT_FOUND if there is no such function, with INVALID_ARGUMENT
// if a body or its types do not fit, and with RESOURCE_EXHAUSTED if branches and
// arguments multiply to a graph out of all proportion. The message names the node.
func Functions(ctx context.Context, g *graph.Graph, need []*graph.Node, feeds []graph.Output) (*Graph, error) {
	e, err := g.EditContext(ctx)
	if err != nil {
		return nil, err
	}
	l := &lowering{
		ctx:    ctx,
		watch:  status.NewWatch(ctx),
		g:      g,
		e:      copier{e},
		budget: budgetFor(need),
		plans:  map[*graph.Body]*plan{},
		frames: map[string]int{},
		outs:   map[*graph.Node][]graph.Output{},
		done:   map[*graph.Node]*graph.Node{},
	}
	e.Lax()
	r := &Graph{copies: e.Nodes(), outs: l.outs, done: l.done, fed: map[graph.Output]graph.Output{}}
	keep := make([]bool, len(r.copies), len(r.copies)+len(feeds))
	for _, n := range need {
		keep[n.ID()] = true
	}
	for _, f := range feeds {
		to, err := l.feed(graph.Output{Op: e.Copy(f.Op), Index: f.Index})
		if err != nil {
			return nil, err
		}
		for len(keep) <= to.Op.ID() {
			keep = append(keep, false)
		}
		keep[to.Op.ID()] = true
		r.fed[f], r.Feeds = to, append(r.Feeds, to)
	}
	var idle []*graph.Node
	for i, n := range e.Nodes() {
		switch {
		case !keep[i]:
			idle = append(idle, n)
		case Lowers(n):
			l.queue = append(l.queue, &task{node: n})
		case n.Class() == graph.ClassEnter:
			l.frames[n.FrameName()] = 0
		}
	}
	if err := e.ReplaceControls(l.done); err != nil { // who waits for a placeholder waits for its feed
		return nil, err
	}
	if err := e.Remove(idle...); err != nil {
		return nil, err
	}
	if err := l.run(); err != nil {
		return nil, err
	}
	for _, n := range l.effects {
		r.Effects = append(r.Effects, r.standIn(n))
	}
	r.Graph, err = e.Done()
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
