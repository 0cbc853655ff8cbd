package nn

import (
	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/graph/gradient"
	"github.com/troupe-go/troupe/registry"
)

const paddingDoc = `

padding: "SAME" pads the edges with zeros so that an output dimension is the input's divided by the stride, rounded up; "VALID" uses whole windows only; "EXPLICIT" pads as explicit_paddings says.
explicit_paddings: How much to pad before and after each dimension, in pairs, for "EXPLICIT".`

const plainPaddingDoc = `

padding: "SAME" pads the edges with zeros so that an output dimension is the input's divided by the stride, rounded up; "VALID" uses whole windows only.`

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
		Doc(`Slides filters over a tensor: a convolution, without flipping the filters, over any number of spatial dimensions.

filter: Spatial dimensions, channels of the input (of a group), channels of the output.
strides: The filter's step in each dimension of the input; 1 for batch and channels.
data_format: Whether channels come first, right behind the batch ("CHANNELS_FIRST"), or last ("CHANNELS_LAST").
dilations: The distance of the filter's elements in each dimension.
batch_dims: The number of leading batch dimensions.
groups: Into how many groups the channels are split.` + paddingDoc)
	registry.Define("Conv2D").
		Input("input: T").Input("filter: T").Output("output: T").
		Attr("T: {half, bfloat16, float, double, int32}").
		Attr("strides: list(int)").
		Attr("use_cudnn_on_gpu: bool = true").
		Attr("padding: {'SAME', 'VALID', 'EXPLICIT'}").
		Attr("explicit_paddings: list(int) = []").
		Attr("data_format: {'NHWC', 'NCHW'} = 'NHWC'").
		Attr("dilations: list(int) = [1, 1, 1, 1]").
		Doc(`Slides filters over images: a convolution, without flipping the filters, over two spatial dimensions.

input: A batch of images, their dimensions ordered as data_format says.
filter: Height, width, channels of the input (of a group), channels of the output.
output: A batch of images with a channel for each filter, in the same order.
strides: The filter's step in each of the four dimensions; 1 for batch and channels.
use_cudnn_on_gpu: Ignored.
data_format: "NHWC" for batch, height, width, channels; "NCHW" for batch, channels, height, width.
dilations: The distance between a filter's elements in each of the four dimensions; 1 for batch and channels.` + paddingDoc)
	registry.Define("Conv2DBackpropInput").
		Input("input_sizes: int32").Input("filter: T").Input("out_backprop: T").Output("output: T").
		Attr("T: {half, bfloat16, float, double, int32}").
		Attr("strides: list(int)").
		Attr("use_cudnn_on_gpu: bool = true").
		Attr("padding: {'SAME', 'VALID', 'EXPLICIT'}").
		Attr("explicit_paddings: list(int) = []").
		Attr("data_format: {'NHWC', 'NCHW'} = 'NHWC'").
		Attr("dilations: list(int) = [1, 1, 1, 1]").
		Doc(`Computes the gradient of Conv2D with respect to its input; on its own it is known as transposed convolution.

input_sizes: The shape of the input, or its height and width.
filter: The filter.
out_backprop: The gradient of the output.
strides: As in Conv2D.
use_cudnn_on_gpu: Ignored.
padding: As in Conv2D.
explicit_paddings: As in Conv2D.
data_format: As in Conv2D.
dilations: As in Conv2D.`)
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

input: The input.
filter_sizes: The shape of the filter.
out_backprop: The gradient of the output.
strides: As in Conv2D.
use_cudnn_on_gpu: Ignored.
padding: As in Conv2D.
explicit_paddings: As in Conv2D.
data_format: As in Conv2D.
dilations: As in Conv2D.`)
	registry.Define("Conv3D").
		Input("input: T").Input("filter: T").Output("output: T").
		Attr("T: {half, bfloat16, float, double}").
		Attr("strides: list(int) >= 5").
		Attr("padding: {'SAME', 'VALID'}").
		Attr("data_format: {'NDHWC', 'NCDHW'} = 'NDHWC'").
		Attr("dilations: list(int) = [1, 1, 1, 1, 1]").
		Doc(`Slides filters over volumes: a convolution, without flipping the filters, over three spatial dimensions.

input: A batch of volumes, their dimensions ordered as data_format says.
filter: Depth, height, width, channels of the input (of a group), channels of the output.
strides: The filter's step in each of the five dimensions; 1 for batch and channels.
data_format: "NDHWC" for batch, depth, height, width, channels; "NCDHW" with the channels second.
dilations: The distance between a filter's elements in each of the five dimensions; 1 for batch and channels.` + plainPaddingDoc)
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
filter: The filter.
out_backprop: The gradient of its output.
strides: As in Conv3D.
padding: As in Conv3D.
data_format: As in Conv3D.
dilations: As in Conv3D.`)
	registry.Define("Conv3DBackpropFilterV2").
		Input("input: T").Input("filter_sizes: int32").Input("out_backprop: T").Output("output: T").
		Attr("T: {half, bfloat16, float, double}").
		Attr("strides: list(int) >= 5").
		Attr("padding: {'SAME', 'VALID'}").
		Attr("data_format: {'NDHWC', 'NCDHW'} = 'NDHWC'").
		Attr("dilations: list(int) = [1, 1, 1, 1, 1]").
		Doc(`Computes the gradient of Conv3D with respect to its filter.

