package nn

import "github.com/troupe-go/troupe/registry"

func init() {
	registry.Define("Relu").
		Input("features: T").Output("activations: T").
		Attr("T: {realnumbertype, qint8}").
		Doc("Replaces negative elements by 0.")
	registry.Define("ReluGrad").
		Input("gradients: T").Input("features: T").Output("backprops: T").
		Attr("T: realnumbertype").
		Doc(`Computes the gradient of Relu.

gradients: The gradient of its output.
features: Its input, or its output.`)
	registry.Define("Relu6").
		Input("features: T").Output("activations: T").
		Attr("T: realnumbertype").
		Doc("Limits elements to the range from 0 to 6.")
	registry.Define("Relu6Grad").
		Input("gradients: T").Input("features: T").Output("backprops: T").
		Attr("T: realnumbertype").
		Doc(`Computes the gradient of Relu6.

gradients: The gradient of its output.
features: Its input, or its output.`)
	registry.Define("LeakyRelu").
		Input("features: T").Output("activations: T").
		Attr("alpha: float = 0.2").
		Attr("T: {half, bfloat16, float, double} = DT_FLOAT").
		Doc("Multiplies negative elements by alpha.")
	registry.Define("LeakyReluGrad").
		Input("gradients: T").Input("features: T").Output("backprops: T").
		Attr("alpha: float = 0.2").
		Attr("T: {half, bfloat16, float, double} = DT_FLOAT").
		Doc(`Computes the gradient of LeakyRelu.

gradients: The gradient of its output.
features: Its input.`)
	registry.Define("Elu").
		Input("features: T").Output("activations: T").
		Attr("T: {half, bfloat16, float, double}").
		Doc("Replaces negative elements x by exp(x) - 1.")
	registry.Define("EluGrad").
		Input("gradients: T").Input("outputs: T").Output("backprops: T").
		Attr("T: {half, bfloat16, float, double}").
		Doc(`Computes the gradient of Elu.

gradients: The gradient of its output.
outputs: Its output.`)
	registry.Define("Selu").
		Input("features: T").Output("activations: T").
		Attr("T: {half, bfloat16, float, double}").
		Doc("Computes scaled exponential linear units: scale·x, and for negative x scale·alpha·(exp(x) - 1), with the constants that keep mean and variance.")
	registry.Define("SeluGrad").
		Input("gradients: T").Input("outputs: T").Output("backprops: T").
		Attr("T: {half, bfloat16, float, double}").
		Doc(`Computes the gradient of Selu.

gradients: The gradient of its output.
outputs: Its output.`)
	registry.Define("Softplus").
		Input("features: T").Output("activations: T").
		Attr("T: {half, bfloat16, float, double}").
		Doc("Computes log(1 + exp(x)) for every element.")
	registry.Define("SoftplusGrad").
		Input("gradients: T").Input("features: T").Output("backprops: T").
		Attr("T: {half, bfloat16, float, double}").
		Doc(`Computes the gradient of Softplus.

gradients: The gradient of its output.
features: Its input.`)
	registry.Define("Softsign").
		Input("features: T").Output("activations: T").
		Attr("T: {half, bfloat16, float, double}").
		Doc("Computes x/(1 + |x|) for every element.")
	registry.Define("SoftsignGrad").
		Input("gradients: T").Input("features: T").Output("backprops: T").
		Attr("T: {half, bfloat16, float, double}").
		Doc(`Computes the gradient of Softsign.

gradients: The gradient of its output.
features: Its input.`)
}
