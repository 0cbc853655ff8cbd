package gradients

import (
	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/graph/gradient"
)

// everywhere is what a node hands on to a value that it takes, there whenever the
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
		pred, side := lv.w.decides(lv.in, g)
		turn := b.Add(graph.OpSpec{Type: "Switch", Input: []graph.Input{lv.behind(g.around, outer, zeros), lv.twin(pred)}})
		if turn == nil {
			return gradient.Value{}
		}
		values = append(values, turn.Output(1-side))
	}
	return gradient.Value{Dense: b.Op("Merge", nil, values)}
}
