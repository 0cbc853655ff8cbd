package train

import "github.com/troupe-go/troupe/registry"

func init() {
	registry.Define("ApplyRMSProp").
		Input("var: Ref(T)").Input("ms: Ref(T)").Input("mom: Ref(T)").Input("lr: T").Input("rho: T").
		Input("momentum: T").Input("epsilon: T").Input("grad: T").Output("out: Ref(T)").
		Attr("T: numbertype").
		Attr("use_locking: bool = false").
		Doc(`Updates a variable by the RMSProp method.

ms = rho·ms + (1-rho)·grad²; mom = momentum·mom + lr·grad/√(ms + epsilon); var -= mom` + denseDoc + epsilonDoc + rhoDoc + momentumDoc)
	registry.Define("ResourceApplyRMSProp").
		Input("var: resource").Input("ms: resource").Input("mom: resource").Input("lr: T").
		Input("rho: T").Input("momentum: T").Input("epsilon: T").Input("grad: T").
		Attr("T: numbertype").
		Attr("use_locking: bool = false").
		Stateful().
		Doc(`Updates a variable by the RMSProp method.

ms = rho·ms + (1-rho)·grad²; mom = momentum·mom + lr·grad/√(ms + epsilon); var -= mom` + denseDoc + epsilonDoc + rhoDoc + momentumDoc)
	registry.Define("SparseApplyRMSProp").
		Input("var: Ref(T)").Input("ms: Ref(T)").Input("mom: Ref(T)").Input("lr: T").Input("rho: T").
		Input("momentum: T").Input("epsilon: T").Input("grad: T").Input("indices: Tindices").
		Output("out: Ref(T)").
		Attr("T: numbertype").
		Attr("Tindices: {int32, int64}").
		Attr("use_locking: bool = false").
		Doc(`Updates rows of a variable by the RMSProp method.

ms = rho·ms + (1-rho)·grad²; mom = momentum·mom + lr·grad/√(ms + epsilon); var -= mom` + rowsDoc + epsilonDoc + rhoDoc + momentumDoc)
	registry.Define("ResourceSparseApplyRMSProp").
		Input("var: resource").Input("ms: resource").Input("mom: resource").Input("lr: T").
		Input("rho: T").Input("momentum: T").Input("epsilon: T").Input("grad: T").
		Input("indices: Tindices").
		Attr("T: numbertype").
		Attr("Tindices: {int32, int64}").
		Attr("use_locking: bool = false").
		Stateful().
		Doc(`Updates rows of a variable by the RMSProp method.

ms = rho·ms + (1-rho)·grad²; mom = momentum·mom + lr·grad/√(ms + epsilon); var -= mom` + rowsDoc + epsilonDoc + rhoDoc + momentumDoc)
	registry.Define("ApplyCenteredRMSProp").
		Input("var: Ref(T)").Input("mg: Ref(T)").Input("ms: Ref(T)").Input("mom: Ref(T)").Input("lr: T").
		Input("rho: T").Input("momentum: T").Input("epsilon: T").Input("grad: T").Output("out: Ref(T)").
		Attr("T: numbertype").
		Attr("use_locking: bool = false").
		Doc(`Updates a variable by the centered RMSProp method, which estimates the variance of the gradient.

mg = rho·mg + (1-rho)·grad; ms = rho·ms + (1-rho)·grad²; mom = momentum·mom + lr·grad/√(ms - mg² + epsilon); var -= mom` + denseDoc + epsilonDoc + rhoDoc + momentumDoc)
	registry.Define("ResourceApplyCenteredRMSProp").
		Input("var: resource").Input("mg: resource").Input("ms: resource").Input("mom: resource").
		Input("lr: T").Input("rho: T").Input("momentum: T").Input("epsilon: T").Input("grad: T").
		Attr("T: numbertype").
		Attr("use_locking: bool = false").
		Stateful().
		Doc(`Updates a variable by the centered RMSProp method, which estimates the variance of the gradient.

mg = rho·mg + (1-rho)·grad; ms = rho·ms + (1-rho)·grad²; mom = momentum·mom + lr·grad/√(ms - mg² + epsilon); var -= mom` + denseDoc + epsilonDoc + rhoDoc + momentumDoc)
}
