package graph

import (
	"slices"

	"github.com/troupe-go/troupe/sorted"
	"github.com/troupe-go/troupe/status"
)

// Subgraph returns the nodes that a step needs: those that fetches and targets can
// be reached from, but nothing that only feeds replace. A node all of whose
// wanted outputs are fed is left out, unless it is a target or a control edge
// needs it. They come by id, so inputs before consumers.
//
// It fails with INVALID_ARGUMENT if a feed, fetch or target does not belong to
// the graph, does not exist, or is fed twice.
func (g *Graph) Subgraph(feeds, fetches []Output, targets []*Node) ([]*Node, error) {
	fed := make(map[Output]bool, len(feeds))
	for _, p := range feeds {
		if err := g.owns("feed", p); err != nil {
			return nil, err
		}
		if fed[p.Canonical()] {
			return nil, status.Invalid("%v is fed twice", p)
		}
		fed[p.Canonical()] = true
	}
	needed := map[*Node]bool{}
	var stack, nodes []*Node
	need := func(n *Node) {
		if !needed[n] {
			needed[n] = true
			stack = append(stack, n)
		}
	}
	for _, p := range fetches {
		if err := g.owns("fetch", p); err != nil {
			return nil, err
		}
		if !fed[p.Canonical()] {
			need(p.Op.self)
		}
	}
	for _, n := range targets {
		if n == nil || n.graph != g {
			return nil, status.Invalid("a target is not a node of this graph")
		}
		need(n.self)
	}
	for len(stack) > 0 {
		n := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		nodes = append(nodes, n)
		for _, from := range n.inputs {
			if !fed[from] {
				need(from.Op)
			}
		}
		for _, c := range n.controls {
			need(c)
		}
	}
	return sortedNodes(nodes), nil
}

func (g *Graph) owns(what string, p Output) error {
	switch {
	case p.Op == nil || p.Op.graph != g:
		return status.Invalid("the %s %v is not an output of a node of this graph", what, p)
	case !p.Exists():
		return status.Invalid("the %s %v does not exist: node '%s' has %s", what, p, p.Op.name, status.Count(p.Op.NumOutputs(), "output"))
	}
	return nil
}

// sortedNodes sorts nodes by id, without repetitions.
func sortedNodes(nodes []*Node) []*Node {
	for i, n := range nodes {
		nodes[i] = n.self
	}
	sorted.By(nodes, func(a, b *Node) int { return a.id - b.id })
	return slices.Compact(nodes)
}
