package train

import (
	"math"

	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/kernel/elementwise"
	"github.com/troupe-go/troupe/registry"
)

func init() {
	registry.Define("ApplyAdam").
		Input("var: Ref(T)").Input("m: Ref(T)").Input("v: Ref(T)").Input("beta1_power: T").
		Input("beta2_power: T").Input("lr: T").Input("beta1: T").Input("beta2: T").Input("epsilon: T").
		Input("grad: T").Output("out: Ref(T)").
		Writes("var", "m", "v").
		Attr("T: numbertype").
		Attr("use_locking: bool = false").
		Attr("use_nesterov: bool = false").
		Doc(`Updates a variable by the Adam method.

rate = lr·√(1-beta2_power)/(1-beta1_power); m += (grad - m)·(1-beta1); v += (grad² - v)·(1-beta2); var -= rate·m/(√v + epsilon)

beta1_power: beta1 to the power of the step.
beta2_power: beta2 to the power of the step.
use_nesterov: Whether m·beta1 + grad·(1-beta1) takes the place of m in the step.` + denseDoc + epsilonDoc + betasDoc)
	registry.Define("ResourceApplyAdam").
		Input("var: resource").Input("m: resource").Input("v: resource").Input("beta1_power: T").
		Input("beta2_power: T").Input("lr: T").Input("beta1: T").Input("beta2: T").Input("epsilon: T").
		Input("grad: T").
		Writes("var", "m", "v").
		Attr("T: numbertype").
		Attr("use_locking: bool = false").
		Attr("use_nesterov: bool = false").
		Stateful().
		Doc(`Updates a variable by the Adam method.

rate = lr·√(1-beta2_power)/(1-beta1_power); m += (grad - m)·(1-beta1); v += (grad² - v)·(1-beta2); var -= rate·m/(√v + epsilon)

beta1_power: beta1 to the power of the step.
beta2_power: beta2 to the power of the step.
use_nesterov: Whether m·beta1 + grad·(1-beta1) takes the place of m in the step.` + denseDoc + epsilonDoc + betasDoc)
	registry.Define("ResourceApplyAdamWithAmsgrad").
		Input("var: resource").Input("m: resource").Input("v: resource").Input("vhat: resource").
		Input("beta1_power: T").Input("beta2_power: T").Input("lr: T").Input("beta1: T").
		Input("beta2: T").Input("epsilon: T").Input("grad: T").
		Writes("var", "m", "v", "vhat").
		Attr("T: numbertype").
		Attr("use_locking: bool = false").
		Stateful().
		Doc(`Updates a variable by the Adam method in its AMSGrad variant.

rate = lr·√(1-beta2_power)/(1-beta1_power); m += (grad - m)·(1-beta1); v += (grad² - v)·(1-beta2); vhat = max(vhat, v); var -= rate·m/(√vhat + epsilon)

vhat: The greatest v so far.
beta1_power: beta1 to the power of the step.
beta2_power: beta2 to the power of the step.` + denseDoc + epsilonDoc + betasDoc)
	registry.Define("ApplyAdaMax").
		Input("var: Ref(T)").Input("m: Ref(T)").Input("v: Ref(T)").Input("beta1_power: T").Input("lr: T").
		Input("beta1: T").Input("beta2: T").Input("epsilon: T").Input("grad: T").Output("out: Ref(T)").
		Writes("var", "m", "v").
		Attr("T: numbertype").
		Attr("use_locking: bool = false").
		Doc(`Updates a variable by the AdaMax method.

m = beta1·m + (1-beta1)·grad; v = max(beta2·v, |grad|); var -= lr/(1-beta1_power)·m/(v + epsilon)

beta1_power: beta1 to the power of the step.` + denseDoc + epsilonDoc + betasDoc)
	registry.Define("ResourceApplyAdaMax").
		Input("var: resource").Input("m: resource").Input("v: resource").Input("beta1_power: T").
		Input("lr: T").Input("beta1: T").Input("beta2: T").Input("epsilon: T").Input("grad: T").
		Writes("var", "m", "v").
		Attr("T: numbertype").
		Attr("use_locking: bool = false").
		Stateful().
		Doc(`Updates a variable by the AdaMax method.

m = beta1·m + (1-beta1)·grad; v = max(beta2·v, |grad|); var -= lr/(1-beta1_power)·m/(v + epsilon)

beta1_power: beta1 to the power of the step.` + denseDoc + epsilonDoc + betasDoc)

	registerReal(floats, adamFloat32, adam[float64],
		"ApplyAdam", "ResourceApplyAdam")
	registerComplex(adam[complex64], adam[complex128],
		"ApplyAdam", "ResourceApplyAdam")
	registerReal(floats, amsgrad[float32], amsgrad[float64],
		"ResourceApplyAdamWithAmsgrad")
	registerReal(notBfloat16, adaMax[float32], adaMax[float64],
		"ApplyAdaMax", "ResourceApplyAdaMax")
}

func adam[T elementwise.Field](c *kernel.Construction) rule[T] {
	sqrt, nesterov := root[T](), c.Bool("use_nesterov")
	return func(h, grad []T, now, next *elements[T]) {
		rate, beta1, beta2, epsilon := h[2]*sqrt(1-h[1])/(1-h[0]), h[3], h[4], h[5]
		for i, g := range grad {
			m := now[1][i]
			m += (g - m) * (1 - beta1)
			next[1][i] = m
			v := now[2][i]
			v += (g*g - v) * (1 - beta2)
			next[2][i] = v
			if nesterov {
				m = g*(1-beta1) + beta1*m
			}
			next[0][i] = now[0][i] - m*rate/(sqrt(v)+epsilon)
		}
	}
}

func amsgrad[T elementwise.Float](*kernel.Construction) rule[T] {
	sqrt := root[T]()
	return func(h, grad []T, now, next *elements[T]) {
		rate, beta1, beta2, epsilon := h[2]*sqrt(1-h[1])/(1-h[0]), h[3], h[4], h[5]
		for i, g := range grad {
			m := now[1][i]
			m += (g - m) * (1 - beta1)
			next[1][i] = m
			v := now[2][i]
			v += (g*g - v) * (1 - beta2)
			next[2][i] = v
			v = max(now[3][i], v)
			next[3][i] = v
			next[0][i] = now[0][i] - m*rate/(sqrt(v)+epsilon)
		}
	}
}

func adaMax[T elementwise.Float](*kernel.Construction) rule[T] {
	return func(h, grad []T, now, next *elements[T]) {
		rate, beta1, beta2, epsilon := h[1]/(1-h[0]), h[2], h[3], h[4]
		for i, g := range grad {
			m := now[1][i]
			m += (g - m) * (1 - beta1)
			next[1][i] = m
			v := max(beta2*now[2][i], T(math.Abs(float64(g))))
			next[2][i] = v
			next[0][i] = now[0][i] - rate*(m/(v+epsilon))
		}
	}
}
