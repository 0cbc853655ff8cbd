package train

import "github.com/troupe-go/troupe/registry"

func init() {
	registry.Define("ApplyAdagrad").
		Input("var: Ref(T)").Input("accum: Ref(T)").Input("lr: T").Input("grad: T").Output("out: Ref(T)").
		Attr("T: numbertype").
		Attr("use_locking: bool = false").
		Attr("update_slots: bool = true").
		Doc(`Updates a variable by the Adagrad method.

accum += grad²; var -= lr·grad/√accum

update_slots: Whether accum is updated.` + denseDoc)
	registry.Define("ResourceApplyAdagrad").
		Input("var: resource").Input("accum: resource").Input("lr: T").Input("grad: T").
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
		Attr("T: numbertype").
		Attr("use_locking: bool = false").
		Attr("update_slots: bool = true").
		Doc(`Updates a variable by the Adagrad method, with an epsilon.

accum += grad²; var -= lr·grad/(√accum + epsilon)

update_slots: Whether accum is updated.` + denseDoc + epsilonDoc)
	registry.Define("ResourceApplyAdagradV2").
		Input("var: resource").Input("accum: resource").Input("lr: T").Input("epsilon: T").
		Input("grad: T").
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
		Attr("T: numbertype").
		Attr("use_locking: bool = false").
		Doc(`Updates a variable by the Adagrad method, with L1 and L2 regularization.

accum += grad²; rate = lr/√accum; prox = var - rate·grad; var = sign(prox)/(1 + rate·l2)·max(|prox| - rate·l1, 0)` + denseDoc + penaltyDoc)
	registry.Define("ResourceApplyProximalAdagrad").
		Input("var: resource").Input("accum: resource").Input("lr: T").Input("l1: T").Input("l2: T").
		Input("grad: T").
		Attr("T: numbertype").
		Attr("use_locking: bool = false").
		Stateful().
		Doc(`Updates a variable by the Adagrad method, with L1 and L2 regularization.

accum += grad²; rate = lr/√accum; prox = var - rate·grad; var = sign(prox)/(1 + rate·l2)·max(|prox| - rate·l1, 0)` + denseDoc + penaltyDoc)
}
