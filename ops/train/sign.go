package train

import "github.com/troupe-go/troupe/registry"

func init() {
	registry.Define("ApplyAddSign").
		Input("var: Ref(T)").Input("m: Ref(T)").Input("lr: T").Input("alpha: T").Input("sign_decay: T").
		Input("beta: T").Input("grad: T").Output("out: Ref(T)").
		Attr("T: numbertype").
		Attr("use_locking: bool = false").
		Doc(`Updates a variable by the AddSign method.

m = beta·m + (1-beta)·grad; var -= lr·(alpha + sign_decay·sign(grad)·sign(m))·grad`)
	registry.Define("ResourceApplyAddSign").
		Input("var: resource").Input("m: resource").Input("lr: T").Input("alpha: T").
		Input("sign_decay: T").Input("beta: T").Input("grad: T").
		Attr("T: numbertype").
		Attr("use_locking: bool = false").
		Stateful().
		Doc(`Updates a variable by the AddSign method.

m = beta·m + (1-beta)·grad; var -= lr·(alpha + sign_decay·sign(grad)·sign(m))·grad`)
	registry.Define("ApplyPowerSign").
		Input("var: Ref(T)").Input("m: Ref(T)").Input("lr: T").Input("logbase: T").Input("sign_decay: T").
		Input("beta: T").Input("grad: T").Output("out: Ref(T)").
		Attr("T: numbertype").
		Attr("use_locking: bool = false").
		Doc(`Updates a variable by the PowerSign method.

m = beta·m + (1-beta)·grad; var -= lr·exp(logbase·sign_decay·sign(grad)·sign(m))·grad`)
	registry.Define("ResourceApplyPowerSign").
		Input("var: resource").Input("m: resource").Input("lr: T").Input("logbase: T").
		Input("sign_decay: T").Input("beta: T").Input("grad: T").
		Attr("T: numbertype").
		Attr("use_locking: bool = false").
		Stateful().
		Doc(`Updates a variable by the PowerSign method.

m = beta·m + (1-beta)·grad; var -= lr·exp(logbase·sign_decay·sign(grad)·sign(m))·grad`)
}
