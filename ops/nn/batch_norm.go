package nn

import (
	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/graph/gradient"
	"github.com/troupe-go/troupe/registry"
)

func init() {
	registry.Define("BatchNormWithGlobalNormalization").
		Input("t: T").Input("m: T").Input("v: T").Input("beta: T").Input("gamma: T").Output("result: T").
		Attr("T: numbertype").
		Attr("variance_epsilon: float").
		Attr("scale_after_normalization: bool").
		Deprecated(9, "Batch normalization is composed of other ops").
		Doc(`Normalizes with a given mean and variance: (t - m)/√(v + variance_epsilon)·gamma + beta.

t: Images, channels last.
m: The mean of each channel.
v: The variance of each channel.
beta: What is added to each channel at the end.
gamma: The factor of each channel.
variance_epsilon: What is added to the variance, so that it is not 0.
scale_after_normalization: Whether to multiply by gamma.`)
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

x: A batch of images.
scale: A factor for each channel.
offset: What is added to each channel after that.
mean: The running mean; empty in the first step of training.
variance: The running variance; likewise.
batch_mean: The mean, or its running average.
batch_variance: The variance, or its running average.
reserve_space_1: What the gradient needs.
reserve_space_2: What the gradient needs.
epsilon: What is added to the variance, so that it is not 0.
exponential_avg_factor: How much the batch's mean and variance count in the running ones; 1 for entirely.
data_format: Where the channels are: the last dimension, or the second.
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

x: A batch of images.
scale: A factor for each channel.
offset: What is added to each channel after that.
mean: The running mean; empty in the first step of training.
variance: The running variance; likewise.
batch_mean: The mean, or its running average.
batch_variance: The variance, or its running average.
reserve_space_1: What the gradient needs.
reserve_space_2: What the gradient needs.
epsilon: What is added to the variance, so that it is not 0.
exponential_avg_factor: How much the batch's mean and variance count in the running ones; 1 for entirely.
data_format: Where the channels are: the last dimension, or the second.
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

x: A batch of images, or of volumes for FusedBatchNormV3.
scale: A factor for each channel.
offset: What is added to each channel after that.
mean: The running mean; empty in the first step of training.
variance: The running variance; likewise.
batch_mean: The mean, or its running average.
batch_variance: The variance, or its running average.
reserve_space_1: What the gradient needs.
reserve_space_2: What the gradient needs.
reserve_space_3: What the gradient needs.
epsilon: What is added to the variance, so that it is not 0.
exponential_avg_factor: How much the batch's mean and variance count in the running ones; 1 for entirely.
data_format: Where the channels are: the last dimension, or the second.
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
x: As the operation had it.
scale: As the operation had it.
reserve_space_1: The mean, or what FusedBatchNorm reserved.
reserve_space_2: The variance, or what FusedBatchNorm reserved.
x_backprop: The gradient of x.
scale_backprop: The gradient of scale.
offset_backprop: The gradient of offset.
epsilon: What was added to the variance.
data_format: Where the channels are: the last dimension, or the second.
is_training: Whether mean and variance were those of the batch.`)
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
x: As the operation had it.
scale: As the operation had it.
reserve_space_1: The mean, or what FusedBatchNormV2 reserved.
reserve_space_2: The variance, or what FusedBatchNormV2 reserved.
x_backprop: The gradient of x.
scale_backprop: The gradient of scale.
offset_backprop: The gradient of offset.
epsilon: What was added to the variance.
data_format: Where the channels are: the last dimension, or the second.
is_training: Whether mean and variance were those of the batch.`)
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
x: As the operation had it.
scale: As the operation had it.
reserve_space_1: The mean, or what FusedBatchNormV3 reserved.
reserve_space_2: The variance, or what FusedBatchNormV3 reserved.
reserve_space_3: What FusedBatchNormV3 reserved.
x_backprop: The gradient of x.
scale_backprop: The gradient of scale.
offset_backprop: The gradient of offset.
epsilon: What was added to the variance.
data_format: Where the channels are: the last dimension, or the second.
is_training: Whether mean and variance were those of the batch.`)
	registry.Define("LRN").
		Input("input: T").Output("output: T").
		Attr("depth_radius: int = 5").
		Attr("bias: float = 1").
		Attr("alpha: float = 1").
		Attr("beta: float = 0.5").
		Attr("T: {half, bfloat16, float} = DT_FLOAT").
		Doc(`Divides each element by a power of the squares around it: x/(bias + alpha·sum(x²))^beta, over neighboring channels.

depth_radius: How many channels on either side count.
bias: What is added to the sum; positive, so that nothing is divided by 0.
alpha: The factor of the sum.
beta: The power.`)
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
output_image: Its output.
depth_radius: How many channels on either side count.
bias: What is added to the sum; positive, so that nothing is divided by 0.
alpha: The factor of the sum.
beta: The power.`)

	gradient.Register(globalNormGradient, "BatchNormWithGlobalNormalization")
	gradient.Register(batchNormGradient, "FusedBatchNorm", "FusedBatchNormV2", "FusedBatchNormV3")
	gradient.Register(batchNormGradGradient, "FusedBatchNormGrad", "FusedBatchNormGradV2", "FusedBatchNormGradV3")
	gradient.Unary(func(c *gradient.Context, x, y, dy graph.Output) graph.Output {
		return c.Op("LRNGrad", c.Attrs("depth_radius", "bias", "alpha", "beta"), dy, x, y)
	}, "LRN")
}
