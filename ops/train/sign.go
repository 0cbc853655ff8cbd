package train

import (
	"math"

	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/kernel/elementwise"
	"github.com/troupe-go/troupe/registry"
)

func init() {
	registry.Define("ApplyAddSign").
		Input("var: Ref(T)").Input("m: Ref(T)").Input("lr: T").Input("alpha: T").Input("sign_decay: T").
		Input("beta: T").Input("grad: T").Output("out: Ref(T)").
		Writes("var", "m").
		Attr("T: numbertype").
		Attr("use_locking: bool = false").
		Doc(`Updates a variable by the AddSign method.

m = beta·m + (1-beta)·grad; var -= lr·(alpha + sign_decay·sign(grad)·sign(m))·grad

alpha: What counts whether or not signs agree, a scalar.
sign_decay: How much the agreement of signs counts, a scalar.
beta: How much of the past m keeps, a scalar in [0, 1).` + denseDoc)
	registry.Define("ResourceApplyAddSign").
		Input("var: resource").Input("m: resource").Input("lr: T").Input("alpha: T").
		Input("sign_decay: T").Input("beta: T").Input("grad: T").
		Writes("var", "m").
		Attr("T: numbertype").
		Attr("use_locking: bool = false").
		Stateful().
		Doc(`Updates a variable by the AddSign method.

m = beta·m + (1-beta)·grad; var -= lr·(alpha + sign_decay·sign(grad)·sign(m))·grad

alpha: What counts whether or not signs agree, a scalar.
sign_decay: How much the agreement of signs counts, a scalar.
beta: How much of the past m keeps, a scalar in [0, 1).` + denseDoc)
	registry.Define("ApplyPowerSign").
		Input("var: Ref(T)").Input("m: Ref(T)").Input("lr: T").Input("logbase: T").Input("sign_decay: T").
		Input("beta: T").Input("grad: T").Output("out: Ref(T)").
		Writes("var", "m").
		Attr("T: numbertype").
		Attr("use_locking: bool = false").
		Doc(`Updates a variable by the PowerSign method.

m = beta·m + (1-beta)·grad; var -= lr·exp(logbase·sign_decay·sign(grad)·sign(m))·grad

logbase: The logarithm of the base that is raised to the agreement of signs, a scalar.
sign_decay: How much the agreement of signs counts, a scalar.
beta: How much of the past m keeps, a scalar in [0, 1).` + denseDoc)
	registry.Define("ResourceApplyPowerSign").
		Input("var: resource").Input("m: resource").Input("lr: T").Input("logbase: T").
		Input("sign_decay: T").Input("beta: T").Input("grad: T").
		Writes("var", "m").
		Attr("T: numbertype").
		Attr("use_locking: bool = false").
		Stateful().
		Doc(`Updates a variable by the PowerSign method.

m = beta·m + (1-beta)·grad; var -= lr·exp(logbase·sign_decay·sign(grad)·sign(m))·grad

logbase: The logarithm of the base that is raised to the agreement of signs, a scalar.
sign_decay: How much the agreement of signs counts, a scalar.
beta: How much of the past m keeps, a scalar in [0, 1).` + denseDoc)

	registerReal(floats, addSign[float32], addSign[float64],
		"ApplyAddSign", "ResourceApplyAddSign")
	registerReal(floats, powerSign[float32], powerSign[float64],
		"ApplyPowerSign", "ResourceApplyPowerSign")
}

func addSign[T elementwise.Float](*kernel.Construction) rule[T] {
	return func(h, grad []T, now, next *elements[T]) {
		rate, alpha, decay, beta := h[0], h[1], h[2], h[3]
		for i, g := range grad {
			m := now[1][i]*beta + g*(1-beta)
			next[1][i] = m
			next[0][i] = now[0][i] - rate*(alpha+decay*(sign(g)*sign(m)))*g
		}
	}
}

func powerSign[T elementwise.Float](*kernel.Construction) rule[T] {
	return func(h, grad []T, now, next *elements[T]) {
		rate, base, decay, beta := h[0], h[1], h[2], h[3]
		for i, g := range grad {
			m := now[1][i]*beta + g*(1-beta)
			next[1][i] = m
			next[0][i] = now[0][i] - rate*T(math.Exp(float64(base*decay*(sign(g)*sign(m)))))*g
		}
	}
}
