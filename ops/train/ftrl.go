package train

import (
	"math"

	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/kernel/elementwise"
	"github.com/troupe-go/troupe/registry"
)

func init() {
	registry.Define("ApplyFtrl").
		Input("var: Ref(T)").Input("accum: Ref(T)").Input("linear: Ref(T)").Input("grad: T").
		Input("lr: T").Input("l1: T").Input("l2: T").Input("lr_power: T").Output("out: Ref(T)").
		Writes("var", "accum", "linear").
		Attr("T: numbertype").
		Attr("use_locking: bool = false").
		Attr("multiply_linear_by_lr: bool = false").
		Doc(`Updates a variable by the FTRL-proximal method.

next = accum + grad²; linear += grad - (next^-lr_power - accum^-lr_power)/lr·var; quadratic = next^-lr_power/lr + 2·l2;
var = (sign(linear)·l1 - linear)/quadratic where |linear| > l1, else 0; accum = next

lr_power: Not above 0; usually -0.5.
multiply_linear_by_lr: Whether linear is kept multiplied by lr.` + denseDoc + penaltyDoc)
	registry.Define("ResourceApplyFtrl").
		Input("var: resource").Input("accum: resource").Input("linear: resource").Input("grad: T").
		Input("lr: T").Input("l1: T").Input("l2: T").Input("lr_power: T").
		Writes("var", "accum", "linear").
		Attr("T: numbertype").
		Attr("use_locking: bool = false").
		Attr("multiply_linear_by_lr: bool = false").
		Stateful().
		Doc(`Updates a variable by the FTRL-proximal method.

next = accum + grad²; linear += grad - (next^-lr_power - accum^-lr_power)/lr·var; quadratic = next^-lr_power/lr + 2·l2;
var = (sign(linear)·l1 - linear)/quadratic where |linear| > l1, else 0; accum = next

lr_power: Not above 0; usually -0.5.
multiply_linear_by_lr: Whether linear is kept multiplied by lr.` + denseDoc + penaltyDoc)
	registry.Define("ApplyFtrlV2").
		Input("var: Ref(T)").Input("accum: Ref(T)").Input("linear: Ref(T)").Input("grad: T").
		Input("lr: T").Input("l1: T").Input("l2: T").Input("l2_shrinkage: T").Input("lr_power: T").
		Output("out: Ref(T)").
		Writes("var", "accum", "linear").
		Attr("T: numbertype").
		Attr("use_locking: bool = false").
		Attr("multiply_linear_by_lr: bool = false").
		Doc(`Updates a variable by the FTRL-proximal method with L2 shrinkage.

As ApplyFtrl, with grad + 2·l2_shrinkage·var in place of grad in linear.

l2_shrinkage: How much the variable itself counts in its gradient.
lr_power: Not above 0; usually -0.5.
multiply_linear_by_lr: Whether linear is kept multiplied by lr.` + denseDoc + penaltyDoc)
	registry.Define("ResourceApplyFtrlV2").
		Input("var: resource").Input("accum: resource").Input("linear: resource").Input("grad: T").
		Input("lr: T").Input("l1: T").Input("l2: T").Input("l2_shrinkage: T").Input("lr_power: T").
		Writes("var", "accum", "linear").
		Attr("T: numbertype").
		Attr("use_locking: bool = false").
		Attr("multiply_linear_by_lr: bool = false").
		Stateful().
		Doc(`Updates a variable by the FTRL-proximal method with L2 shrinkage.

As ResourceApplyFtrl, with grad + 2·l2_shrinkage·var in place of grad in linear.

l2_shrinkage: How much the variable itself counts in its gradient.
lr_power: Not above 0; usually -0.5.
multiply_linear_by_lr: Whether linear is kept multiplied by lr.` + denseDoc + penaltyDoc)
	registry.Define("SparseApplyFtrl").
		Input("var: Ref(T)").Input("accum: Ref(T)").Input("linear: Ref(T)").Input("grad: T").
		Input("indices: Tindices").Input("lr: T").Input("l1: T").Input("l2: T").Input("lr_power: T").
		Output("out: Ref(T)").
		Writes("var", "accum", "linear").
		Attr("T: numbertype").
		Attr("Tindices: {int32, int64}").
		Attr("use_locking: bool = false").
		Attr("multiply_linear_by_lr: bool = false").
		Doc(`Updates rows of a variable by the FTRL-proximal method, as ApplyFtrl does.

lr_power: Not above 0; usually -0.5.
multiply_linear_by_lr: Whether linear is kept multiplied by lr.` + rowsDoc + penaltyDoc)
	registry.Define("ResourceSparseApplyFtrl").
		Input("var: resource").Input("accum: resource").Input("linear: resource").Input("grad: T").
		Input("indices: Tindices").Input("lr: T").Input("l1: T").Input("l2: T").Input("lr_power: T").
		Writes("var", "accum", "linear").
		Attr("T: numbertype").
		Attr("Tindices: {int32, int64}").
		Attr("use_locking: bool = false").
		Attr("multiply_linear_by_lr: bool = false").
		Stateful().
		Doc(`Updates rows of a variable by the FTRL-proximal method, as ResourceApplyFtrl does.

lr_power: Not above 0; usually -0.5.
multiply_linear_by_lr: Whether linear is kept multiplied by lr.` + rowsDoc + penaltyDoc)
	registry.Define("SparseApplyFtrlV2").
		Input("var: Ref(T)").Input("accum: Ref(T)").Input("linear: Ref(T)").Input("grad: T").
		Input("indices: Tindices").Input("lr: T").Input("l1: T").Input("l2: T").Input("l2_shrinkage: T").
		Input("lr_power: T").Output("out: Ref(T)").
		Writes("var", "accum", "linear").
		Attr("T: numbertype").
		Attr("Tindices: {int32, int64}").
		Attr("use_locking: bool = false").
		Attr("multiply_linear_by_lr: bool = false").
		Doc(`Updates rows of a variable by the FTRL-proximal method with L2 shrinkage, as ApplyFtrlV2 does.

l2_shrinkage: How much the variable itself counts in its gradient.
lr_power: Not above 0; usually -0.5.
multiply_linear_by_lr: Whether linear is kept multiplied by lr.` + rowsDoc + penaltyDoc)
	registry.Define("ResourceSparseApplyFtrlV2").
		Input("var: resource").Input("accum: resource").Input("linear: resource").Input("grad: T").
		Input("indices: Tindices").Input("lr: T").Input("l1: T").Input("l2: T").Input("l2_shrinkage: T").
		Input("lr_power: T").
		Writes("var", "accum", "linear").
		Attr("T: numbertype").
		Attr("Tindices: {int32, int64}").
		Attr("use_locking: bool = false").
		Attr("multiply_linear_by_lr: bool = false").
		Stateful().
		Doc(`Updates rows of a variable by the FTRL-proximal method with L2 shrinkage, as ResourceApplyFtrlV2 does.

l2_shrinkage: How much the variable itself counts in its gradient.
lr_power: Not above 0; usually -0.5.
multiply_linear_by_lr: Whether linear is kept multiplied by lr.` + rowsDoc + penaltyDoc)

	registerReal(floats, ftrl[float32], ftrl[float64],
		"ApplyFtrl", "ResourceApplyFtrl", "SparseApplyFtrl", "ResourceSparseApplyFtrl", "ApplyFtrlV2", "ResourceApplyFtrlV2", "SparseApplyFtrlV2", "ResourceSparseApplyFtrlV2")
}

