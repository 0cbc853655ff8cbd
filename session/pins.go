package session

import (
	"context"
	"maps"
	"sync"

	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/plan/placement"
	"github.com/troupe-go/troupe/tensor"
)

// pins are where a session on several processes holds resources. All of its programs must agree,
// though each has only a part of the graph: so the graph is placed as a whole, again when it has
// grown, and what holds resources stays where it was placed first.
type pins struct {
	mu    sync.Mutex
	nodes int            // of the graph that was placed
	at    map[string]int // places of devices by node; never changed, but replaced
}

// pins places what the graph has of holders of resources.
func (s *Session) pins(ctx context.Context) (map[string]int, error) {
	p := &s.pinned
	p.mu.Lock()
	defer p.mu.Unlock()
	nodes := s.graph.Nodes()
	if len(nodes) == p.nodes {
		return p.at, nil
	}
	placed, err := placement.Place(ctx, nodes, placement.Options{Devices: s.places, Unasked: s.unasked, Pinned: p.at})
	if err != nil {
		return nil, err
	}
	at := maps.Clone(p.at)
	if at == nil {
		at = map[string]int{}
	}
	for _, n := range nodes {
		if holds(n) {
			at[n.Name()] = placed.Device(n)
		}
	}
	p.nodes, p.at = len(nodes), at
	return at, nil
}

// holds reports whether a node makes a resource: a variable, a queue, a table.
func holds(n *graph.Node) bool {
	for _, t := range n.OutputTypes() {
		if t == tensor.Resource || t.IsRef() {
			return true
		}
	}
	return false
}
