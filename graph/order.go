package graph

import (
	"cmp"
	"container/heap"
	"slices"
)

// The ids of a graph's nodes are an order in which inputs come before their
// consumers, back edges excepted, since both adding and importing number them
// so: [Graph.Nodes] is a topological order, and so is what [Graph.Subgraph]
// and [ReversePostOrder] answer.

// IsBackEdge reports whether input i of n closes a loop: n is a Merge and the
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
	consumers := consumersAmong(nodes)
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

// OrderByTime orders nodes so that inputs come before consumers, back edges
// excepted, and among those whose inputs have all come, the one that starts
// first, then the one of the lowest id. No node starts before its inputs do:
// it also returns when each node starts under that rule, by its place in the order. What nodes wait for outside the set does not count.
func OrderByTime(nodes []*Node, start func(*Node) int64) (order []*Node, times []int64) {
	nodes = sortedNodes(slices.Clone(nodes))
	consumers := consumersAmong(nodes)
	waits := make(map[*Node]int, len(nodes))
	for _, to := range consumers {
		for _, n := range to {
			waits[n]++
		}
	}
	earliest := make(map[*Node]int64, len(nodes))
	var ready timeQueue
	for _, n := range nodes {
		earliest[n] = start(n)
		if waits[n] == 0 {
			ready = append(ready, timedNode{earliest[n], n})
		}
	}
	heap.Init(&ready)
	order, times = make([]*Node, 0, len(nodes)), make([]int64, 0, len(nodes))
	for len(ready) > 0 {
		next := heap.Pop(&ready).(timedNode)
		order, times = append(order, next.node), append(times, next.time)
		for _, n := range consumers[next.node] {
			earliest[n] = max(earliest[n], next.time)
			if waits[n]--; waits[n] == 0 {
				heap.Push(&ready, timedNode{earliest[n], n})
			}
		}
	}
	return order, times
}

// consumersAmong returns the edges among nodes, back edges excepted, by where they
// come from.
func consumersAmong(nodes []*Node) map[*Node][]*Node {
	consumers := make(map[*Node][]*Node, len(nodes))
	for _, n := range nodes {
		consumers[n] = nil
	}
	for _, n := range nodes {
		for e := range n.In() {
			if list, ok := consumers[e.From.Op]; ok && (e.IsControl() || !n.IsBackEdge(e.To.Index)) {
				consumers[e.From.Op] = append(list, n)
			}
		}
	}
	return consumers
}

type timedNode struct {
	time int64
	node *Node
}

// A timeQueue is a heap of nodes, the first to start on top.
type timeQueue []timedNode

func (q timeQueue) Len() int      { return len(q) }
func (q timeQueue) Swap(i, j int) { q[i], q[j] = q[j], q[i] }
func (q timeQueue) Less(i, j int) bool {
	return cmp.Or(cmp.Compare(q[i].time, q[j].time), cmp.Compare(q[i].node.id, q[j].node.id)) < 0
}
func (q *timeQueue) Push(x any) { *q = append(*q, x.(timedNode)) }
func (q *timeQueue) Pop() any {
	last := len(*q) - 1
	n := (*q)[last]
	*q = (*q)[:last]
	return n
}
