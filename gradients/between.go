package gradients

import (
	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/graph/gradient"
	"github.com/troupe-go/troupe/status"
)

// A span is the part of a graph that lies between ys and xs: nodes by which a y
// depends on an x.
type span struct {
	// leads says of a node, by id, that it needs an x: what flows to its outputs is
	// to be forwarded to inputs.
	leads   []bool
	x, stop map[graph.Output]bool
}

// between finds the span in time linear in what the ys need. What has no gradient,
// such as the condition of a loop, does not lead from an x to a y. It fails soon after
// the watch's context has ended.
func between(watch *status.Watch, g *graph.Graph, ys, xs, stop []graph.Output) (*span, error) {
	n := g.NumNodes()
	s := &span{leads: make([]bool, n), x: setOf(xs), stop: setOf(stop)}
	needed := make([]bool, n)
	var reached []*graph.Node
	need := func(n *graph.Node) {
		if !needed[n.ID()] {
			needed[n.ID()] = true
			reached = append(reached, n)
		}
	}
	for _, y := range ys {
		need(y.Op)
	}
	for len(reached) > 0 {
		if err := watch.Step(); err != nil {
			return nil, err
		}
		n := reached[len(reached)-1]
		reached = reached[:len(reached)-1]
		for _, from := range n.Inputs() {
			need(from.Op)
		}
	}

	// From the xs forward, to what is needed.
	reach := func(n *graph.Node) {
		if id := n.ID(); id < len(needed) && needed[id] && !s.leads[id] {
			s.leads[id] = true
			reached = append(reached, n)
		}
	}
	for _, x := range xs {
		for _, c := range x.Consumers() {
			reach(c.Op)
		}
	}
	for len(reached) > 0 {
		if err := watch.Step(); err != nil {
			return nil, err
		}
		n := reached[len(reached)-1]
		reached = reached[:len(reached)-1]
		for e := range n.Out() {
			if !e.IsControl() && !s.stop[e.From] && gradient.Differentiable(e.From.DataType()) {
				reach(e.To.Op)
			}
		}
	}
	return s, nil
}

// through reports whether a node forwards to its inputs what flows to its outputs.
func (s *span) through(n *graph.Node) bool { return n.ID() < len(s.leads) && s.leads[n.ID()] }

// wants reports whether a gradient of p leads to an x.
func (s *span) wants(p graph.Output) bool {
	return s.x[p] || s.through(p.Op) && !s.stop[p]
}

func setOf(list []graph.Output) map[graph.Output]bool {
	set := make(map[graph.Output]bool, len(list))
	for _, p := range list {
		set[p] = true
	}
	return set
}
