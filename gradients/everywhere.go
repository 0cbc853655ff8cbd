package gradients

import (
	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/graph/gradient"
)

// everywhere returns what a node forwards to a value that it takes, there whenever the
// value was. A node of a branch may take what is there without the branch: then,
// where the branch did not run, zeros stand in.
func (lv *level) everywhere(b *graph.Builder, n *graph.Node, from graph.Output, v gradient.Value) gradient.Value {
	if n.Class() == graph.ClassSwitch || n.Class() == graph.ClassMerge {
		return v // that is what they are for
	}
	inner, err := lv.in.gateOfUse(n)
	var outer *gate
	if err == nil {
		outer, err = lv.in.gateOf(from)
	}
	if err != nil {
		b.Fail(err)
		return gradient.Value{}
	}
	if inner == outer {
		return v
	}
	a := gradient.BuildBeside(b, lv.beside(b), lv.w.shapes.more)
	zeros := a.Zeros(from)
	values := graph.OutputList{dense(a, v)}
	for g := inner; g != outer && g != nil; g = g.around {
		turn := sides(b, g, lv.behind(g.around, zeros), lv.twin(g.pred))
		if turn == nil {
			return gradient.Value{}
		}
		for side := range g.sides {
			if side != g.side {
				values = append(values, turn.Output(side))
			}
		}
	}
	return gradient.Value{Dense: b.Op("Merge", nil, values)}
}

// merge propagates the gradient of a Merge of the loop's body to its inputs: to each
// behind the gates that it stands behind and the Merge does not.
func (lv *level) merge(b *graph.Builder, n *graph.Node, dy gradient.Value) error {
	outer, err := lv.in.gateOfUse(n)
	if err != nil {
		return err
	}
	a := lv.algebra(b)
	d := dense(a, dy)
	for _, from := range n.Inputs() {
		if !lv.w.wants(from) {
			continue
		}
		g, err := lv.in.gateOf(from)
		if err != nil {
			return err
		}
		lv.give(from, gradient.Value{Dense: lv.between(g, outer, d)})
	}
	return lv.w.b.Err()
}
