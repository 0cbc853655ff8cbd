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

	watch  *status.Watch
	copies []*graph.Node                  // by the ids of the original
	outs   map[*graph.Node][]graph.Output // of the copies that were lowered
	done   map[*graph.Node]*graph.Node
	fed    map[graph.Output]graph.Output
	loose  map[*graph.Node][]*graph.Node
	parted map[*graph.Node][]*graph.Node
}

// Lowers reports whether a node of this kind is one that Functions replaces.
func Lowers(n *graph.Node) bool { return n.Class() == graph.ClassCall || lowerers[n.Type()] != nil }

// Plays reports whether Functions replaces nodes of an operation of that name.
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
	return functions(ctx, g, need, feeds, nil, nil)
}

// Body is Functions for the body of a function, which runs entirely or as [Effects] has
// it.
func Body(ctx context.Context, g *graph.Graph, need []*graph.Node, feeds []graph.Output, entirely bool) (*Graph, error) {
	return functions(ctx, g, need, feeds, &origin{entire: entirely, called: !entirely}, nil)
}

// BodyKeeping is Body, as Effects has it, but for nodes that stay.
func BodyKeeping(ctx context.Context, g *graph.Graph, need []*graph.Node, feeds []graph.Output, stays func(*graph.Node) bool) (*Graph, error) {
	return functions(ctx, g, need, feeds, &origin{called: true}, stays)
}

func functions(ctx context.Context, g *graph.Graph, need []*graph.Node, feeds []graph.Output, in *origin, stays func(*graph.Node) bool) (*Graph, error) {
	e, err := g.EditContext(ctx)
	if err != nil {
		return nil, err
	}
	l := &lowering{
		ctx:    ctx,
		watch:  status.NewWatch(ctx),
		stays:  stays,
		g:      g,
		e:      copier{e},
		budget: budgetFor(need, g.LibraryBytes()),
		plans:  map[planned]*bodyPlan{},
		frames: map[string]int{},
		outs:   map[*graph.Node][]graph.Output{},
		done:   map[*graph.Node]*graph.Node{},
		loose:  map[*graph.Node][]*graph.Node{},
		parted: map[*graph.Node][]*graph.Node{},
	}
	e.Lax()
	r := &Graph{
		watch: l.watch, copies: e.Nodes(), outs: l.outs, done: l.done, fed: map[graph.Output]graph.Output{},
		loose: l.loose, parted: l.parted,
	}
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
		case Lowers(n) && (stays == nil || !stays(n)):
			l.queue = append(l.queue, &task{node: n, in: in})
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
	r.Graph, err = e.Done()
	return r, err
}

// Output returns where output o of the original is now.
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

// Targets returns the nodes that must run, fetches aside, for a step that fetches and runs
// those of the original. Of a node that runs in parts, a step that fetches an output or
// runs it wants all: only consumers of single outputs leave others out.
func (g *Graph) Targets(fetches []graph.Output, targets []*graph.Node) ([]*graph.Node, error) {
	var list, roots []*graph.Node
	for _, t := range targets {
		n := g.copies[t.ID()]
		list = append(append(list, g.standIn(n)), g.parted[n]...)
	}
	for _, f := range fetches {
		if _, fed := g.fed[f]; !fed {
			list = append(list, g.parted[g.copies[f.Op.ID()]]...)
			roots = append(roots, g.Output(f).Op)
		}
	}
	loose, err := g.loosely(append(roots, list...))
	return append(list, loose...), err
}

// loosely returns the side effects of lowered nodes that roots need, of those which no edge
// leads to.
func (g *Graph) loosely(roots []*graph.Node) ([]*graph.Node, error) {
	if len(g.loose) == 0 {
		return nil, nil
	}
	by := map[*graph.Node][]*graph.Node{} // by what is reached of the lowered node
	for n, effects := range g.loose {
		by[g.done[n]] = append(by[g.done[n]], effects...)
		for _, o := range g.outs[n] {
			by[o.Op] = append(by[o.Op], effects...)
		}
	}
	var list []*graph.Node
	seen := make([]bool, g.NumNodes())
	stack := roots
	see := func(n *graph.Node) {
		if !seen[n.ID()] {
			seen[n.ID()] = true
			stack = append(stack, n)
		}
	}
	for len(stack) > 0 {
		n := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if err := g.watch.Step(); err != nil {
			return nil, err
		}
		for _, effect := range by[n] {
			effect = g.standIn(effect)
			if !seen[effect.ID()] {
				list = append(list, effect)
			}
			see(effect)
		}
		graph.InputNodes(n, see)
	}
	return list, nil
}

// standIn returns what has run when a node of the copy, which may be lowered, would have.
func (g *Graph) standIn(n *graph.Node) *graph.Node {
	if done, ok := g.done[n]; ok {
		return done
	}
	return n
}
