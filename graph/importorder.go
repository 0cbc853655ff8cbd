package graph

import (
	"strings"

	"github.com/troupe-go/troupe/status"
)

// sortNodes orders the nodes so that inputs come before their consumers, back
// edges excepted, and nodes that are in such an order already stay in it. It
// is a depth-first search along the inputs.
func (im *importer) sortNodes() error {
	s := im.scan
	n := len(s.nodes)
	im.order = make([]int32, 0, n)
	im.place = make([]int32, n)
	const (
		fresh = -iota - 1
		open  // on the stack
	)
	for i := range im.place {
		im.place[i] = fresh
	}
	type visit struct{ node, next int32 } // next: the input to look at
	var stack []visit
	for i := range s.nodes {
		if im.place[i] != fresh {
			continue
		}
		stack = append(stack, visit{int32(i), s.nodes[i].input})
		im.place[i] = open
	walk:
		for len(stack) > 0 {
			v := &stack[len(stack)-1]
			sn := &s.nodes[v.node]
			for v.next < sn.input+sn.inputs {
				k := v.next
				v.next++
				src := s.inputs[k].node
				if src < 0 || im.place[src] >= 0 || im.backEdge(v.node, k) {
					continue
				}
				if im.place[src] == open {
					first := len(stack) - 1
					for stack[first].node != src {
						first--
					}
					cycle := make([]int32, 0, len(stack)-first)
					for _, v := range stack[first:] {
						cycle = append(cycle, v.node)
					}
					return im.cycleError(cycle)
				}
				im.place[src] = open
				stack = append(stack, visit{src, s.nodes[src].input})
				continue walk
			}
			if im.endless(v.node) {
				return status.Invalid("1 nodes in a cycle: '%s' (Merge) has back edges only, so nothing starts its loop", im.names[v.node])
			}
			im.place[v.node] = int32(len(im.order))
			im.order = append(im.order, v.node)
			stack = stack[:len(stack)-1]
		}
	}
	return nil
}

// endless says whether a Merge has back edges only: nothing starts its loop.
func (im *importer) endless(i int32) bool {
	if im.ops[i].class != ClassMerge {
		return false
	}
	sn := &im.scan.nodes[i]
	back := false
	for k := sn.input; k < sn.input+sn.inputs; k++ {
		if im.scan.inputs[k].index == Control {
			continue
		}
		if !im.backEdge(i, k) {
			return false
		}
		back = true
	}
	return back
}

// cycleError names the nodes of a cycle, each of which takes the next one.
func (im *importer) cycleError(nodes []int32) error {
	var b strings.Builder
	for k := len(nodes) - 1; k >= 0; k-- { // in the direction of the data
		if k < len(nodes)-maxNamed {
			b.WriteString("...")
			break
		}
		b.WriteString("'" + im.names[nodes[k]] + "' -> ")
	}
	if len(nodes) <= maxNamed {
		b.WriteString("'" + im.names[nodes[len(nodes)-1]] + "'")
	}
	return status.Invalid("%d nodes in a cycle: %s (only a NextIteration that goes back to a Merge may close a loop)", len(nodes), &b)
}
