package graph

import (
	"slices"

	"github.com/troupe-go/troupe/status"
)

// SetBackEdge closes a loop: input i of a Merge, which was added with some
// other output in its place (that of the Enter, say), takes the output of a
// NextIteration from now on. It is the only change of a node, and
// belongs to building: the Merge must not be used at the same time.
func (g *Graph) SetBackEdge(merge *Node, i int, from Output) error {
	if merge == nil || from.Op == nil {
		return status.Invalid("a back edge needs a Merge and a NextIteration")
	}
	n, from := merge.self, from.Canonical()
	if n.graph != g || from.Op.graph != g {
		return status.Invalid("back edge from %v to node '%s': both must be nodes of this graph", from, n.name)
	}
	if n.sig.class != ClassMerge || from.Op.sig.class != ClassNextIteration {
		return status.Invalid("Node '%s' had a back edge to '%s', but only Merge nodes can have back edges, from NextIteration nodes",
			from.Op.name, n.name)
	}
	if i < 0 || i >= len(n.inputs) {
		return status.Invalid("node '%s' has %s, so none of index %d", n.name, status.Count(len(n.inputs), "input"), i)
	}
	if err := checkEdge(n, i, from); err != nil {
		return err
	}
	if have, next := n.shapes[0], from.Op.shapes[from.Index]; have.Known() && have.String() != next.String() {
		return status.Invalid("back edge from %v to node '%s': its shape is %v, but all that takes the Merge was added for %v", from, n.name, next, have)
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if n.id < g.indexed {
		g.growUses() // from may be younger
		g.removeUse(Edge{n.inputs[i], Consumer{n, i}})
		g.addUse(Edge{from, Consumer{n, i}})
	}
	n.inputs = slices.Clone(n.inputs)
	n.inputs[i] = from
	return nil
}
