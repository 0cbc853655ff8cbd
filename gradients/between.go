package gradients

import "github.com/troupe-go/troupe/graph"

// A span is the part of a graph that lies between ys and xs: nodes by which a y
// depends on an x.
type span struct {
	// leads says of a node, by id, that it needs an x: what flows to its outputs is
	// to be handed on to inputs.
	leads []bool
	// pending is, by id, how many inputs within the span take outputs of a node and
	// are yet to be differentiated.
	pending []int32
	x, stop map[graph.Output]bool
}

// between finds the span in time linear in what the ys need.
func between(g *graph.Graph, ys, xs, stop []graph.Output) *span {
	n := g.NumNodes()
	s := &span{leads: make([]bool, n), pending: make([]int32, n), x: setOf(xs), stop: setOf(stop)}
	needed := make([]bool, n)
	var roots, list []*graph.Node
	for _, y := range ys {
		roots = append(roots, y.Op)
	}
	graph.DepthFirst(roots, dataInputs, func(n *graph.Node) {
		needed[n.ID()] = true
		list = append(list, n)
	}, nil)

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
			if !e.IsControl() && !s.stop[e.From] {
				reach(e.To.Op)
			}
		}
	}
	for _, n := range list {
		if s.leads[n.ID()] {
			for _, from := range n.Inputs() {
				if s.wants(from) {
					s.pending[from.Op.ID()]++
				}
			}
		}
	}
	return s
}

// wants says whether a gradient of p leads to an x.
func (s *span) wants(p graph.Output) bool {
	return s.x[p] || s.leads[p.Op.ID()] && !s.stop[p]
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