func ftrl[T elementwise.Float](c *kernel.Construction) rule[T] {
	sqrt, multiply := root[T](), c.Bool("multiply_linear_by_lr")
	return func(h, grad []T, now, next *elements[T]) {
		rate, l1, l2, shrinkage, power := h[0], h[1], h[2], T(0), h[len(h)-1]
		if len(h) > 4 {
			shrinkage = h[3]
		}
		scale, divide := T(1), rate // of the gradient, and of what it is balanced with
		if multiply {
			scale, divide = rate, 1
		}
		raise := sqrt
		if power != -0.5 {
			raise = func(x T) T { return T(math.Pow(float64(x), float64(-power))) }
		}
		bound := l1 * scale
		for i, g := range grad {
			v, sum := now[0][i], now[1][i]+g*g
			after, before := raise(sum), raise(now[1][i])
			linear := now[2][i] + (g+2*shrinkage*v)*scale - (after-before)/divide*v
			next[1][i] = sum
			next[2][i] = linear
			next[0][i] = 0
			if T(math.Abs(float64(linear))) > bound {
				next[0][i] = (bound*sign(linear) - linear) / (after/divide + 2*l2*scale)
			}
		}
	}
}

// ftrlNumber reports what is wrong with a number of an update of rows. lr may be 0
// where linear is multiplied by it.
func ftrlNumber(name string, x float64, zero bool) string {
	switch name {
	case "lr":
		if !(x > 0 || x == 0 && zero) {
			return "lr is not a positive scalar (or zero if multiply_linear_by_lr is set)"
		}
	case "l1", "l2", "l2_shrinkage":
		if !(x >= 0) {
			return words(name) + " is not a non-negative scalar"
		}
	case "lr_power":
		if !(x <= 0) {
			return "lr_power is not a non-positive scalar"
		}
	}
	return ""
}
