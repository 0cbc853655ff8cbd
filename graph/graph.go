package graph

import (
	"slices"
	"sync"

	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/shape"
	"github.com/troupe-go/troupe/status"
)

// A Graph is a set of nodes joined by data and control edges, and a library of
// functions. Nodes are added, never changed or removed, save that
// [Graph.SetBackEdge] closes a loop: to change a graph is to make another one,
// with an [Editor]. It is safe for concurrent use: reading while another
// goroutine adds is fine.
type Graph struct {
	mu       sync.RWMutex
	ops      *registry.Registry
	nodes    []*Node          // by id
	byName   map[string]int32 // id
	library  *library         // bodies of its functions share it
	versions Versions
	inferrer shape.Inferrer // of nodes added one by one
	draft    bool           // an Editor's: shapes may be those from before a change
	blind    bool           // a lax Editor's: calls tell no shapes
	bare     bool           // a Part's: shapes are not worked out
	devices  map[string]string

	// Scopes of the first scoped nodes, and how far the search for a unique
	// name got; see uniqueName.
	scopes   map[string]struct{}
	scoped   int
	suffixes map[string]int

	// Edges that lead away from nodes, by id, as far as they lead to the first
	// indexed nodes.
	uses    []useSet
	indexed int
}

// New makes an empty graph of the operations that the program links.
func New() *Graph { return NewWithRegistry(registry.Global) }

// NewGraph is [New], under the name that TensorFlow's Go binding has for it.
func NewGraph() *Graph { return New() }

// NewWithRegistry makes an empty graph of the operations of a registry.
func NewWithRegistry(ops *registry.Registry) *Graph {
	return &Graph{ops: ops, byName: map[string]int32{}, library: newLibrary(ops), versions: Versions{Producer: Version}}
}

// NewWithFunctions makes an empty graph that has the operations and functions of another.
// Functions that are added to one of the two are not added to the other.
func NewWithFunctions(of *Graph) *Graph {
	g := NewWithRegistry(of.ops)
	g.library = of.lib().clone()
	g.versions = of.Versions()
	g.inferrer.Producer = g.versions.Producer
	return g
}

// Operation finds a node by name; nil if there is none.
func (g *Graph) Operation(name string) *Node {
	g.mu.RLock()
	defer g.mu.RUnlock()
	return g.named(name)
}

// named is Operation for those who hold the lock.
func (g *Graph) named(name string) *Node {
	if id, ok := g.byName[name]; ok {
		return g.nodes[id]
	}
	return nil
}

// Operations is copies of the nodes by id; the methods of a copy are those of
// the node.
func (g *Graph) Operations() []Node {
	nodes := g.Nodes()
	ops := make([]Node, len(nodes))
	for i, n := range nodes {
		ops[i] = *n
	}
	return ops
}

// NumNodes returns the number of nodes; their ids are 0 to NumNodes-1.
func (g *Graph) NumNodes() int {
	g.mu.RLock()
	defer g.mu.RUnlock()
	return len(g.nodes)
}

// Nodes returns the nodes by id at this moment, not to be written.
func (g *Graph) Nodes() []*Node {
	g.mu.RLock()
	defer g.mu.RUnlock()
	return g.nodes[:len(g.nodes):len(g.nodes)]
}

// Versions reports which version of the format made the graph and which may read it.
func (g *Graph) Versions() Versions {
	g.mu.RLock()
	defer g.mu.RUnlock()
	v := g.versions
	v.BadConsumers = slices.Clone(v.BadConsumers)
	return v
}

// Find returns the output of a name as TensorFlow writes it: "x:1", or "x" for the output 0
// of x; "^x" is the node as a whole ([ParseTensorID]). It fails as [Graph.FindID] does.
func (g *Graph) Find(name string) (Output, error) { return g.FindID(ParseTensorID(name)) }

// FindID returns the output that an id names. It fails with NOT_FOUND if there is no
// such node, and says which names are near, and with OUT_OF_RANGE if the node has no
// such output. Index [Control] is the node as a whole.
func (g *Graph) FindID(id TensorID) (Output, error) {
	n := g.Operation(id.Node)
	if n == nil {
		return Output{}, status.Errorf(status.NotFound, "the graph has no node '%s'%s", id.Node, status.DidYouMean(id.Node, g.nodeNames))
	}
	if p := n.Output(id.Index); p.Exists() || id.Index == Control {
		return p, nil
	}
	return Output{}, status.Errorf(status.OutOfRange, "node '%s' has %s, so none of index %d", id.Node, status.Count(n.NumOutputs(), "output"), id.Index)
}

// nodeNames is the names of all nodes.
func (g *Graph) nodeNames(yield func(string) bool) {
	for _, n := range g.Nodes() {
		if !yield(n.name) {
			return
		}
	}
}

// add makes a finished node part of the graph. Its id is the next one and its
// name not in use.
func (g *Graph) add(n *Node) {
	g.nodes = append(g.nodes, n)
	g.byName[n.name] = int32(n.id)
}
