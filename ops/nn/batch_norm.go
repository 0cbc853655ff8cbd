package nn

import "github.com/troupe-go/troupe/registry"

func init() {
	registry.Define("BatchNormWithGlobalNormalization").
		Input("t: T").Input("m: T").Input("v: T").Input("beta: T").Input("gamma: T").Output("result: T").
		Attr("T: numbertype").
		Attr("variance_epsilon: float").
		Attr("scale_after_normalization: bool").
		Deprecated(9, "Batch normalization is composed of other ops").
		Doc(`Normalizes with a given mean and variance: (t - m)/√(v + variance_epsilon)·gamma + beta.

scale_after_normalization: Whether gamma counts.`)
	registry.Define("FusedBatchNorm").
		Input("x: T").Input("scale: T").Input("offset: T").Input("mean: T").Input("variance: T").
		Output("y: T").Output("batch_mean: T").Output("batch_variance: T").Output("reserve_space_1: T").
		Output("reserve_space_2: T").
		Attr("T: {float}").
		Attr("epsilon: float = 0.0001").
		Attr("exponential_avg_factor: float = 1").
		Attr("data_format: {'NHWC', 'NCHW'} = 'NHWC'").
		Attr("is_training: bool = true").
		Doc(`Normalizes each channel to mean 0 and variance 1, then scales and shifts it.

mean: The running mean; empty in the first step of training.
variance: The running variance; likewise.
batch_mean: The mean, or its running average.
batch_variance: The variance, or its running average.
reserve_space_1: What the gradient needs.
reserve_space_2: What the gradient needs.
epsilon: What is added to the variance.
exponential_avg_factor: How much the new mean and variance count in the running ones.
is_training: Whether mean and variance are those of the batch, rather than given.`)
	registry.Define("FusedBatchNormV2").
		Input("x: T").Input("scale: U").Input("offset: U").Input("mean: U").Input("variance: U").
		Output("y: T").Output("batch_mean: U").Output("batch_variance: U").Output("reserve_space_1: U").
		Output("reserve_space_2: U").
		Attr("T: {half, bfloat16, float}").
		Attr("U: {float}").
		Attr("epsilon: float = 0.0001").
		Attr("exponential_avg_factor: float = 1").
		Attr("data_format: {'NHWC', 'NCHW'} = 'NHWC'").
		Attr("is_training: bool = true").
		Doc(`Normalizes each channel to mean 0 and variance 1, then scales and shifts it; statistics have a type of their own.

mean: The running mean; empty in the first step of training.
variance: The running variance; likewise.
batch_mean: The mean, or its running average.
batch_variance: The variance, or its running average.
reserve_space_1: What the gradient needs.
reserve_space_2: What the gradient needs.
epsilon: What is added to the variance.
exponential_avg_factor: How much the new mean and variance count in the running ones.
is_training: Whether mean and variance are those of the batch, rather than given.`)
	registry.Define("FusedBatchNormV3").
		Input("x: T").Input("scale: U").Input("offset: U").Input("mean: U").Input("variance: U").
		Output("y: T").Output("batch_mean: U").Output("batch_variance: U").Output("reserve_space_1: U").
		Output("reserve_space_2: U").Output("reserve_space_3: U").
		Attr("T: {half, bfloat16, float}").
		Attr("U: {bfloat16, float}").
		Attr("epsilon: float = 0.0001").
		Attr("exponential_avg_factor: float = 1").
		Attr("data_format: {'NHWC', 'NCHW', 'NDHWC', 'NCDHW'} = 'NHWC'").
		Attr("is_training: bool = true").
		Doc(`Normalizes each channel to mean 0 and variance 1, then scales and shifts it; statistics have a type of their own.

mean: The running mean; empty in the first step of training.
variance: The running variance; likewise.
batch_mean: The mean, or its running average.
batch_variance: The variance, or its running average.
reserve_space_1: What the gradient needs.
reserve_space_2: What the gradient needs.
reserve_space_3: What the gradient needs.
epsilon: What is added to the variance.
exponential_avg_factor: How much the new mean and variance count in the running ones.
is_training: Whether mean and variance are those of the batch, rather than given.`)
	registry.Define("FusedBatchNormGrad").
		Input("y_backprop: T").Input("x: T").Input("scale: T").Input("reserve_space_1: T").
		Input("reserve_space_2: T").Output("x_backprop: T").Output("scale_backprop: T").
		Output("offset_backprop: T").Output("reserve_space_3: T").Output("reserve_space_4: T").
		Attr("T: {float}").
		Attr("epsilon: float = 0.0001").
		Attr("data_format: {'NHWC', 'NCHW'} = 'NHWC'").
		Attr("is_training: bool = true").
		Doc(`Computes the gradient of FusedBatchNorm.

y_backprop: The gradient of y.
reserve_space_1: The mean, or what FusedBatchNorm reserved.
reserve_space_2: The variance, or what FusedBatchNorm reserved.`)
	registry.Define("FusedBatchNormGradV2").
		Input("y_backprop: T").Input("x: T").Input("scale: float").Input("reserve_space_1: U").
		Input("reserve_space_2: U").Output("x_backprop: T").Output("scale_backprop: U").
		Output("offset_backprop: U").Output("reserve_space_3: U").Output("reserve_space_4: U").
		Attr("T: {half, bfloat16, float}").
		Attr("U: {float}").
		Attr("epsilon: float = 0.0001").
		Attr("data_format: {'NHWC', 'NCHW'} = 'NHWC'").
		Attr("is_training: bool = true").
		Doc(`Computes the gradient of FusedBatchNormV2.

y_backprop: The gradient of y.
reserve_space_1: The mean, or what FusedBatchNormV2 reserved.
reserve_space_2: The variance, or what FusedBatchNormV2 reserved.`)
	registry.Define("FusedBatchNormGradV3").
		Input("y_backprop: T").Input("x: T").Input("scale: float").Input("reserve_space_1: U").
		Input("reserve_space_2: U").Input("reserve_space_3: U").Output("x_backprop: T").
		Output("scale_backprop: U").Output("offset_backprop: U").Output("reserve_space_4: U").
		Output("reserve_space_5: U").
		Attr("T: {half, bfloat16, float}").
		Attr("U: {float}").
		Attr("epsilon: float = 0.0001").
		Attr("data_format: {'NHWC', 'NCHW', 'NDHWC', 'NCDHW'} = 'NHWC'").
		Attr("is_training: bool = true").
		Doc(`Computes the gradient of FusedBatchNormV3.

y_backprop: The gradient of y.
reserve_space_1: The mean, or what FusedBatchNormV3 reserved.
reserve_space_2: The variance, or what FusedBatchNormV3 reserved.
reserve_space_3: What FusedBatchNormV3 reserved.`)
	registry.Define("LRN").
		Input("input: T").Output("output: T").
		Attr("depth_radius: int = 5").
		Attr("bias: float = 1").
		Attr("alpha: float = 1").
		Attr("beta: float = 0.5").
		Attr("T: {half, bfloat16, float} = DT_FLOAT").
		Doc(`Divides each element by a power of the squares around it: x/(bias + alpha·sum(x²))^beta, over neighboring channels.

depth_radius: How many channels on either side count.`)
	registry.Define("LRNGrad").
		Input("input_grads: T").Input("input_image: T").Input("output_image: T").Output("output: T").
		Attr("depth_radius: int = 5").
		Attr("bias: float = 1").
		Attr("alpha: float = 1").
		Attr("beta: float = 0.5").
		Attr("T: {half, bfloat16, float} = DT_FLOAT").
		Doc(`Computes the gradient of LRN.

input_grads: The gradient of its output.
input_image: Its input.
output_image: Its output.`)
}
