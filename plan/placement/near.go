package placement

import (
	"github.com/troupe-go/troupe/devices"
	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/plan"
)

// follows reports whether a node goes where its neighbours are, if it may: one that makes
// a value of nothing, or that looks at no more of its input than its shape.
func (w *placer) follows(n *graph.Node) bool {
	g := w.groups[n.ID()].root()
	if !g.alone || g.asks != (devices.Spec{}) {
		return false
	}
	return generates(n) || looksAtShape(n)
}

func generates(n *graph.Node) bool {
	return n.NumInputs() == 0 && n.NumOutputs() == 1 && !n.OutputTypes()[0].IsRef()
}

func looksAtShape(n *graph.Node) bool {
	switch n.Type() {
	case "Rank", "Shape", "ShapeN", "Size":
		return true
	}
	return false
}

// near returns the device of a node that follows its neighbours.
func (w *placer) near(n *graph.Node, p *plan.Placement) (int, error) {
	best := -1
	if generates(n) {
		for _, r := range w.readers[n.ID()] {
			d := p.Device(r)
			if d < 0 || best >= 0 && d != best {
				best = -1
				break
			}
			best = d
		}
	} else if n.NumInputs() > 0 {
		best = p.Device(n.Inputs()[0].Op)
	}
	if best >= 0 && w.best(w.groups[n.ID()].root(), w.Devices[best].Spec) == best {
		return best, nil
	}
	return w.choose(n)
}
