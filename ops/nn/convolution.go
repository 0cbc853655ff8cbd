package nn

import "github.com/troupe-go/troupe/registry"

func init() {
	registry.Define("Conv").
		Input("input: T").Input("filter: T").Output("output: T").
		Attr("T: {half, bfloat16, float, double, int32}").
		Attr("strides: list(int)").
		Attr("padding: {'SAME', 'VALID', 'EXPLICIT'}").
		Attr("explicit_paddings: list(int) = []").
		Attr("data_format: {'CHANNELS_FIRST', 'CHANNELS_LAST'} = 'CHANNELS_LAST'").
		Attr("dilations: list(int) = []").
		Attr("batch_dims: int = 1").
		Attr("groups: int = 1").
		Doc(`Computes a convolution over any number of spatial dimensions.

filter: Spatial dimensions, channels of the input (of a group), channels of the output.
strides: The step in each dimension of the input.
padding: "SAME", "VALID", or "EXPLICIT" with explicit_paddings.
explicit_paddings: The padding before and after each dimension.
data_format: Whether channels come before or after the spatial dimensions.
dilations: The distance of the filter's elements in each dimension.
batch_dims: The number of leading batch dimensions.
groups: Into how many groups the channels are split.`)
	registry.Define("Conv2D").
		Input("input: T").Input("filter: T").Output("output: T").
		Attr("T: {half, bfloat16, float, double, int32}").
		Attr("strides: list(int)").
		Attr("use_cudnn_on_gpu: bool = true").
		Attr("padding: {'SAME', 'VALID', 'EXPLICIT'}").
		Attr("explicit_paddings: list(int) = []").
		Attr("data_format: {'NHWC', 'NCHW'} = 'NHWC'").
		Attr("dilations: list(int) = [1, 1, 1, 1]").
		Doc(`Computes a convolution over two spatial dimensions.

filter: Height, width, channels of the input (of a group), channels of the output.
strides: The step in each dimension of the input.
use_cudnn_on_gpu: Ignored.
padding: "SAME", "VALID", or "EXPLICIT" with explicit_paddings.
explicit_paddings: The padding before and after each dimension.
data_format: The order of the input's dimensions.
dilations: The distance of the filter's elements in each dimension.`)
	registry.Define("Conv2DBackpropInput").
		Input("input_sizes: int32").Input("filter: T").Input("out_backprop: T").Output("output: T").
		Attr("T: {half, bfloat16, float, double, int32}").
		Attr("strides: list(int)").
		Attr("use_cudnn_on_gpu: bool = true").
		Attr("padding: {'SAME', 'VALID', 'EXPLICIT'}").
		Attr("explicit_paddings: list(int) = []").
		Attr("data_format: {'NHWC', 'NCHW'} = 'NHWC'").
		Attr("dilations: list(int) = [1, 1, 1, 1]").
		Doc(`Computes the gradient of Conv2D with respect to its input; it is also known as a transposed convolution.

input_sizes: The shape of the input, or its height and width.
out_backprop: The gradient of the output.
strides: As Conv2D has it.
use_cudnn_on_gpu: Ignored.
padding: As Conv2D has it.
explicit_paddings: The padding before and after each dimension.
data_format: The order of the input's dimensions.
dilations: The distance of the filter's elements in each dimension.`)
	registry.Define("Conv2DBackpropFilter").
		Input("input: T").Input("filter_sizes: int32").Input("out_backprop: T").Output("output: T").
		Attr("T: {half, bfloat16, float, double}").
		Attr("strides: list(int)").
		Attr("use_cudnn_on_gpu: bool = true").
		Attr("padding: {'SAME', 'VALID', 'EXPLICIT'}").
		Attr("explicit_paddings: list(int) = []").
		Attr("data_format: {'NHWC', 'NCHW'} = 'NHWC'").
		Attr("dilations: list(int) = [1, 1, 1, 1]").
		Doc(`Computes the gradient of Conv2D with respect to its filter.

filter_sizes: The shape of the filter.
out_backprop: The gradient of the output.
strides: As Conv2D has it.
use_cudnn_on_gpu: Ignored.
padding: As Conv2D has it.
explicit_paddings: The padding before and after each dimension.
data_format: The order of the input's dimensions.
dilations: The distance of the filter's elements in each dimension.`)
	registry.Define("Conv3D").
		Input("input: T").Input("filter: T").Output("output: T").
		Attr("T: {half, bfloat16, float, double}").
		Attr("strides: list(int) >= 5").
		Attr("padding: {'SAME', 'VALID'}").
		Attr("data_format: {'NDHWC', 'NCDHW'} = 'NDHWC'").
		Attr("dilations: list(int) = [1, 1, 1, 1, 1]").
		Doc(`Computes a convolution over three spatial dimensions.

filter: Depth, height, width, channels of the input (of a group), channels of the output.
strides: The step in each dimension of the input.
data_format: The order of the input's dimensions.
dilations: The distance of the filter's elements in each dimension.`)
	registry.Define("Conv3DBackpropInputV2").
		Input("input_sizes: Tshape").Input("filter: T").Input("out_backprop: T").Output("output: T").
		Attr("T: {half, bfloat16, float, double}").
		Attr("strides: list(int) >= 5").
		Attr("padding: {'SAME', 'VALID'}").
		Attr("data_format: {'NDHWC', 'NCDHW'} = 'NDHWC'").
		Attr("dilations: list(int) = [1, 1, 1, 1, 1]").
		Attr("Tshape: {int32, int64} = DT_INT32").
		Doc(`Computes the gradient of Conv3D with respect to its input.

input_sizes: The shape of the input.
out_backprop: The gradient of the output.
strides: As Conv3D has it.
data_format: The order of the input's dimensions.
dilations: The distance of the filter's elements in each dimension.`)
	registry.Define("Conv3DBackpropFilterV2").
		Input("input: T").Input("filter_sizes: int32").Input("out_backprop: T").Output("output: T").
		Attr("T: {half, bfloat16, float, double}").
		Attr("strides: list(int) >= 5").
		Attr("padding: {'SAME', 'VALID'}").
		Attr("data_format: {'NDHWC', 'NCDHW'} = 'NDHWC'").
		Attr("dilations: list(int) = [1, 1, 1, 1, 1]").
		Doc(`Computes the gradient of Conv3D with respect to its filter.

filter_sizes: The shape of the filter.
out_backprop: The gradient of the output.
strides: As Conv3D has it.
data_format: The order of the input's dimensions.
dilations: The distance of the filter's elements in each dimension.`)
	registry.Define("FusedResizeAndPadConv2D").
		Input("input: T").Input("size: int32").Input("paddings: int32").Input("filter: T").
		Output("output: T").
		Attr("T: {half, float, double}").
		Attr("resize_align_corners: bool = false").
		Attr("mode: {'REFLECT', 'SYMMETRIC'}").
		Attr("strides: list(int)").
		Attr("padding: {'SAME', 'VALID'}").
		Doc(`Resizes images by bilinear interpolation, mirrors their edges and computes a convolution.

size: The new height and width.
paddings: How much is mirrored before and after each dimension.
mode: Whether the edge itself is mirrored too.
strides: The step in each dimension.`)
	registry.Define("_FusedConv2D").
		Input("input: T").Input("filter: T").Input("args: TArgs").
		Input("host_args: num_host_args * float").Output("output: T").
		Attr("T: {half, float, double, int8, qint8}").
		Attr("TArgs: list(type) >= 1").
		Attr("num_args: int >= 0").
		Attr("num_host_args: int >= 0 = 0").
		Attr("strides: list(int)").
		Attr("padding: {'SAME', 'VALID', 'EXPLICIT'}").
		Attr("explicit_paddings: list(int) = []").
		Attr("data_format: {'NHWC', 'NCHW', 'NCHW_VECT_C'} = 'NHWC'").
		Attr("filter_format: {'HWIO', 'OIHW', 'OIHW_VECT_I'} = 'HWIO'").
		Attr("dilations: list(int) = [1, 1, 1, 1]").
		Attr("use_cudnn_on_gpu: bool = true").
		Attr("fused_ops: list(string) = []").
		Attr("epsilon: float = 0.0001").
		Attr("leakyrelu_alpha: float = 0.2").
		Doc(`Computes Conv2D followed by other operations on its result.

args: What these operations take.
host_args: What they take from the host's memory.
fused_ops: The operations, such as "BiasAdd" and "Relu".
epsilon: That of "FusedBatchNorm".
leakyrelu_alpha: That of "LeakyRelu".`)
	registry.Define("_FusedMatMul").
		Input("a: T").Input("b: T").Input("args: num_args * T").Output("product: T").
		Attr("transpose_a: bool = false").
		Attr("transpose_b: bool = false").
		Attr("T: {bfloat16, half, float}").
		Attr("num_args: int >= 0").
		Attr("fused_ops: list(string) = []").
		Attr("epsilon: float = 0.0001").
		Attr("leakyrelu_alpha: float = 0.2").
		Doc(`Computes MatMul followed by other operations on its result.

args: What these operations take.
fused_ops: The operations, such as "BiasAdd" and "Relu".
epsilon: That of "FusedBatchNorm".
leakyrelu_alpha: That of "LeakyRelu".`)
}
