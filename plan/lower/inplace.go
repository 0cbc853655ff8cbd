package lower

import (
	"context"

	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/status"
)

// InPlace lowers nodes of a graph where they are: their bodies become nodes of the
// graph, and they themselves hand on the results, as [graph.Graph.ReplaceOutputs] has it.
// Calls that keep says true of stay calls, also those in bodies, and so do calls of
// functions within themselves. It fails as [Functions] does; what it had added by
// then stays, and nothing needs it.
func InPlace(ctx context.Context, g *graph.Graph, nodes []*graph.Node, keep func(*graph.Node) bool) error {
	parted := map[*graph.Node][]*graph.Node{}
	l := &lowering{
		ctx:    ctx,
		watch:  status.NewWatch(ctx),
		g:      g,
		e:      inPlace{g, map[*graph.Node][]graph.Output{}, parted},
		budget: budgetFor(g.Nodes(), g.LibraryBytes()),
		stays:  keep,
		plans:  map[planned]*bodyPlan{},
		frames: map[string]int{},
		outs:   map[*graph.Node][]graph.Output{},
		done:   map[*graph.Node]*graph.Node{},
		loose:  map[*graph.Node][]*graph.Node{},
		parted: parted,
	}
	for _, n := range g.Nodes() {
		if n.Class() == graph.ClassEnter {
			l.frames[n.FrameName()] = 0
		}
	}
	for _, n := range nodes {
		l.queue = append(l.queue, &task{node: n})
	}
	return l.run()
}

// inPlace changes a graph itself.
type inPlace struct {
	*graph.Graph
	outs   map[*graph.Node][]graph.Output
	parted map[*graph.Node][]*graph.Node // the lowering's
}

func (e inPlace) Add(spec graph.OpSpec) (*graph.Node, error) { return e.AddOperation(spec) }

func (e inPlace) SetInput(n *graph.Node, i int, from graph.Output) error {
	return e.SetBackEdge(n, i, from)
}

func (e inPlace) RedirectAll(n *graph.Node, to []graph.Output) error {
	e.outs[n] = to
	return nil
}

func (e inPlace) Redirect(_, _ graph.Output) error {
	return status.Errorf(status.Internal, "nothing is fed to a graph that is lowered in place")
}

// Replace makes nodes hand on what they have become.
func (e inPlace) Replace(nodes []*graph.Node, by map[*graph.Node]*graph.Node) error {
	var list []graph.Replacement
	for _, n := range nodes {
		list = append(list, graph.Replacement{Node: n, Outputs: e.outs[n], After: by[n], Direct: e.parted[n] != nil})
	}
	return e.ReplaceOutputs(list...)
}

// A copier changes a copy.
type copier struct{ *graph.Editor }

// Replace removes nodes; who waits for one waits for what has taken its place.
func (e copier) Replace(nodes []*graph.Node, by map[*graph.Node]*graph.Node) error {
	if err := e.ReplaceControls(by); err != nil {
		return err
	}
	return e.Remove(nodes...)
}
