package graph

import (
	"cmp"
	"slices"

	"github.com/troupe-go/troupe/graph/outline"
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/status"
)

// A CopySpec says what a copy of a node has of its own.
type CopySpec struct {
	Name     string // must be new
	Inputs   []Output
	Controls []*Node
	Device   string
	Attrs    registry.Attrs // nil: those of the original
	Function string         // see [Node.Function]; "": that of the original
}

// AddCopy adds a node of the same operation as n, which may be of another
// graph, with other edges: what passes over graphs are made of. For a function
// call the function must be in the library of g. An input of a Merge that is to
// be a back edge is given as any output of its type, and set by SetBackEdge.
func (g *Graph) AddCopy(n *Node, spec CopySpec) (*Node, error) {
	sig := n.sig
	if !looseName(spec.Name) {
		return nil, invalidName(spec.Name)
	}
	if spec.Attrs != nil {
		sig = &signature{op: sig.op, class: sig.class}
		if err := sig.resolve(spec.Attrs, false, nil); err != nil {
			return nil, outline.NodeError(err, spec.Name, sig.op.Name)
		}
	}
	for _, from := range spec.Inputs {
		if from.Op == nil || from.Op.graph != g {
			return nil, outline.NodeError(status.Invalid("the input %v is not an output of a node of this graph", from), spec.Name, sig.op.Name)
		}
	}
	for _, c := range spec.Controls {
		if c == nil || c.graph != g {
			return nil, outline.NodeError(status.Invalid("a control dependency is not a node of this graph"), spec.Name, sig.op.Name)
		}
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if _, ok := g.byName[spec.Name]; ok {
		return nil, status.Invalid("Duplicate node name in graph: '%s'", spec.Name)
	}
	if sig.class == ClassCall && g.library.Find(sig.op.Name) == nil {
		return nil, status.Errorf(status.NotFound, "node '%s' calls the function '%s', which the library does not have", spec.Name, sig.op.Name)
	}
	c := &Node{graph: g, id: len(g.nodes), name: spec.Name, device: spec.Device, inputs: slices.Clone(spec.Inputs), function: cmp.Or(spec.Function, n.function)}
	c.self = c
	for i := range c.inputs {
		c.inputs[i] = c.inputs[i].Canonical()
	}
	c.controls = addControls(nil, spec.Controls)
	if _, err := c.connect(sig); err != nil {
		return nil, err
	}
	if err := c.infer(&g.inferrer, g.draft, nil); err != nil {
		return nil, outline.NodeError(err, c.name, sig.op.Name)
	}
	g.add(c)
	return c, nil
}
