package gradients

import (
	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/graph/gradient"
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
// such as the condition of a loop, does not lead from an x to a y.
func between(g *graph.Graph, ys, xs, stop []graph.Output) *span {
	n := g.NumNodes()
	s := &span{leads: make([]bool, n), x: setOf(xs), stop: setOf(stop)}
	needed := make([]bool, n)
	var roots []*graph.Node
	for _, y := range ys {
		roots = append(roots, y.Op)
	}
	graph.DepthFirst(roots, dataInputs, func(n *graph.Node) { needed[n.ID()] = true }, nil)

	// From the xs forward, to what is needed.
	var reached []*graph.Node
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
		n := reached[len(reached)-1]
		reached = reached[:len(reached)-1]
		for e := range n.Out() {
			if !e.IsControl() && !s.stop[e.From] && gradient.Differentiable(e.From.DataType()) {
				reach(e.To.Op)
			}
		}
	}
	return s
}

// through reports whether a node forwards to its inputs what flows to its outputs.
func (s *span) through(n *graph.Node) bool { return n.ID() < len(s.leads) && s.leads[n.ID()] }

// wants reports whether a gradient of p leads to an x.
func (s *span) wants(p graph.Output) bool {
	return s.x[p] || s.through(p.Op) && !s.stop[p]
}

func dataInputs(n *graph.Node, yield func(*graph.Node)) {
	for _, from := range n.Inputs() {
		yield(from.Op)
	}
}

func setOf(list []graph.Output) map[graph.Output]bool {
	set := make(map[graph.Output]bool, len(list))
	for _, p := range list {
		set[p] = true
	}
	return set
}
