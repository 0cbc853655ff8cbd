package graph

import (
	"slices"

	"github.com/troupe-go/troupe/graph/outline"
	"github.com/troupe-go/troupe/status"
)

// A Replacement says what takes the place of a node.
type Replacement struct {
	Node    *Node
	Outputs []Output // one for each of the node's
	After   *Node    // has run when the node would have; it may be nil
	// Direct says that consumers take the outputs and After themselves, so that
	// those that need one output need no other.
	Direct bool
}

// ReplaceOutputs makes each node forward the replacements of its outputs: it keeps its name
// and, unless the replacement is direct, its consumers, and becomes an IdentityN, or a
// NoOp if it has no outputs. A call of a function so becomes the nodes of the body, and
// holders of the call are not affected. Nodes are numbered again where inputs would not
// precede consumers.
//
// It belongs to building, as [Graph.SetBackEdge] does: the graph must not be used at the
// same time. It fails with INVALID_ARGUMENT, and changes nothing, if types differ or a
// replacement depends on the node that it replaces.
func (g *Graph) ReplaceOutputs(list ...Replacement) error {
	type change struct {
		node *Node
		now  Node
	}
	var changes []change
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, s := range list {
		n := s.Node.self
		if n.graph != g {
			return status.Invalid("node '%s' is not a node of this graph", n.name)
		}
		spec := OpSpec{Type: "IdentityN", Input: []Input{OutputList(s.Outputs)}}
		if len(n.sig.outTypes) == 0 {
			spec = OpSpec{Type: "NoOp"}
		}
		if s.After != nil {
			spec.ControlDependencies = []*Node{s.After}
		}
		now := Node{graph: g, id: n.id, name: n.name}
		if err := now.fill(spec); err != nil {
			return outline.NodeError(err, n.name, n.Type())
		}
		if !slices.Equal(now.sig.outTypes, n.sig.outTypes) {
			return outline.NodeError(status.Invalid("what stands in for its outputs is of types %v instead of %v", now.sig.outTypes, n.sig.outTypes), n.name, n.Type())
		}
		changes = append(changes, change{n, now})
	}
	direct := map[*Node]Replacement{}
	replaced := map[*Node]bool{}
	for _, s := range list {
		replaced[s.Node.self] = true
		if s.Direct {
			direct[s.Node.self] = s
		}
	}
	if len(direct) > 0 {
		for _, n := range g.nodes {
			if now, ok := n.instead(direct); ok && !replaced[n] {
				changes = append(changes, change{n, now})
			}
		}
	}
	swap := func() {
		for i := range changes {
			n, now := changes[i].node, &changes[i].now
			n.sig, now.sig = now.sig, n.sig
			n.inputs, now.inputs = now.inputs, n.inputs
			n.controls, now.controls = now.controls, n.controls
		}
	}
	swap()
	order, err := (&Editor{g: &Graph{nodes: g.nodes}}).order()
	if err != nil {
		swap()
		return err
	}
	byName := make(map[string]int32, len(order))
	for i, n := range order {
		n.id = i
		byName[n.name] = int32(i)
	}
	g.nodes, g.byName = order, byName
	g.uses, g.indexed = nil, 0
	g.scopes, g.scoped, g.suffixes = nil, 0, nil
	return nil
}

// instead returns what the node is if it takes what stands in for nodes where it took
// those; not ok if it took none.
func (n *Node) instead(of map[*Node]Replacement) (now Node, ok bool) {
	now = Node{sig: n.sig, inputs: n.inputs, controls: n.controls}
	for i, in := range n.inputs {
		if s, is := of[in.Op]; is {
			if !ok {
				now.inputs = slices.Clone(n.inputs)
			}
			now.inputs[i], ok = s.Outputs[in.Index].Canonical(), true
		}
	}
	if !slices.ContainsFunc(n.controls, func(c *Node) bool { _, is := of[c]; return is }) {
		return now, ok
	}
	now.controls = nil
	for _, c := range n.controls {
		if s, is := of[c]; is {
			c = s.After
		}
		if c != nil && !slices.Contains(now.controls, c.self) {
			now.controls = append(now.controls, c.self)
		}
	}
	return now, true
}
