package graph

import (
	"github.com/troupe-go/troupe/graph/outline"
	"github.com/troupe-go/troupe/shape"
)

// Done returns the graph that the changes have made. Nodes that are still there keep
// their order as far as the edges allow; their ids close ranks. It fails with
// INVALID_ARGUMENT if there is a cycle that no NextIteration closes, a Merge
// that nothing starts, or, unless the editor is lax, a contradiction among
// shapes; then the editor can still be used to mend it. So it can if its context
// has ended, which fails with the context's error. A shape that an imported
// node brought along counts as long as it does not contradict what is inferred.
func (e *Editor) Done() (*Graph, error) {
	if e.done {
		return nil, errDone
	}
	order, err := e.order()
	if err != nil {
		return nil, err
	}
	// What comes along a back edge is unknown to the Merge, as it is to one
	// that is imported.
	outputs := 0
	for _, n := range order {
		if err := e.watch.Step(); err != nil {
			return nil, err
		}
		outputs = max(outputs, len(n.sig.outTypes))
	}
	unknown := make([]shape.Shape, outputs) // nobody writes shapes: all share them
	for _, n := range order {
		n.shapes, n.handles = unknown[:len(n.sig.outTypes)], nil
	}
	inferrer := shape.Inferrer{Producer: e.g.versions.Producer}
	for _, n := range order {
		if err := e.watch.Steps(4); err != nil {
			return nil, err
		}
		shapes, handles, err := n.inferred(&inferrer, nil)
		if err != nil && !e.lax {
			return nil, outline.NodeError(err, n.name, n.Type())
		}
		if n.agree(shapes) != nil {
			n.sig = n.sig.undeclared()
		}
		n.shapes, n.handles = shapes, handles
	}

	byName := make(map[string]int32, len(order))
	for i, n := range order {
		if err := e.watch.Step(); err != nil {
			return nil, err
		}
		byName[n.name] = int32(i)
	}
	e.settle(order, byName, inferrer)
	return e.finish(), nil
}

// settle makes the graph what has been worked out: nothing fails from here on.
func (e *Editor) settle(order []*Node, byName map[string]int32, inferrer shape.Inferrer) {
	for i, n := range order {
		n.id = i
	}
	g := e.g
	g.draft, g.blind, g.bare = false, false, false
	g.nodes, g.inferrer, g.byName = order, inferrer, byName
	g.uses, g.indexed = nil, 0
	g.scopes, g.scoped, g.suffixes = nil, 0, nil
}

// finish hands the graph out.
func (e *Editor) finish() *Graph {
	g := e.g
	e.g, e.done = NewWithRegistry(g.ops), true
	return g
}

// order returns the nodes so that inputs come before their consumers, back edges
// excepted; nodes that are in such an order already stay in it. It is a
// depth-first search along the inputs.
func (e *Editor) order() ([]*Node, error) {
	const (
		fresh = iota
		open  // on the stack
		done
	)
	state := make([]uint8, len(e.g.nodes)) // by id
	type visit struct {
		node *Node
		next int // the edge to look at: inputs first, then controls
	}
	nodes := e.Nodes()
	order := make([]*Node, 0, len(nodes))
	var stack []visit
	for _, n := range nodes {
		if state[n.id] != fresh {
			continue
		}
		stack = append(stack, visit{n, 0})
		state[n.id] = open
	walk:
		for len(stack) > 0 {
			v := &stack[len(stack)-1]
			n := v.node
			if err := e.watch.Step(); err != nil {
				return nil, err
			}
			for v.next < len(n.inputs)+len(n.controls) {
				k := v.next
				v.next++
				var from *Node
				switch {
				case k >= len(n.inputs):
					from = n.controls[k-len(n.inputs)]
				case n.IsBackEdge(k):
					continue
				default:
					from = n.inputs[k].Op
				}
				switch state[from.id] {
				case open:
					first := len(stack) - 1
					for stack[first].node != from {
						first--
					}
					cycle := stack[first:]
					return nil, cycleError(len(cycle), len(cycle), func(i int) string { return cycle[i].node.name })
				case fresh:
					state[from.id] = open
					stack = append(stack, visit{from, 0})
					continue walk
				}
			}
			if n.endless() {
				return nil, endlessError(1, n.name)
			}
			state[n.id] = done
			order = append(order, n)
			stack = stack[:len(stack)-1]
		}
	}
	return order, nil
}

// endless reports whether a Merge has back edges only: nothing starts its loop.
func (n *Node) endless() bool {
	for k := range n.inputs {
		if !n.IsBackEdge(k) {
			return false
		}
	}
	return n.sig.class == ClassMerge
}

// undeclared returns the signature without shapes that its node brought along.
func (s *signature) undeclared() *signature {
	c := *s
	c.declared = nil
	return &c
}
