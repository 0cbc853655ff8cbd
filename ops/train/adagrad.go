package train

import (
	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/kernel/elementwise"
	"github.com/troupe-go/troupe/registry"
)

func init() {
	registry.Define("ApplyAdagrad").
		Input("var: Ref(T)").Input("accum: Ref(T)").Input("lr: T").Input("grad: T").Output("out: Ref(T)").
		Writes("var", "accum").
		Attr("T: numbertype").
		Attr("use_locking: bool = false").
		Attr("update_slots: bool = true").
		Doc(`Updates a variable by the Adagrad method.

accum += grad²; var -= lr·grad/√accum

update_slots: Whether accum is updated.` + denseDoc)
	registry.Define("ResourceApplyAdagrad").
		Input("var: resource").Input("accum: resource").Input("lr: T").Input("grad: T").
		Writes("var", "accum").
		Attr("T: numbertype").
		Attr("use_locking: bool = false").
		Attr("update_slots: bool = true").
		Stateful().
		Doc(`Updates a variable by the Adagrad method.

accum += grad²; var -= lr·grad/√accum

update_slots: Whether accum is updated.` + denseDoc)
	registry.Define("ApplyAdagradV2").
		Input("var: Ref(T)").Input("accum: Ref(T)").Input("lr: T").Input("epsilon: T").Input("grad: T").
		Output("out: Ref(T)").
		Writes("var", "accum").
		Attr("T: numbertype").
		Attr("use_locking: bool = false").
		Attr("update_slots: bool = true").
		Doc(`Updates a variable by the Adagrad method, with an epsilon.

accum += grad²; var -= lr·grad/(√accum + epsilon)

update_slots: Whether accum is updated.` + denseDoc + epsilonDoc)
	registry.Define("ResourceApplyAdagradV2").
		Input("var: resource").Input("accum: resource").Input("lr: T").Input("epsilon: T").
		Input("grad: T").
		Writes("var", "accum").
		Attr("T: numbertype").
		Attr("use_locking: bool = false").
		Attr("update_slots: bool = true").
		Stateful().
		Doc(`Updates a variable by the Adagrad method, with an epsilon.

accum += grad²; var -= lr·grad/(√accum + epsilon)

update_slots: Whether accum is updated.` + denseDoc + epsilonDoc)
	registry.Define("SparseApplyAdagrad").
		Input("var: Ref(T)").Input("accum: Ref(T)").Input("lr: T").Input("grad: T").
		Input("indices: Tindices").Output("out: Ref(T)").
		Writes("var", "accum").
		Attr("T: numbertype").
		Attr("Tindices: {int32, int64}").
		Attr("use_locking: bool = false").
		Attr("update_slots: bool = true").
		Doc(`Updates rows of a variable by the Adagrad method.

accum += grad²; var -= lr·grad/√accum

update_slots: Whether accum is updated.` + rowsDoc)
	registry.Define("ResourceSparseApplyAdagrad").
		Input("var: resource").Input("accum: resource").Input("lr: T").Input("grad: T").
		Input("indices: Tindices").
		Writes("var", "accum").
		Attr("T: numbertype").
		Attr("Tindices: {int32, int64}").
		Attr("use_locking: bool = false").
		Attr("update_slots: bool = true").
		Stateful().
		Doc(`Updates rows of a variable by the Adagrad method.

accum += grad²; var -= lr·grad/√accum

update_slots: Whether accum is updated.` + rowsDoc)
	registry.Define("SparseApplyAdagradV2").
		Input("var: Ref(T)").Input("accum: Ref(T)").Input("lr: T").Input("epsilon: T").Input("grad: T").
		Input("indices: Tindices").Output("out: Ref(T)").
		Writes("var", "accum").
		Attr("T: numbertype").
		Attr("Tindices: {int32, int64}").
		Attr("use_locking: bool = false").
		Attr("update_slots: bool = true").
		Doc(`Updates rows of a variable by the Adagrad method, with an epsilon.

accum += grad²; var -= lr·grad/(√accum + epsilon)

update_slots: Whether accum is updated.` + rowsDoc + epsilonDoc)
	registry.Define("ResourceSparseApplyAdagradV2").
		Input("var: resource").Input("accum: resource").Input("lr: T").Input("epsilon: T").
		Input("grad: T").Input("indices: Tindices").
		Writes("var", "accum").
		Attr("T: numbertype").
		Attr("Tindices: {int32, int64}").
		Attr("use_locking: bool = false").
		Attr("update_slots: bool = true").
		Stateful().
		Doc(`Updates rows of a variable by the Adagrad method, with an epsilon.

accum += grad²; var -= lr·grad/(√accum + epsilon)

update_slots: Whether accum is updated.` + rowsDoc + epsilonDoc)
	registry.Define("ApplyProximalAdagrad").
		Input("var: Ref(T)").Input("accum: Ref(T)").Input("lr: T").Input("l1: T").Input("l2: T").
		Input("grad: T").Output("out: Ref(T)").
		Writes("var", "accum").
		Attr("T: numbertype").
		Attr("use_locking: bool = false").
		Doc(`Updates a variable by the Adagrad method, with L1 and L2 regularization.

accum += grad²; rate = lr/√accum; prox = var - rate·grad; var = sign(prox)/(1 + rate·l2)·max(|prox| - rate·l1, 0)` + denseDoc + penaltyDoc)
	registry.Define("ResourceApplyProximalAdagrad").
		Input("var: resource").Input("accum: resource").Input("lr: T").Input("l1: T").Input("l2: T").
		Input("grad: T").
		Writes("var", "accum").
		Attr("T: numbertype").
		Attr("use_locking: bool = false").
		Stateful().
		Doc(`Updates a variable by the Adagrad method, with L1 and L2 regularization.

accum += grad²; rate = lr/√accum; prox = var - rate·grad; var = sign(prox)/(1 + rate·l2)·max(|prox| - rate·l1, 0)` + denseDoc + penaltyDoc)

	registerReal(floats, adagrad[float32], adagrad[float64],
		"ApplyAdagrad", "ResourceApplyAdagrad", "SparseApplyAdagrad", "ResourceSparseApplyAdagrad", "ApplyAdagradV2", "ResourceApplyAdagradV2", "SparseApplyAdagradV2", "ResourceSparseApplyAdagradV2")
	registerComplex(adagrad[complex64], adagrad[complex128],
		"ApplyAdagrad", "ResourceApplyAdagrad", "SparseApplyAdagrad", "ResourceSparseApplyAdagrad", "ApplyAdagradV2", "ResourceApplyAdagradV2", "SparseApplyAdagradV2", "ResourceSparseApplyAdagradV2")
	registerReal(wide, proximalAdagrad[float32], proximalAdagrad[float64],
		"ApplyProximalAdagrad", "ResourceApplyProximalAdagrad")
}

