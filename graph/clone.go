package graph

import (
	"context"
	"maps"

	"github.com/troupe-go/troupe/shape"
	"github.com/troupe-go/troupe/status"
)

// Clone returns a copy of the graph, its nodes and its library, with the same ids.
// The two share what never changes: definitions, attributes, functions.
func (g *Graph) Clone() *Graph {
	c, _ := g.clone(nil) // which cannot fail
	return c
}

// CloneContext is Clone for graphs that may be large: it fails soon after ctx has ended.
func (g *Graph) CloneContext(ctx context.Context) (*Graph, error) {
	return g.clone(status.NewWatch(ctx))
}

func (g *Graph) clone(watch *status.Watch) (*Graph, error) {
	g.mu.RLock()
	defer g.mu.RUnlock()
	c := &Graph{
		ops:      g.ops,
		nodes:    make([]*Node, len(g.nodes)),
		byName:   maps.Clone(g.byName),
		library:  g.library.clone(),
		versions: g.versions,
		inferrer: shape.Inferrer{Producer: g.versions.Producer},
	}
	slab := make([]Node, len(g.nodes))
	inputs, controls := 0, 0
	for i, n := range g.nodes {
		if err := watch.Step(); err != nil {
			return nil, err
		}
		c.nodes[i] = &slab[i]
		inputs += len(n.inputs)
		controls += len(n.controls)
	}
	ins := make([]Output, 0, inputs)
	waits := make([]*Node, 0, controls)
	for i, n := range g.nodes {
		if err := watch.Steps(1 + len(n.inputs) + len(n.controls)); err != nil {
			return nil, err
		}
		firstIn, firstWait := len(ins), len(waits)
		for _, from := range n.inputs {
			ins = append(ins, Output{c.nodes[from.Op.id], from.Index})
		}
		for _, from := range n.controls {
			waits = append(waits, c.nodes[from.id])
		}
		slab[i] = Node{
			self: &slab[i], graph: c, id: i, name: n.name, device: n.device, function: n.function, sig: n.sig,
			inputs:   ins[firstIn:len(ins):len(ins)],
			controls: waits[firstWait:len(waits):len(waits)],
			shapes:   n.shapes, handles: n.handles,
		}
	}
	return c, nil
}
