package nn

import (
	"github.com/troupe-go/troupe/devices/cpu/vec"
	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/kernel/elementwise"
)

// A finishPlan says how fused operations are a vec.Finish: which of the args are its
// factors, and which it adds, one or two.
type finishPlan struct {
	scale int // -1: none
	adds  []int
	limit vec.Limit
	slope float32 // of a LeakyRelu
}

// planOf returns the plan for names in fused_ops, and the slope of a LeakyRelu; nil if there is none.
func planOf(fused []string, slope float32) *finishPlan {
	p := &finishPlan{scale: -1, slope: slope}
	for i, name := range fused { // each before the last takes one arg
		switch {
		case p.limit != vec.NoLimit:
			return nil
		case name == "Mul" && i == 0:
			p.scale = i
		case (name == "BiasAdd" || name == "Add") && len(p.adds) < 2:
			p.adds = append(p.adds, i)
		case name == "Relu":
			p.limit = vec.ReluLimit
		case name == "Relu6":
			p.limit = vec.Relu6Limit
		case name == "LeakyRelu":
			p.limit = vec.LeakyReluLimit
		default:
			return nil
		}
	}
	return p
}

func (f *finish) finish(ctx *kernel.Context) (r vec.Finish, ok bool, err error) {
	if f.plan == nil {
		return r, false, nil
	}
	if fits, err := f.ready(ctx); !fits {
		return r, false, err
	}
	dims := f.out.Dims()
	r, f.finished = f.plan.of(f.operands, int(dims[len(dims)-1]), len(f.operands[0]))
	return r, f.finished, nil
}

// of returns the Finish of sums, of which operands is the first, of a result of so many
// columns and elements; ok is false if there is none.
func (p *finishPlan) of(operands []elementwise.Operand[float32], columns, whole int) (r vec.Finish, ok bool) {
	o := operands[0]
	if p.limit == vec.ReluLimit && whole%8 != 0 { // see rectifyAt
		return r, false
	}
	if at := p.scale; at >= 0 {
		if r.Scale = operands[1+at]; len(r.Scale) != columns {
			return r, false
		}
	}
	for i, at := range p.adds {
		switch x := operands[1+at]; {
		case i == 0 && len(x) == columns:
			r.Bias = x
		case r.Add == nil && len(x) == len(o):
			r.Add = x
		default:
			return r, false
		}
	}
	r.Limit, r.Slope = p.limit, p.slope
	return r, true
}
