package rewrite

import (
	"maps"
	"slices"

	"github.com/troupe-go/troupe/graph"
)

// unconditional returns the nodes that run in every step, once: those that no Switch, no
// frame and no peer is in front of.
func (w *work) unconditional() (map[*graph.Node]bool, error) {
	return w.before(graph.ClassSwitch, graph.ClassMerge, graph.ClassEnter, graph.ClassExit, graph.ClassNextIteration, graph.ClassRecv)
}

// once returns the nodes that run in a step once at most: those outside of all frames that no
// peer is in front of. On a branch, and behind a loop, they may be dead.
func (w *work) once() (map[*graph.Node]bool, error) {
	inner, err := w.frames()
	if err != nil {
		return nil, err
	}
	if inner == nil { // no frames can be told: what is behind one may run in one
		return w.before(graph.ClassEnter, graph.ClassExit, graph.ClassNextIteration, graph.ClassRecv)
	}
	open, err := w.before(graph.ClassRecv)
	maps.DeleteFunc(open, func(n *graph.Node, _ bool) bool { return inner[n] })
	return open, err
}

// before returns the nodes that are no nodes of these classes, nor behind one.
func (w *work) before(classes ...graph.Class) (map[*graph.Node]bool, error) {
	nodes := w.Nodes()
	gated := make([]bool, w.MaxID())
	var stack []*graph.Node
	for _, n := range nodes {
		if slices.Contains(classes, n.Class()) {
			gated[n.ID()] = true
			stack = append(stack, n)
		}
	}
	for len(stack) > 0 {
		n := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		for e := range n.Out() {
			if err := w.Watch.Step(); err != nil {
				return nil, err
			}
			if to := e.To.Op; !gated[to.ID()] {
				gated[to.ID()] = true
				stack = append(stack, to)
			}
		}
	}
	open := make(map[*graph.Node]bool, len(nodes))
	for _, n := range nodes {
		if !gated[n.ID()] {
			open[n] = true
		}
	}
	return open, nil
}
