package train

import "github.com/troupe-go/troupe/registry"

func init() {
	registry.Define("ApplyAdam").
		Input("var: Ref(T)").Input("m: Ref(T)").Input("v: Ref(T)").Input("beta1_power: T").
		Input("beta2_power: T").Input("lr: T").Input("beta1: T").Input("beta2: T").Input("epsilon: T").
		Input("grad: T").Output("out: Ref(T)").
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
		Attr("T: numbertype").
		Attr("use_locking: bool = false").
		Doc(`Updates a variable by the AdaMax method.

m = beta1·m + (1-beta1)·grad; v = max(beta2·v, |grad|); var -= lr/(1-beta1_power)·m/(v + epsilon)

beta1_power: beta1 to the power of the step.` + denseDoc + epsilonDoc + betasDoc)
	registry.Define("ResourceApplyAdaMax").
		Input("var: resource").Input("m: resource").Input("v: resource").Input("beta1_power: T").
		Input("lr: T").Input("beta1: T").Input("beta2: T").Input("epsilon: T").Input("grad: T").
		Attr("T: numbertype").
		Attr("use_locking: bool = false").
		Stateful().
		Doc(`Updates a variable by the AdaMax method.

m = beta1·m + (1-beta1)·grad; v = max(beta2·v, |grad|); var -= lr/(1-beta1_power)·m/(v + epsilon)

beta1_power: beta1 to the power of the step.` + denseDoc + epsilonDoc + betasDoc)
}
