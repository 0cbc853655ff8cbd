package gradients

import (
	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/status"
)

// Gradients of what an iteration of a loop computes are computed in every iteration:
// where all ys are in one frame, the backward nodes are so too. Xs are values of the
// iteration, or what it has from outside and all iterations alike. What they are with
// respect to how a variable began nobody can say there: other iterations lie between.

// frameOf returns the loop that all ys are in, nil if they are in none.
func (w *walk) frameOf(ys, xs []graph.Output) (*loop, error) {
	var l *loop
	for i, y := range ys {
		at := w.loops.of[y.Op]
		if i > 0 && at != l {
			return nil, status.Invalid("gradients: %v and %v are in different frames: gradients of an iteration are of ys of that iteration", ys[0], y)
		}
		l = at
	}
	for _, x := range xs {
		if at := w.loops.of[x.Op]; !l.inside(at) {
			return nil, status.Invalid("gradients: %v is inside the loop '%s', and no y is: every iteration has a value of its own for it", x, at.name)
		}
	}
	if l != nil && l.WhileLoop == nil {
		return nil, status.Invalid("gradients: the frame '%s' has not the form of a while loop", l.name)
	}
	return l, nil
}

// inside reports whether what runs in l, nil for outside of all loops, runs in around.
func (l *loop) inside(around *loop) bool {
	for around != nil && l != nil && l != around {
		l = l.parent
	}
	return l == around || around == nil
}

// fixed reports whether a node brings in what is the same in all iterations.
func fixed(n *graph.Node) bool {
	a := n.Attrs().Find("is_constant")
	return n.Class() == graph.ClassEnter && a != nil && a.B
}

// begun reports whether a value is what an iteration, of the level's loop or of one
// around it, begins with.
func (lv *level) begun(n *graph.Node) bool {
	l := lv.w.loops.of[n]
	return l != nil && l.begins(n) && !fixed(n) && lv.at.inside(l)
}

// checkBegun fails where an x lies beyond the first value of a variable to which
// something flows.
func (lv *level) checkBegun() error {
	for l := lv.at; l != nil; l = l.parent {
		if l.WhileLoop == nil {
			continue
		}
		for _, v := range l.Vars {
			init, flows := v.Init(), false
			for p := range lv.parts {
				flows = flows || p.Op == v.Merge || p.Op == v.Switch
			}
			if flows && !lv.w.x[v.BodyInput()] && !lv.w.x[v.Value()] && lv.w.wants(init) {
				return status.Invalid("Cannot compute gradient inside while loop with respect to op '%s'. We do not support taking the gradient wrt or through the initial value of a loop variable. Gradients can be computed through loop invariants or wrt the input parameters to the loop body.", init.Op.Name())
			}
		}
	}
	return nil
}

// iteration places backward nodes in the frame of a level's loop.
type iteration struct{ lv *level }

func (p iteration) Place(spec graph.OpSpec) (graph.OpSpec, error) {
	lv := p.lv
	here := false
	bring := func(v graph.Output) graph.Output {
		if v.Op != nil && lv.isOutside(v.Op) {
			v = lv.bring(v)
		}
		here = true
		return v
	}
	inputs := make([]graph.Input, len(spec.Input))
	for i, in := range spec.Input {
		switch in := in.(type) {
		case graph.Output:
			inputs[i] = bring(in)
		case graph.OutputList:
			list := make(graph.OutputList, len(in))
			for k, v := range in {
				list[k] = bring(v)
			}
			inputs[i] = list
		default:
			inputs[i] = in
		}
	}
	spec.Input = inputs
	var controls []*graph.Node
	for _, c := range spec.ControlDependencies {
		if !lv.isOutside(c) {
			controls, here = append(controls, c), true
		}
	}
	if !here {
		controls = append(controls, lv.pivot())
	}
	spec.ControlDependencies = controls
	return spec, lv.w.b.Err()
}

func (p iteration) Own(...*graph.Node) {}

// isOutside reports whether a node that was there before the walk is in a frame around
// the level's.
func (lv *level) isOutside(n *graph.Node) bool {
	l := lv.w.loops.of[n]
	return n.ID() < lv.w.size && l != lv.at && lv.at.inside(l)
}

// bring returns a value from outside as an iteration has it.
func (lv *level) bring(v graph.Output) graph.Output {
	if in, ok := lv.twins[v]; ok {
		return in
	}
	var frames []*loop // into which it goes, the outermost last
	for l := lv.at; l != lv.w.loops.of[v.Op]; l = l.parent {
		frames = append(frames, l)
	}
	in := v
	for i := len(frames) - 1; i >= 0; i-- {
		l := frames[i]
		attrs := graph.Attrs{"frame_name": l.enters[0].Attrs().Find("frame_name").S, "is_constant": true}
		if p := l.enters[0].Attrs().Find("parallel_iterations"); p != nil {
			attrs["parallel_iterations"] = p.I
		}
		n := lv.w.b.Add(graph.OpSpec{Type: "Enter", Input: []graph.Input{in}, Attrs: attrs})
		if n == nil {
			return graph.Output{}
		}
		lv.w.loops.of[n] = l
		in = n.Output(0)
	}
	lv.twins[v] = in
	return in
}

// pivot returns a node that runs in each iteration.
func (lv *level) pivot() *graph.Node {
	if lv.turn == nil {
		v := lv.at.Vars[0].Value()
		for _, x := range lv.at.Vars {
			if x.Switch != nil {
				v = x.BodyInput()
				break
			}
		}
		lv.turn = lv.w.b.Add(graph.OpSpec{Type: "Identity", Name: "iteration", Input: []graph.Input{v}})
	}
	return lv.turn
}
