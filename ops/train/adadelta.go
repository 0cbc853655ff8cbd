package train

import "github.com/troupe-go/troupe/registry"

func init() {
	registry.Define("ApplyAdadelta").
		Input("var: Ref(T)").Input("accum: Ref(T)").Input("accum_update: Ref(T)").Input("lr: T").
		Input("rho: T").Input("epsilon: T").Input("grad: T").Output("out: Ref(T)").
		Attr("T: numbertype").
		Attr("use_locking: bool = false").
		Doc(`Updates a variable by the Adadelta method.

accum = rho·accum + (1-rho)·grad²; update = √(accum_update + epsilon)/√(accum + epsilon)·grad;
accum_update = rho·accum_update + (1-rho)·update²; var -= lr·update` + denseDoc + epsilonDoc + rhoDoc)
	registry.Define("ResourceApplyAdadelta").
		Input("var: resource").Input("accum: resource").Input("accum_update: resource").Input("lr: T").
		Input("rho: T").Input("epsilon: T").Input("grad: T").
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
		Attr("T: numbertype").
		Attr("Tindices: {int32, int64}").
		Attr("use_locking: bool = false").
		Doc(`Updates rows of a variable by the Adadelta method.

accum = rho·accum + (1-rho)·grad²; update = √(accum_update + epsilon)/√(accum + epsilon)·grad;
accum_update = rho·accum_update + (1-rho)·update²; var -= lr·update` + rowsDoc + epsilonDoc + rhoDoc)
	registry.Define("ResourceSparseApplyAdadelta").
		Input("var: resource").Input("accum: resource").Input("accum_update: resource").Input("lr: T").
		Input("rho: T").Input("epsilon: T").Input("grad: T").Input("indices: Tindices").
		Attr("T: numbertype").
		Attr("Tindices: {int32, int64}").
		Attr("use_locking: bool = false").
		Stateful().
		Doc(`Updates rows of a variable by the Adadelta method.

accum = rho·accum + (1-rho)·grad²; update = √(accum_update + epsilon)/√(accum + epsilon)·grad;
accum_update = rho·accum_update + (1-rho)·update²; var -= lr·update` + rowsDoc + epsilonDoc + rhoDoc)
}
