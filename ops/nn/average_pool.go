package nn

import "github.com/troupe-go/troupe/registry"

func init() {
	registry.Define("AvgPool").
		Input("value: T").Output("output: T").
		Attr("ksize: list(int) >= 4").
		Attr("strides: list(int) >= 4").
		Attr("padding: {'SAME', 'VALID'}").
		Attr("data_format: {'NHWC', 'NCHW'} = 'NHWC'").
		Attr("T: {half, bfloat16, float, double}").
		Doc(`Takes the mean of each window of images.

ksize: The size of the window in each dimension.
strides: The step in each dimension.
data_format: The order of the dimensions.`)
	registry.Define("AvgPoolGrad").
		Input("orig_input_shape: int32").Input("grad: T").Output("output: T").
		Attr("ksize: list(int) >= 4").
		Attr("strides: list(int) >= 4").
		Attr("padding: {'SAME', 'VALID'}").
		Attr("data_format: {'NHWC', 'NCHW'} = 'NHWC'").
		Attr("T: {half, bfloat16, float, double}").
		Doc(`Computes the gradient of AvgPool.

orig_input_shape: The shape of its input.
grad: The gradient of its output.
ksize: The size of the window in each dimension.
strides: The step in each dimension.
data_format: The order of the dimensions.`)
	registry.Define("AvgPool3D").
		Input("input: T").Output("output: T").
		Attr("ksize: list(int) >= 5").
		Attr("strides: list(int) >= 5").
		Attr("padding: {'SAME', 'VALID'}").
		Attr("data_format: {'NDHWC', 'NCDHW'} = 'NDHWC'").
		Attr("T: {half, bfloat16, float, double}").
		Doc(`Takes the mean of each window of volumes.

ksize: The size of the window in each dimension.
strides: The step in each dimension.
data_format: The order of the dimensions.`)
	registry.Define("AvgPool3DGrad").
		Input("orig_input_shape: int32").Input("grad: T").Output("output: T").
		Attr("ksize: list(int) >= 5").
		Attr("strides: list(int) >= 5").
		Attr("padding: {'SAME', 'VALID'}").
		Attr("data_format: {'NDHWC', 'NCDHW'} = 'NDHWC'").
		Attr("T: {half, bfloat16, float, double}").
		Doc(`Computes the gradient of AvgPool3D.

orig_input_shape: The shape of its input.
grad: The gradient of its output.
ksize: The size of the window in each dimension.
strides: The step in each dimension.
data_format: The order of the dimensions.`)
}
