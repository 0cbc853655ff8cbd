package train

import (
	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/kernel/elementwise"
	"github.com/troupe-go/troupe/registry"
)

func init() {
	registry.Define("ApplyMomentum").
		Input("var: Ref(T)").Input("accum: Ref(T)").Input("lr: T").Input("grad: T").Input("momentum: T").
		Output("out: Ref(T)").
		Writes("var", "accum").
		Attr("T: numbertype").
		Attr("use_locking: bool = false").
		Attr("use_nesterov: bool = false").
		Doc(`Updates a variable with momentum.

accum = accum·momentum + grad; var -= lr·accum, or with Nesterov's momentum lr·grad + lr·momentum·accum.

use_nesterov: Whether to take Nesterov's form of the step.` + denseDoc + momentumDoc)
	registry.Define("ResourceApplyMomentum").
		Input("var: resource").Input("accum: resource").Input("lr: T").Input("grad: T").
		Input("momentum: T").
		Writes("var", "accum").
		Attr("T: numbertype").
		Attr("use_locking: bool = false").
		Attr("use_nesterov: bool = false").
		Stateful().
		Doc(`Updates a variable with momentum.

accum = accum·momentum + grad; var -= lr·accum, or with Nesterov's momentum lr·grad + lr·momentum·accum.

use_nesterov: Whether to take Nesterov's form of the step.` + denseDoc + momentumDoc)
	registry.Define("ResourceApplyKerasMomentum").
		Input("var: resource").Input("accum: resource").Input("lr: T").Input("grad: T").
		Input("momentum: T").
		Writes("var", "accum").
		Attr("T: numbertype").
		Attr("use_locking: bool = false").
		Attr("use_nesterov: bool = false").
		Stateful().
		Doc(`Updates a variable with momentum as Keras defines it.

accum = accum·momentum - lr·grad; var += accum, or with Nesterov's momentum accum·momentum - lr·grad.

use_nesterov: Whether to take Nesterov's form of the step.` + denseDoc + momentumDoc)
	registry.Define("SparseApplyMomentum").
		Input("var: Ref(T)").Input("accum: Ref(T)").Input("lr: T").Input("grad: T").
		Input("indices: Tindices").Input("momentum: T").Output("out: Ref(T)").
		Writes("var", "accum").
		Attr("T: numbertype").
		Attr("Tindices: {int32, int64}").
		Attr("use_locking: bool = false").
		Attr("use_nesterov: bool = false").
		Doc(`Updates rows of a variable with momentum.

accum = accum·momentum + grad; var -= lr·accum, or with Nesterov's momentum lr·grad + lr·momentum·accum.

use_nesterov: Whether to take Nesterov's form of the step.` + rowsDoc + momentumDoc)
	registry.Define("ResourceSparseApplyMomentum").
		Input("var: resource").Input("accum: resource").Input("lr: T").Input("grad: T").
		Input("indices: Tindices").Input("momentum: T").
		Writes("var", "accum").
		Attr("T: numbertype").
		Attr("Tindices: {int32, int64}").
		Attr("use_locking: bool = false").
		Attr("use_nesterov: bool = false").
		Stateful().
		Doc(`Updates rows of a variable with momentum.

accum = accum·momentum + grad; var -= lr·accum, or with Nesterov's momentum lr·grad + lr·momentum·accum.

use_nesterov: Whether to take Nesterov's form of the step.` + rowsDoc + momentumDoc)
	registry.Define("ResourceSparseApplyKerasMomentum").
		Input("var: resource").Input("accum: resource").Input("lr: T").Input("grad: T").
		Input("indices: Tindices").Input("momentum: T").
		Writes("var", "accum").
		Attr("T: numbertype").
		Attr("Tindices: {int32, int64}").
		Attr("use_locking: bool = false").
		Attr("use_nesterov: bool = false").
		Stateful().
		Doc(`Updates rows of a variable with momentum as Keras defines it.

accum = accum·momentum - lr·grad; var += accum, or with Nesterov's momentum accum·momentum - lr·grad.

use_nesterov: Whether to take Nesterov's form of the step.` + rowsDoc + momentumDoc)

	registerReal(floats, momentum[float32], momentum[float64],
		"ApplyMomentum", "ResourceApplyMomentum", "SparseApplyMomentum", "ResourceSparseApplyMomentum")
	registerComplex(momentum[complex64], momentum[complex128],
		"ApplyMomentum", "ResourceApplyMomentum", "SparseApplyMomentum", "ResourceSparseApplyMomentum")
	registerReal(floats, kerasMomentum[float32], kerasMomentum[float64],
		"ResourceApplyKerasMomentum", "ResourceSparseApplyKerasMomentum")
	registerComplex(kerasMomentum[complex64], kerasMomentum[complex128],
		"ResourceApplyKerasMomentum", "ResourceSparseApplyKerasMomentum")
}

func momentum[T elementwise.Field](c *kernel.Construction) rule[T] {
	nesterov := c.Bool("use_nesterov")
	return func(h, grad []T, now, next *elements[T]) {
		rate, keep := h[0], h[1]
		for i, g := range grad {
			a := now[1][i]*keep + g
			next[1][i] = a
			if nesterov {
				next[0][i] = now[0][i] - (g*rate + a*keep*rate)
			} else {
				next[0][i] = now[0][i] - a*rate
			}
		}
	}
}

func kerasMomentum[T elementwise.Field](c *kernel.Construction) rule[T] {
	nesterov := c.Bool("use_nesterov")
	return func(h, grad []T, now, next *elements[T]) {
		rate, keep := h[0], h[1]
		for i, g := range grad {
			a := now[1][i]*keep - g*rate
			next[1][i] = a
			if nesterov {
				next[0][i] = now[0][i] + (a*keep - g*rate)
			} else {
				next[0][i] = now[0][i] + a
			}
		}
	}
}
