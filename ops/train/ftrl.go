package train

import "github.com/troupe-go/troupe/registry"

func init() {
	registry.Define("ApplyFtrl").
		Input("var: Ref(T)").Input("accum: Ref(T)").Input("linear: Ref(T)").Input("grad: T").
		Input("lr: T").Input("l1: T").Input("l2: T").Input("lr_power: T").Output("out: Ref(T)").
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
		Attr("T: numbertype").
		Attr("Tindices: {int32, int64}").
		Attr("use_locking: bool = false").
		Attr("multiply_linear_by_lr: bool = false").
		Stateful().
		Doc(`Updates rows of a variable by the FTRL-proximal method with L2 shrinkage, as ResourceApplyFtrlV2 does.

l2_shrinkage: How much the variable itself counts in its gradient.
lr_power: Not above 0; usually -0.5.
multiply_linear_by_lr: Whether linear is kept multiplied by lr.` + rowsDoc + penaltyDoc)
}