input: The input.
filter_sizes: The shape of the filter.
out_backprop: The gradient of its output.
strides: As in Conv3D.
padding: As in Conv3D.
data_format: As in Conv3D.
dilations: As in Conv3D.`)
	registry.Define("FusedResizeAndPadConv2D").
		Input("input: T").Input("size: int32").Input("paddings: int32").Input("filter: T").
		Output("output: T").
		Attr("T: {half, float, double}").
		Attr("resize_align_corners: bool = false").
		Attr("mode: {'REFLECT', 'SYMMETRIC'}").
		Attr("strides: list(int)").
		Attr("padding: {'SAME', 'VALID'}").
		Doc(`Resizes images by bilinear interpolation, mirrors their edges and convolves them as Conv2D does.

size: The new height and width.
paddings: How much is mirrored before and after each dimension.
filter: As in Conv2D.
resize_align_corners: Whether the centers of the corner pixels stay where they are.
mode: "SYMMETRIC" mirrors the edge itself, too; "REFLECT" does not.
strides: As in Conv2D.
padding: As in Conv2D.`)
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
num_args: How many inputs they are.
strides: As in Conv2D.
padding: As in Conv2D.
explicit_paddings: As in Conv2D.
data_format: As in Conv2D.
filter_format: The order of the filter's dimensions.
dilations: As in Conv2D.
use_cudnn_on_gpu: Ignored.
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
transpose_a: As in MatMul.
transpose_b: As in MatMul.
fused_ops: The operations, such as "BiasAdd" and "Relu".
epsilon: That of "FusedBatchNorm".
leakyrelu_alpha: That of "LeakyRelu".`)

	registry.Define("_FusedDepthwiseConv2dNative").
		Input("input: T").Input("filter: T").Input("args: num_args * T").Output("output: T").
		Attr("T: {half, bfloat16, float, double}").
		Attr("num_args: int >= 0").
		Attr("strides: list(int)").
		Attr("padding: {'SAME', 'VALID'}").
		Attr("data_format: {'NHWC', 'NCHW'} = 'NHWC'").
		Attr("dilations: list(int) = [1, 1, 1, 1]").
		Attr("fused_ops: list(string) = []").
		Attr("epsilon: float = 0.0001").
		Attr("leakyrelu_alpha: float = 0.2").
		Doc(`Computes DepthwiseConv2dNative followed by other operations on its result.

args: What these operations take.
strides: As in DepthwiseConv2dNative.
padding: As in DepthwiseConv2dNative.
data_format: As in DepthwiseConv2dNative.
dilations: As in DepthwiseConv2dNative.
fused_ops: The operations, such as "BiasAdd" and "Relu".
epsilon: That of "FusedBatchNorm".
leakyrelu_alpha: That of "LeakyRelu".`)

	windows := []string{"strides", "padding", "explicit_paddings", "data_format", "dilations", "use_cudnn_on_gpu"}
	convolutionGradients("Conv2D", "Conv2DBackpropInput", "Conv2DBackpropFilter", windows)
	convolutionGradients("Conv3D", "Conv3DBackpropInputV2", "Conv3DBackpropFilterV2", windows)
}

// convolutionGradients registers the gradients of a convolution, y = x*w, and of its
// own gradients. Each of x, w and y is linear in another if the third is fixed, and
// the three operations are these maps.
func convolutionGradients(forward, input, filter string, attrs []string) {
	ofInput := func(c *gradient.Context, x, w, dy graph.Output) graph.Output {
		return c.Op(input, c.Attrs(attrs...), c.Shape(x), w, dy)
	}
	ofFilter := func(c *gradient.Context, x, w, dy graph.Output) graph.Output {
		return c.Op(filter, c.Attrs(attrs...), x, c.Shape(w), dy)
	}
	convolve := func(c *gradient.Context, x, w graph.Output) graph.Output {
		return c.Op(forward, c.Attrs(attrs...), x, w)
	}
	register := func(op string, i, k int, di, dk func(c *gradient.Context, dz graph.Output) graph.Output) {
		gradient.Register(func(c *gradient.Context) {
			if c.Has(0) && c.Wants(i) {
				c.Set(i, di(c, c.Dy(0)))
			}
			if c.Has(0) && c.Wants(k) {
				c.Set(k, dk(c, c.Dy(0)))
			}
		}, op)
	}
	register(forward, 0, 1,
		func(c *gradient.Context, dy graph.Output) graph.Output { return ofInput(c, c.Input(0), c.Input(1), dy) },
		func(c *gradient.Context, dy graph.Output) graph.Output {
			return ofFilter(c, c.Input(0), c.Input(1), dy)
		})
	register(input, 1, 2, // of w and dy
		func(c *gradient.Context, ddx graph.Output) graph.Output {
			return ofFilter(c, ddx, c.Input(1), c.Input(2))
		},
		func(c *gradient.Context, ddx graph.Output) graph.Output { return convolve(c, ddx, c.Input(1)) })
	register(filter, 0, 2, // of x and dy
		func(c *gradient.Context, ddw graph.Output) graph.Output {
			return ofInput(c, c.Input(0), ddw, c.Input(2))
		},
		func(c *gradient.Context, ddw graph.Output) graph.Output { return convolve(c, c.Input(0), ddw) })
}