func adagrad[T elementwise.Field](c *kernel.Construction) rule[T] {
	sqrt, accumulate := root[T](), c.Bool("update_slots")
	return func(h, grad []T, now, next *elements[T]) {
		rate, epsilon := h[0], T(0)
		if len(h) > 1 {
			epsilon = h[1]
		}
		for i, g := range grad {
			a := now[1][i]
			if accumulate {
				a += g * g
			}
			next[1][i] = a
			next[0][i] = now[0][i] - g*rate/(sqrt(a)+epsilon)
		}
	}
}

func proximalAdagrad[T elementwise.Float](*kernel.Construction) rule[T] {
	sqrt := root[T]()
	return func(h, grad []T, now, next *elements[T]) {
		rate, l1, l2 := h[0], h[1], h[2]
		for i, g := range grad {
			a := now[1][i] + g*g
			next[1][i] = a
			r := rate / sqrt(a)
			next[0][i] = proximal(now[0][i]-g*r, r, l1, l2)
		}
	}
}

// proximalNumber reports what is wrong with a number of proximal Adagrad.
func proximalNumber(name string, x float64) string {
	if name == "lr" && !(x > 0) {
		return "lr is not a positive scalar"
	}
	if (name == "l1" || name == "l2") && !(x >= 0) {
		return words(name) + " is not a non-negative scalar"
	}
	return ""
}
