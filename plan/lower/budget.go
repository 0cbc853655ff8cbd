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
	nodes int // that bodies may still come to
	edges int // that lead to these, and outputs of theirs
	total int // nodes of all kinds that may still be added
}

const (
	// minNodes and minEdges are what bodies may come to in any program;
	// nodesPerNode and edgesPerNode are added for each node that the program has
	// without, and a node and its edges for every bytesPerNode of the definitions of
	// functions: a large network in a function is no more than the graph holds.
	minNodes     = 1 << 14
	nodesPerNode = 4
	minEdges     = 1 << 18
	edgesPerNode = 16
	bytesPerNode = 256
	// minTotal, totalPerNode and totalPerEdge bound all that is added, which is linear
	// in the program and in the bodies that are laid out, save where each branch of
	// a Case takes each of its arguments.
	minTotal     = 1 << 19
	totalPerNode = 16
	totalPerEdge = 8
)

// budgetFor returns the budget of a program of these nodes in a graph whose functions have
// definitions of so many bytes.
func budgetFor(nodes []*graph.Node, library int) budget {
	library /= bytesPerNode
	b := budget{nodes: minNodes + nodesPerNode*len(nodes) + library, edges: minEdges + edgesPerNode*(len(nodes)+library)}
	b.total = minTotal + totalPerNode*len(nodes)
	for _, n := range nodes {
		b.total += totalPerEdge * edgesOf(n)
	}
	return b
}

// edgesOf returns how many edges a node may have to itself.
func edgesOf(n *graph.Node) int { return n.NumInputs() + len(n.Controls()) + n.NumOutputs() }

// nodesFor is about how many nodes become of a node of a body, without what it
// calls.
func nodesFor(n *graph.Node) int {
	if Lowers(n) {
		return 4 + 2*edgesOf(n)
	}
	return 1
}

// take takes what the nodes of a body cost, if there is as much.
func (b *budget) take(p *bodyPlan) bool {
	if p.size > b.nodes || p.edges > b.edges {
		return false
	}
	b.nodes -= p.size
	b.edges -= p.edges
	b.total += totalPerNode*len(p.nodes) + totalPerEdge*p.edges
	return true
}

// add counts a node that is added.
func (b *budget) add() error {
	if b.total--; b.total < 0 {
		return status.Errorf(status.ResourceExhausted, "laying out functions takes too many nodes, as each branch takes each argument")
	}
	return nil
}
