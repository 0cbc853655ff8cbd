package gradients

import (
	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/graph/gradient"
	"github.com/troupe-go/troupe/graph/region"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

// visitLoop builds the backward loop of a loop: as many iterations as there were,
// the last one first. Its variables are
//
//	left     how many iterations are left
//	dv       for each variable between, the gradient of its value before the
//	         iterations that have been gone back; at first what flows to its Exits
//	dc       for each value between that stays the same, the sum of what has come
//	lists    what the forward iterations have kept
func (lv *level) visitLoop(l *loop) error {
	w := lv.w
	flows := false
	dy := map[*graph.Node]gradient.Value{}
	for _, exit := range l.exits {
		if lv.parts[exit.Output(0)] != nil {
			dy[exit] = lv.take(exit.Output(0))
			flows = flows || !dy[exit].None()
		}
	}
	if !flows || !w.through(l.unit()) && !l.leads(w) {
		return w.b.Err()
	}
	if l.WhileLoop == nil {
		return status.Invalid("gradients: the frame '%s' has not the form of a while loop", l.name)
	}
	if l.parent != lv.at && lv.in == nil {
		return status.Invalid("gradients: the loop '%s' lies between an x and the iteration of '%s' that is differentiated", l.name, lv.at.name)
	}
	own := w.b.Scope(l.name + "_grad")
	a := lv.algebra(own)

	var vars []graph.LoopVar
	init := []graph.Output{lv.twin(w.iterations(l))}
	for _, v := range l.Vars {
		if v.Switch == nil || !w.through(v.Merge) || !gradient.Differentiable(v.Value().DataType()) {
			continue
		}
		if v.Value().DataType() == tensor.Resource {
			if !w.loops.unchanged(v) {
				return status.Invalid("gradients: the resource that '%s' carries through the loop '%s' is not the same in all iterations", v.Merge.Name(), l.name)
			}
		}
		var parts []gradient.Value
		for _, exit := range v.Exits {
			if d, ok := dy[exit]; ok && !d.None() {
				parts = append(parts, d)
				delete(dy, exit)
			}
		}
		vars = append(vars, v)
		switch {
		case len(parts) > 0:
			init = append(init, dense(a, a.Sum(parts)))
		case v.Value().DataType() == tensor.Resource: // the same handle all the time
			init = append(init, a.Zeros(v.Init()))
		default:
			init = append(init, a.Zeros(w.last(l, v)))
		}
	}
	for _, exit := range l.exits {
		if d, left := dy[exit]; left && !d.None() && w.through(exit) {
			return status.Invalid("gradients: '%s' leaves the loop '%s' with what is no variable of it", exit.Name(), l.name)
		}
	}
	var invariants []*graph.Node
	for _, e := range l.Invariants {
		if w.through(e) && gradient.Differentiable(e.Output(0).DataType()) {
			invariants = append(invariants, e)
			init = append(init, a.Zeros(e.Inputs()[0]))
		}
	}
	if err := w.b.Err(); err != nil {
		return err
	}

	parallel := int64(0)
	if p := l.Vars[0].Enter.Attrs().Find("parallel_iterations"); p != nil {
		parallel = p.I
	}
	back, err := lv.region.Loop(region.LoopSpec{
		Frame: w.loops.frame(l.name + "_grad"), ParallelIterations: parallel, Init: init, Writer: writer{lv.bare(own)},
	})
	if err != nil {
		return err
	}
	left := own.In(back.Cond).Op("Greater", nil, back.Vars[0], own.In(back.Cond).Const(int32(0)))
	if err := w.b.Err(); err != nil {
		return err
	}
	if err := back.Test(left); err != nil {
		return err
	}
	if lv.depth == mostNested {
		return status.Errorf(status.ResourceExhausted, "gradients: loops are nested more than %d deep", mostNested)
	}
	body := &level{
		w: w, depth: lv.depth + 1, parts: map[graph.Output][]gradient.Value{}, region: back.Body,
		in: l, outer: lv, back: back, twins: map[graph.Output]graph.Output{},
	}
	var from []graph.Output
	for i, v := range vars {
		if p := v.BodyOutput(); w.wants(p) {
			body.give(p, gradient.Value{Dense: back.Current[1+i]})
			from = append(from, p)
		}
	}
	if err := body.run(from); err != nil {
		return err
	}

	in := body.algebra(own)
	next := []graph.Output{in.Sub(back.Current[0], in.Const(int32(1)))}
	for _, v := range vars {
		sum := in.Sum(append(body.parts[v.BodyInput()], body.parts[v.Value()]...))
		if sum.None() {
			next = append(next, in.Zeros(v.BodyInput()))
		} else {
			next = append(next, dense(in, sum))
		}
	}
	rows := make([][]rowLists, len(invariants))
	for i, e := range invariants {
		acc := back.Current[1+len(vars)+i]
		var parts []gradient.Value
		for _, p := range body.parts[e.Output(0)] {
			if p.Product == nil {
				parts = append(parts, p)
				continue
			}
			kept, err := body.keepRows(p.Product)
			if err != nil {
				return err
			}
			rows[i] = append(rows[i], kept)
		}
		if sum := in.Sum(parts); !sum.None() {
			if acc.DataType() == tensor.Variant {
				acc = in.Op("AddN", nil, graph.OutputList{acc, dense(in, sum)})
			} else {
				acc = in.Add(acc, dense(in, sum))
			}
		}
		next = append(next, acc)
	}
	if err := w.b.Err(); err != nil {
		return err
	}
	results, err := back.Close(append(next, body.popped...))
	if err != nil {
		return err
	}
	for i, v := range vars {
		if p := v.Init(); w.wants(p) {
			lv.give(p, gradient.Value{Dense: results[1+i]})
		}
	}
	for i, e := range invariants {
		p := e.Inputs()[0]
		if !w.wants(p) {
			continue
		}
		if len(rows[i]) < len(body.parts[e.Output(0)]) || len(rows[i]) == 0 {
			lv.give(p, gradient.Value{Dense: results[1+len(vars)+i]})
		}
		for _, r := range rows[i] {
			lv.give(p, gradient.Value{Dense: r.product(a, p, results)})
		}
	}
	return nil
}

// leads reports whether anything that enters the loop depends on an x.
func (l *loop) leads(w *walk) bool {
	for _, e := range l.enters {
		if w.through(e) {
			return true
		}
	}
	return false
}

// dense returns a gradient that is not nothing as a tensor. A product is none: it goes to
// an invariant alone, and is seen to there.
func dense(a gradient.Algebra, v gradient.Value) graph.Output {
	if v.Rows != nil {
		return a.Dense(v.Rows)
	}
	return v.Dense
}
