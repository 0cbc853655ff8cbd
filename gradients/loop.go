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
	r := reversal{lv: lv, w: w, l: l, own: w.b.Scope(l.name + "_grad")}
	r.a = lv.algebra(r.own)
	for _, part := range []func() error{
		func() error { return r.carry(dy) }, r.open, r.differentiate, r.close,
	} {
		if err := part(); err != nil {
			return err
		}
	}
	return nil
}

// A reversal is a backward loop while it is built.
type reversal struct {
	lv  *level // around the loop
	w   *walk
	l   *loop
	own *graph.Builder
	a   gradient.Algebra

	vars       []graph.LoopVar
	invariants []*graph.Node // Enters
	init       []graph.Output

	back *region.Loop
	body *level
	next []graph.Output
	rows [][]rowLists // by invariant: gradients that are products of rows
}

// carry determines what the loop carries, and its initial values: dy has the gradients of
// the exits.
func (r *reversal) carry(dy map[*graph.Node]gradient.Value) error {
	w, l := r.w, r.l
	r.init = []graph.Output{r.lv.twin(w.iterations(l))}
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
		r.vars = append(r.vars, v)
		switch {
		case len(parts) > 0:
			r.init = append(r.init, dense(r.a, r.a.Sum(parts)))
		case v.Value().DataType() == tensor.Resource: // the same handle all the time
			r.init = append(r.init, r.a.Zeros(v.Init()))
		default:
			r.init = append(r.init, r.a.Zeros(w.last(l, v)))
		}
	}
	for _, exit := range l.exits {
		if d, left := dy[exit]; left && !d.None() && w.through(exit) {
			return status.Invalid("gradients: '%s' leaves the loop '%s' with a value that is none of its variables", exit.Name(), l.name)
		}
	}
	for _, e := range l.Invariants {
		if w.through(e) && gradient.Differentiable(e.Output(0).DataType()) {
			r.invariants = append(r.invariants, e)
			r.init = append(r.init, r.a.Zeros(e.Inputs()[0]))
		}
	}
	return w.b.Err()
}

// open begins the loop, which ends when no iterations are left.
func (r *reversal) open() (err error) {
	parallel := int64(0)
	if p := r.l.Vars[0].Enter.Attrs().Find("parallel_iterations"); p != nil {
		parallel = p.I
	}
	r.back, err = r.lv.region.Loop(region.LoopSpec{
		Frame: r.w.loops.frame(r.l.name + "_grad"), ParallelIterations: parallel, Init: r.init, Writer: writer{r.lv.bare(r.own)},
	})
	if err != nil {
		return err
	}
	own, back := r.own, r.back
	left := own.In(back.Cond).Apply("Greater", back.Vars[0], own.In(back.Cond).Const(int32(0)))
	if err := r.w.b.Err(); err != nil {
		return err
	}
	return back.Test(left)
}

// differentiate builds the body: the gradients of one iteration of the original loop, and
// from them the next values of what is carried.
func (r *reversal) differentiate() error {
	lv, w, back := r.lv, r.w, r.back
	if lv.depth == mostNested {
		return status.Errorf(status.ResourceExhausted, "gradients: loops are nested more than %d deep", mostNested)
	}
	body := &level{
		w: w, depth: lv.depth + 1, parts: map[graph.Output][]gradient.Value{}, region: back.Body,
		in: r.l, outer: lv, back: back, twins: map[graph.Output]graph.Output{},
	}
	r.body = body
	var from []graph.Output
	for i, v := range r.vars {
		if p := v.BodyOutput(); w.wants(p) {
			body.give(p, gradient.Value{Dense: back.Current[1+i]})
			from = append(from, p)
		}
	}
	if err := body.run(from); err != nil {
		return err
	}

	in := body.algebra(r.own)
	r.next = []graph.Output{in.Sub(back.Current[0], in.Const(int32(1)))}
	for _, v := range r.vars {
		sum := in.Sum(append(body.parts[v.BodyInput()], body.parts[v.Value()]...))
		if sum.None() {
			r.next = append(r.next, in.Zeros(v.BodyInput()))
		} else {
			r.next = append(r.next, dense(in, sum))
		}
	}
	r.rows = make([][]rowLists, len(r.invariants))
	for i, e := range r.invariants {
		acc := back.Current[1+len(r.vars)+i]
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
			r.rows[i] = append(r.rows[i], kept)
		}
		if sum := in.Sum(parts); !sum.None() {
			if acc.DataType() == tensor.Variant {
				acc = in.Op("AddN", nil, graph.OutputList{acc, dense(in, sum)})
			} else {
				acc = in.Add(acc, dense(in, sum))
			}
		}
		r.next = append(r.next, acc)
	}
	return w.b.Err()
}

// close ends the loop, and gives its results to what entered the original one.
func (r *reversal) close() error {
	results, err := r.back.Close(append(r.next, r.body.popped...))
	if err != nil {
		return err
	}
	for i, v := range r.vars {
		if p := v.Init(); r.w.wants(p) {
			r.lv.give(p, gradient.Value{Dense: results[1+i]})
		}
	}
	for i, e := range r.invariants {
		p := e.Inputs()[0]
		if !r.w.wants(p) {
			continue
		}
		if len(r.rows[i]) < len(r.body.parts[e.Output(0)]) || len(r.rows[i]) == 0 {
			r.lv.give(p, gradient.Value{Dense: results[1+len(r.vars)+i]})
		}
		for _, rows := range r.rows[i] {
			r.lv.give(p, gradient.Value{Dense: rows.product(r.a, p, results)})
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
