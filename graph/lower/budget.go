package lower

import (
	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/status"
)

// A budget bounds what bodies may add to a program: a few functions that call one
// another twice stand for any number of nodes. A body for which it does not
// suffice is not laid out: its call stays a call. Bodies nearer to the graph come
// first, so of a chain of calls each program plays as much as it has room for,
// and those that are called many times over share what follows.
type budget struct {
	nodes int // of bodies, that may still be laid out
	edges int // that lead to these, and outputs of theirs
	total int // nodes of all kinds that may still be added
}

const (
	maxNodes = 1 << 14
	maxEdges = 1 << 18
	// minTotal and totalPerNode bound all that is added, which is linear in what is
	// laid out and in the graph, save where each branch of a Case takes each of its
	// arguments.
	minTotal     = 1 << 21
	totalPerNode = 8
)

func budgetFor(g *graph.Graph) budget {
	b := budget{nodes: maxNodes, edges: maxEdges, total: minTotal}
	for _, n := range g.Nodes() {
		b.total += totalPerNode * (1 + edgesOf(n))
	}
	return b
}

// edgesOf is how many edges a node may have to itself.
func edgesOf(n *graph.Node) int { return n.NumInputs() + len(n.Controls()) + n.NumOutputs() }

// take takes what the nodes of a body cost, if there is as much.
func (b *budget) take(p *plan) bool {
	if len(p.nodes) > b.nodes || p.edges > b.edges {
		return false
	}
	b.nodes -= len(p.nodes)
	b.edges -= p.edges
	return true
}

// add counts a node that is added.
func (b *budget) add() error {
	if b.total--; b.total < 0 {
		return status.Errorf(status.ResourceExhausted, "laying out functions takes too many nodes, as each branch takes each argument")
	}
	return nil
}
