package graph

import "sync"

// A Graph is a set of nodes joined by data and control edges. Nodes are added,
// never changed or removed. It is safe for concurrent use: reading while
// another goroutine adds is fine.
type Graph struct {
	mu     sync.RWMutex
	nodes  []*Node
	byName map[string]*Node
}

// New makes an empty graph.
func New() *Graph { return &Graph{byName: map[string]*Node{}} }

// Operation finds a node by name; nil if there is none.
func (g *Graph) Operation(name string) *Node {
	g.mu.RLock()
	defer g.mu.RUnlock()
	return g.byName[name]
}

// NumNodes is the number of nodes; their ids are 0 to NumNodes-1.
func (g *Graph) NumNodes() int {
	g.mu.RLock()
	defer g.mu.RUnlock()
	return len(g.nodes)
}

// Nodes is the nodes by id at this moment, not to be written.
func (g *Graph) Nodes() []*Node {
	g.mu.RLock()
	defer g.mu.RUnlock()
	return g.nodes[:len(g.nodes):len(g.nodes)]
}
