package rewrite

import "github.com/troupe-go/troupe/graph"

// unconditional returns the nodes that run in every step, once: those that no Switch, no
// frame and no peer is in front of.
func (w *work) unconditional() (map[*graph.Node]bool, error) {
	nodes := w.Nodes()
	gated := make([]bool, w.MaxID())
	var stack []*graph.Node
	for _, n := range nodes {
		switch n.Class() {
		case graph.ClassSwitch, graph.ClassMerge, graph.ClassEnter, graph.ClassExit, graph.ClassNextIteration, graph.ClassRecv:
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
