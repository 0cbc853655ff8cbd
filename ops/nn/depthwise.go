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
		Doc(`Convolves each channel with filters of its own.

filter: Height, width, channels of the input, and the number of filters of each.
strides: The step in each dimension of the input.
padding: "SAME", "VALID", or "EXPLICIT" with explicit_paddings.
explicit_paddings: The padding before and after each dimension.
data_format: The order of the input's dimensions.
dilations: The distance of the filter's elements in each dimension.`)
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
out_backprop: The gradient of the output.
strides: As DepthwiseConv2dNative has it.
explicit_paddings: The padding before and after each dimension.
data_format: The order of the input's dimensions.
dilations: The distance of the filter's elements in each dimension.`)
	registry.Define("DepthwiseConv2dNativeBackpropFilter").
		Input("input: T").Input("filter_sizes: int32").Input("out_backprop: T").Output("output: T").
		Attr("T: {half, bfloat16, float, double}").
		Attr("strides: list(int)").
		Attr("padding: {'SAME', 'VALID', 'EXPLICIT'}").
		Attr("explicit_paddings: list(int) = []").
		Attr("data_format: {'NHWC', 'NCHW'} = 'NHWC'").
		Attr("dilations: list(int) = [1, 1, 1, 1]").
		Doc(`Computes the gradient of DepthwiseConv2dNative with respect to its filter.

filter_sizes: The shape of the filter.
out_backprop: The gradient of the output.
strides: As DepthwiseConv2dNative has it.
explicit_paddings: The padding before and after each dimension.
data_format: The order of the input's dimensions.
dilations: The distance of the filter's elements in each dimension.`)
}
