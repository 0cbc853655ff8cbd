package train

import (
	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/kernel/elementwise"
	"github.com/troupe-go/troupe/registry"
)

func init() {
	registry.Define("ApplyAdadelta").
		Input("var: Ref(T)").Input("accum: Ref(T)").Input("accum_update: Ref(T)").Input("lr: T").
		Input("rho: T").Input("epsilon: T").Input("grad: T").Output("out: Ref(T)").
		Writes("var", "accum", "accum_update").
		Attr("T: numbertype").
		Attr("use_locking: bool = false").
		Doc(`Updates a variable by the Adadelta method.

accum = rho·accum + (1-rho)·grad²; update = √(accum_update + epsilon)/√(accum + epsilon)·grad;
accum_update = rho·accum_update + (1-rho)·update²; var -= lr·update` + denseDoc + epsilonDoc + rhoDoc)
	registry.Define("ResourceApplyAdadelta").
		Input("var: resource").Input("accum: resource").Input("accum_update: resource").Input("lr: T").
		Input("rho: T").Input("epsilon: T").Input("grad: T").
		Writes("var", "accum", "accum_update").
		Attr("T: numbertype").
		Attr("use_locking: bool = false").
		Stateful().
		Doc(`Updates a variable by the Adadelta method.

accum = rho·accum + (1-rho)·grad²; update = √(accum_update + epsilon)/√(accum + epsilon)·grad;
accum_update = rho·accum_update + (1-rho)·update²; var -= lr·update` + denseDoc + epsilonDoc + rhoDoc)
	registry.Define("SparseApplyAdadelta").
		Input("var: Ref(T)").Input("accum: Ref(T)").Input("accum_update: Ref(T)").Input("lr: T").
		Input("rho: T").Input("epsilon: T").Input("grad: T").Input("indices: Tindices").
		Output("out: Ref(T)").
		Writes("var", "accum", "accum_update").
		Attr("T: numbertype").
		Attr("Tindices: {int32, int64}").
		Attr("use_locking: bool = false").
		Doc(`Updates rows of a variable by the Adadelta method.

accum = rho·accum + (1-rho)·grad²; update = √(accum_update + epsilon)/√(accum + epsilon)·grad;
accum_update = rho·accum_update + (1-rho)·update²; var -= lr·update` + rowsDoc + epsilonDoc + rhoDoc)
	registry.Define("ResourceSparseApplyAdadelta").
		Input("var: resource").Input("accum: resource").Input("accum_update: resource").Input("lr: T").
		Input("rho: T").Input("epsilon: T").Input("grad: T").Input("indices: Tindices").
		Writes("var", "accum", "accum_update").
		Attr("T: numbertype").
		Attr("Tindices: {int32, int64}").
		Attr("use_locking: bool = false").
		Stateful().
		Doc(`Updates rows of a variable by the Adadelta method.

accum = rho·accum + (1-rho)·grad²; update = √(accum_update + epsilon)/√(accum + epsilon)·grad;
accum_update = rho·accum_update + (1-rho)·update²; var -= lr·update` + rowsDoc + epsilonDoc + rhoDoc)

	registerReal(floats, adadelta[float32], adadelta[float64],
		"ApplyAdadelta", "ResourceApplyAdadelta", "SparseApplyAdadelta", "ResourceSparseApplyAdadelta")
	registerComplex(adadelta[complex64], adadelta[complex128],
		"ApplyAdadelta", "ResourceApplyAdadelta", "SparseApplyAdadelta", "ResourceSparseApplyAdadelta")
}

func adadelta[T elementwise.Field](*kernel.Construction) rule[T] {
	sqrt := root[T]()
	return func(h, grad []T, now, next *elements[T]) {
		rate, rho, epsilon := h[0], h[1], h[2]
		for i, g := range grad {
			a := now[1][i]*rho + g*g*(1-rho)
			next[1][i] = a
			u := now[2][i]
			step := sqrt(u+epsilon) / sqrt(a+epsilon) * g
			next[0][i] = now[0][i] - step*rate
			next[2][i] = u*rho + step*step*(1-rho)
		}
	}
}
