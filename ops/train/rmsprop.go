package train

import (
	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/kernel/elementwise"
	"github.com/troupe-go/troupe/registry"
)

func init() {
	registry.Define("ApplyRMSProp").
		Input("var: Ref(T)").Input("ms: Ref(T)").Input("mom: Ref(T)").Input("lr: T").Input("rho: T").
		Input("momentum: T").Input("epsilon: T").Input("grad: T").Output("out: Ref(T)").
		Writes("var", "ms", "mom").
		Attr("T: numbertype").
		Attr("use_locking: bool = false").
		Doc(`Updates a variable by the RMSProp method.

ms = rho·ms + (1-rho)·grad²; mom = momentum·mom + lr·grad/√(ms + epsilon); var -= mom` + denseDoc + epsilonDoc + rhoDoc + momentumDoc)
	registry.Define("ResourceApplyRMSProp").
		Input("var: resource").Input("ms: resource").Input("mom: resource").Input("lr: T").
		Input("rho: T").Input("momentum: T").Input("epsilon: T").Input("grad: T").
		Writes("var", "ms", "mom").
		Attr("T: numbertype").
		Attr("use_locking: bool = false").
		Stateful().
		Doc(`Updates a variable by the RMSProp method.

ms = rho·ms + (1-rho)·grad²; mom = momentum·mom + lr·grad/√(ms + epsilon); var -= mom` + denseDoc + epsilonDoc + rhoDoc + momentumDoc)
	registry.Define("SparseApplyRMSProp").
		Input("var: Ref(T)").Input("ms: Ref(T)").Input("mom: Ref(T)").Input("lr: T").Input("rho: T").
		Input("momentum: T").Input("epsilon: T").Input("grad: T").Input("indices: Tindices").
		Output("out: Ref(T)").
		Writes("var", "ms", "mom").
		Attr("T: numbertype").
		Attr("Tindices: {int32, int64}").
		Attr("use_locking: bool = false").
		Doc(`Updates rows of a variable by the RMSProp method.

ms = rho·ms + (1-rho)·grad²; mom = momentum·mom + lr·grad/√(ms + epsilon); var -= mom` + rowsDoc + epsilonDoc + rhoDoc + momentumDoc)
	registry.Define("ResourceSparseApplyRMSProp").
		Input("var: resource").Input("ms: resource").Input("mom: resource").Input("lr: T").
		Input("rho: T").Input("momentum: T").Input("epsilon: T").Input("grad: T").
		Input("indices: Tindices").
		Writes("var", "ms", "mom").
		Attr("T: numbertype").
		Attr("Tindices: {int32, int64}").
		Attr("use_locking: bool = false").
		Stateful().
		Doc(`Updates rows of a variable by the RMSProp method.

ms = rho·ms + (1-rho)·grad²; mom = momentum·mom + lr·grad/√(ms + epsilon); var -= mom` + rowsDoc + epsilonDoc + rhoDoc + momentumDoc)
	registry.Define("ApplyCenteredRMSProp").
		Input("var: Ref(T)").Input("mg: Ref(T)").Input("ms: Ref(T)").Input("mom: Ref(T)").Input("lr: T").
		Input("rho: T").Input("momentum: T").Input("epsilon: T").Input("grad: T").Output("out: Ref(T)").
		Writes("var", "mg", "ms", "mom").
		Attr("T: numbertype").
		Attr("use_locking: bool = false").
		Doc(`Updates a variable by the centered RMSProp method, which estimates the variance of the gradient.

mg = rho·mg + (1-rho)·grad; ms = rho·ms + (1-rho)·grad²; mom = momentum·mom + lr·grad/√(ms - mg² + epsilon); var -= mom` + denseDoc + epsilonDoc + rhoDoc + momentumDoc)
	registry.Define("ResourceApplyCenteredRMSProp").
		Input("var: resource").Input("mg: resource").Input("ms: resource").Input("mom: resource").
		Input("lr: T").Input("rho: T").Input("momentum: T").Input("epsilon: T").Input("grad: T").
		Writes("var", "mg", "ms", "mom").
		Attr("T: numbertype").
		Attr("use_locking: bool = false").
		Stateful().
		Doc(`Updates a variable by the centered RMSProp method, which estimates the variance of the gradient.

mg = rho·mg + (1-rho)·grad; ms = rho·ms + (1-rho)·grad²; mom = momentum·mom + lr·grad/√(ms - mg² + epsilon); var -= mom` + denseDoc + epsilonDoc + rhoDoc + momentumDoc)

	registerReal(floats, rmsProp[float32], rmsProp[float64],
		"ApplyRMSProp", "ResourceApplyRMSProp")
	registerReal(notBfloat16, rmsProp[float32], rmsProp[float64],
		"SparseApplyRMSProp", "ResourceSparseApplyRMSProp")
	registerComplex(rmsProp[complex64], rmsProp[complex128],
		"ApplyRMSProp", "ResourceApplyRMSProp", "SparseApplyRMSProp", "ResourceSparseApplyRMSProp")
	registerReal(floats, centeredRMSProp[float32], centeredRMSProp[float64],
		"ApplyCenteredRMSProp", "ResourceApplyCenteredRMSProp")
	registerComplex(centeredRMSProp[complex64], centeredRMSProp[complex128],
		"ApplyCenteredRMSProp", "ResourceApplyCenteredRMSProp")
}

func rmsProp[T elementwise.Field](*kernel.Construction) rule[T] {
	sqrt := root[T]()
	return func(h, grad []T, now, next *elements[T]) {
		rate, rho, keep, epsilon := h[0], h[1], h[2], h[3]
		for i, g := range grad {
			s := now[1][i]
			s += (g*g - s) * (1 - rho)
			next[1][i] = s
			m := now[2][i]*keep + g*rate/sqrt(s+epsilon)
			next[2][i] = m
			next[0][i] = now[0][i] - m
		}
	}
}

func centeredRMSProp[T elementwise.Field](*kernel.Construction) rule[T] {
	sqrt := root[T]()
	return func(h, grad []T, now, next *elements[T]) {
		rate, rho, keep, epsilon := h[0], h[1], h[2], h[3]
		for i, g := range grad {
			s := now[2][i]
			s += (g*g - s) * (1 - rho)
			next[2][i] = s
			mean := now[1][i]
			mean += (g - mean) * (1 - rho)
			next[1][i] = mean
			m := now[3][i]*keep + g*rate/sqrt(s-mean*mean+epsilon)
			next[3][i] = m
			next[0][i] = now[0][i] - m
		}
	}
}
