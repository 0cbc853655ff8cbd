package nn

import "github.com/troupe-go/troupe/registry"

func init() {
	registry.Define("DepthwiseConv2dNative").
		Input("input: T").Input("filter: T").Output("output: T").
		Attr("T: {half, bfloat16, float, double}").
		Attr("strides: list(int)").
		Attr("padding: {'SAME', 'VALID', 'EXPLICIT'}").
		Attr("explicit_paddings: list(int) = []").
		Attr("data_format: {'NHWC', 'NCHW'} = 'NHWC'").
		Attr("dilations: list(int) = [1, 1, 1, 1]").
		Doc(`Slides filters over each channel of images on its own.

input: A batch of images, their dimensions ordered as data_format says.
filter: Height, width, channels of the input, and the number of filters of each channel.
output: A batch of images with channels·filters channels.
strides: The step in each dimension of the input.
data_format: "NHWC" for batch, height, width, channels; "NCHW" for batch, channels, height, width.
dilations: The distance of the filter's elements in each dimension.` + paddingDoc)
	registry.Define("DepthwiseConv2dNativeBackpropInput").
		Input("input_sizes: int32").Input("filter: T").Input("out_backprop: T").Output("output: T").
		Attr("T: {half, bfloat16, float, double}").
		Attr("strides: list(int)").
		Attr("padding: {'SAME', 'VALID', 'EXPLICIT'}").
		Attr("explicit_paddings: list(int) = []").
		Attr("data_format: {'NHWC', 'NCHW'} = 'NHWC'").
		Attr("dilations: list(int) = [1, 1, 1, 1]").
		Doc(`Computes the gradient of DepthwiseConv2dNative with respect to its input.

input_sizes: The shape of the input.
filter: The filter.
out_backprop: The gradient of the output.
strides: As in DepthwiseConv2dNative.
padding: As in DepthwiseConv2dNative.
explicit_paddings: As in DepthwiseConv2dNative.
data_format: As in DepthwiseConv2dNative.
dilations: As in DepthwiseConv2dNative.`)
	registry.Define("DepthwiseConv2dNativeBackpropFilter").
		Input("input: T").Input("filter_sizes: int32").Input("out_backprop: T").Output("output: T").
		Attr("T: {half, bfloat16, float, double}").
		Attr("strides: list(int)").
		Attr("padding: {'SAME', 'VALID', 'EXPLICIT'}").
		Attr("explicit_paddings: list(int) = []").
		Attr("data_format: {'NHWC', 'NCHW'} = 'NHWC'").
		Attr("dilations: list(int) = [1, 1, 1, 1]").
		Doc(`Computes the gradient of DepthwiseConv2dNative with respect to its filter.

input: The input.
filter_sizes: The shape of the filter.
out_backprop: The gradient of the output.
strides: As in DepthwiseConv2dNative.
padding: As in DepthwiseConv2dNative.
explicit_paddings: As in DepthwiseConv2dNative.
data_format: As in DepthwiseConv2dNative.
dilations: As in DepthwiseConv2dNative.`)

	convolutionGradients("DepthwiseConv2dNative", "DepthwiseConv2dNativeBackpropInput", "DepthwiseConv2dNativeBackpropFilter",
		[]string{"strides", "padding", "explicit_paddings", "data_format", "dilations"})
}
