package graph

import "slices"

// The ids of a graph's nodes are an order in which inputs come before their
// consumers, back edges excepted, since both adding and importing number them
// so: [Graph.Nodes] is a topological order, and so is what [Graph.Subgraph]
// and [ReversePostOrder] answer.

// IsBackEdge says whether input i of n closes a loop: n is a Merge and the
// input comes from a NextIteration.
func (n *Node) IsBackEdge(i int) bool {
	return n.sig.class == ClassMerge && n.self.inputs[i].Op.sig.class == ClassNextIteration
}

// DepthFirst visits nodes and all that next yields of them, each once, from
// the roots on: enter before what a node leads to and leave after it. Either
// may be nil. It keeps a stack of its own, so that a chain may be of any length.
func DepthFirst(roots []*Node, next func(n *Node, yield func(*Node)), enter, leave func(*Node)) {
	type visit struct {
		node *Node
		done bool
	}
	seen := map[*Node]bool{}
	var stack []visit
	for _, root := range roots {
		stack = append(stack, visit{node: root.self})
		for len(stack) > 0 {
			v := stack[len(stack)-1]
			stack = stack[:len(stack)-1]
			if v.done { // only where there is a leave
				leave(v.node)
				continue
			}
			if seen[v.node] {
				continue
			}
			seen[v.node] = true
			if enter != nil {
				enter(v.node)
			}
			if leave != nil {
				stack = append(stack, visit{v.node, true})
			}
			first := len(stack)
			next(v.node, func(to *Node) {
				if !seen[to.self] {
					stack = append(stack, visit{node: to.self})
				}
			})
			for i, j := first, len(stack)-1; i < j; i, j = i+1, j-1 { // the first on top
				stack[i], stack[j] = stack[j], stack[i]
			}
		}
	}
}

// InputNodes yields what a node waits for, by data edges, then by control
// edges, back edges included. It is a next of [DepthFirst].
func InputNodes(n *Node, yield func(*Node)) {
	for _, from := range n.self.inputs {
		yield(from.Op)
	}
	for _, c := range n.controls {
		yield(c)
	}
}

// ReversePostOrder orders nodes by a depth-first search along the edges among
// them, from inputs to consumers: inputs come before consumers, back edges
// excepted, and unlike in the order of ids what hangs together stays together.
func ReversePostOrder(nodes []*Node) []*Node {
	nodes = sortedNodes(slices.Clone(nodes))
	consumers := make(map[*Node][]*Node, len(nodes))
	for _, n := range nodes {
		consumers[n] = nil
	}
	link := func(from, to *Node) {
		if list, ok := consumers[from]; ok {
			consumers[from] = append(list, to)
		}
	}
	for _, n := range nodes {
		for i, from := range n.inputs {
			if !n.IsBackEdge(i) {
				link(from.Op, n)
			}
		}
		for _, c := range n.controls {
			link(c, n)
		}
	}
	order := make([]*Node, 0, len(nodes))
	slices.Reverse(nodes) // the order is reversed at the end
	DepthFirst(nodes,
		func(n *Node, yield func(*Node)) {
			for _, c := range slices.Backward(consumers[n]) {
				yield(c)
			}
		},
		nil, func(n *Node) { order = append(order, n) })
	slices.Reverse(order)
	return order
}
