package gradients

import (
	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/graph/gradient"
	"github.com/troupe-go/troupe/tensor"
)

// A counter is an integer variable to which every iteration adds the same constant: it
// is known from the iteration's number, so that none of its values is kept.
type counter struct {
	init graph.Output
	step int64
}

// counter returns that of a variable, by its Switch; nil if it is none.
func (l *loop) counter(turn *graph.Node) *counter {
	if l.counters == nil {
		l.counters = map[*graph.Node]*counter{}
		for _, v := range l.Vars {
			if step, ok := l.all.step(v); ok && v.Switch != nil {
				l.counters[v.Switch] = &counter{v.Init(), step}
			}
		}
	}
	return l.counters[turn]
}

// step returns what every iteration adds to a variable.
func (all *loops) step(v graph.LoopVar) (int64, bool) {
	sum := all.source(v.BodyOutput(), 0).Op
	if t := sum.Type(); t != "AddV2" && t != "Add" {
		return 0, false
	}
	if all.source(sum.Inputs()[0], 0) != v.BodyInput() || sum.Inputs()[1].Op.Type() != "Const" {
		return 0, false
	}
	by := sum.Inputs()[1].Op.Attrs().Find("value")
	if by == nil || by.Tensor == nil || len(by.Tensor.Shape()) != 0 {
		return 0, false
	}
	switch x := tensor.ValueOf(by.Tensor); by.Tensor.DataType() {
	case tensor.Int32:
		return int64(tensor.At0[int32](&x)), true
	case tensor.Int64:
		step := tensor.At0[int64](&x)
		return step, step == int64(int32(step)) // constants are made of float64
	}
	return 0, false
}

// count returns the value of a counter in the iteration.
func (lv *level) count(c *counter) graph.Output {
	a := gradient.Build(lv.on(lv.w.b))
	at := a.Sub(lv.back.Current[0], a.Const(int32(1)))
	dt := c.init.DataType()
	if c.step != 1 || dt != tensor.Int32 {
		at = a.Cast(at, dt)
		at = a.Mul(at, a.Scalar(c.init, float64(c.step)))
	}
	init := lv.outer.twin(c.init)
	if zero, ok := a.ConstInts(c.init); ok && len(zero) == 1 && zero[0] == 0 && dt == tensor.Int32 && a.StaticShape(c.init).Full() && a.StaticShape(c.init).Rank() == 0 {
		return at
	}
	return a.Add(init, at)
}
