package nn

import "github.com/troupe-go/troupe/registry"

func init() {
	registry.Define("Softmax").
		Input("logits: T").Output("softmax: T").
		Attr("T: {half, bfloat16, float, double}").
		Doc("Computes exp(x)/sum(exp(x)) over the last dimension.")
	registry.Define("LogSoftmax").
		Input("logits: T").Output("logsoftmax: T").
		Attr("T: {half, bfloat16, float, double}").
		Doc("Computes x - log(sum(exp(x))) over the last dimension.")
	registry.Define("SoftmaxCrossEntropyWithLogits").
		Input("features: T").Input("labels: T").Output("loss: T").Output("backprop: T").
		Attr("T: {half, bfloat16, float, double}").
		Doc(`Computes the cross entropy of softmax against distributions, and its gradient.

features: Logits, one example a row.
labels: A distribution for each row.
loss: The loss of each row.
backprop: The gradient with respect to features.`)
	registry.Define("SparseSoftmaxCrossEntropyWithLogits").
		Input("features: T").Input("labels: Tlabels").Output("loss: T").Output("backprop: T").
		Attr("T: {half, bfloat16, float, double}").
		Attr("Tlabels: {int32, int64} = DT_INT64").
		Doc(`Computes the cross entropy of softmax against classes, and its gradient.

features: Logits, one example a row.
labels: The class of each row.
loss: The loss of each row.
backprop: The gradient with respect to features.`)
	registry.Define("L2Loss").
		Input("t: T").Output("output: T").
		Attr("T: {half, bfloat16, float, double}").
		Doc("Computes half of the sum of squares.")
}
