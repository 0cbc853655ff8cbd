package train

import (
	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/kernel/elementwise"
	"github.com/troupe-go/troupe/registry"
)

func init() {
	registry.Define("ApplyGradientDescent").
		Input("var: Ref(T)").Input("alpha: T").Input("delta: T").Output("out: Ref(T)").
		AddsTo("var").
		Attr("T: numbertype").
		Attr("use_locking: bool = false").
		Doc(`Steps down a gradient: var -= alpha·delta.

alpha: The learning rate, a scalar.
delta: The gradient, of the variable's shape.`)
	registry.Define("ResourceApplyGradientDescent").
		Input("var: resource").Input("alpha: T").Input("delta: T").
		AddsTo("var").
		Attr("T: numbertype").
		Attr("use_locking: bool = false").
		Stateful().
		Doc(`Steps down a gradient: var -= alpha·delta.

alpha: The learning rate, a scalar.
delta: The gradient, of the variable's shape.`)
	registry.Define("ApplyProximalGradientDescent").
		Input("var: Ref(T)").Input("alpha: T").Input("l1: T").Input("l2: T").Input("delta: T").
		Output("out: Ref(T)").
		Writes("var").
		Attr("T: numbertype").
		Attr("use_locking: bool = false").
		Doc(`Steps down a gradient, with L1 and L2 regularization.

prox = var - alpha·delta; var = sign(prox)/(1 + alpha·l2)·max(|prox| - alpha·l1, 0)

alpha: The learning rate, a scalar.
delta: The gradient, of the variable's shape.` + penaltyDoc)
	registry.Define("ResourceApplyProximalGradientDescent").
		Input("var: resource").Input("alpha: T").Input("l1: T").Input("l2: T").Input("delta: T").
		Writes("var").
		Attr("T: numbertype").
		Attr("use_locking: bool = false").
		Stateful().
		Doc(`Steps down a gradient, with L1 and L2 regularization.

prox = var - alpha·delta; var = sign(prox)/(1 + alpha·l2)·max(|prox| - alpha·l1, 0)

alpha: The learning rate, a scalar.
delta: The gradient, of the variable's shape.` + penaltyDoc)

	registerReal(floats, descent[float32], descent[float64],
		"ApplyGradientDescent", "ResourceApplyGradientDescent")
	registerComplex(descent[complex64], descent[complex128],
		"ApplyGradientDescent", "ResourceApplyGradientDescent")
	registerReal(wide, proximalDescent[float32], proximalDescent[float64],
		"ApplyProximalGradientDescent", "ResourceApplyProximalGradientDescent")
}

func descent[T elementwise.Field](*kernel.Construction) rule[T] {
	return func(h, grad []T, now, next *elements[T]) {
		alpha, v, o := h[0], now[0], next[0]
		for i, g := range grad {
			o[i] = v[i] - g*alpha
		}
	}
}

func proximalDescent[T elementwise.Float](*kernel.Construction) rule[T] {
	return func(h, grad []T, now, next *elements[T]) {
		alpha, l1, l2, v, o := h[0], h[1], h[2], now[0], next[0]
		for i, g := range grad {
			o[i] = proximal(v[i]-g*alpha, alpha, l1, l2)
		}
	}
}
