package nn

import "github.com/troupe-go/troupe/registry"

func init() {
	registry.Define("MaxPool").
		Input("input: T").Output("output: T").
		Attr("T: {half, bfloat16, float, double, int32, int64, uint8, int16, int8, uint16, qint8} = DT_FLOAT").
		Attr("ksize: list(int) >= 4").
		Attr("strides: list(int) >= 4").
		Attr("padding: {'SAME', 'VALID', 'EXPLICIT'}").
		Attr("explicit_paddings: list(int) = []").
		Attr("data_format: {'NHWC', 'NCHW', 'NCHW_VECT_C'} = 'NHWC'").
		Doc(`Takes the greatest element of each window of images.

ksize: The size of the window in each dimension.
strides: The step in each dimension.
explicit_paddings: The padding before and after each dimension where padding is "EXPLICIT".
data_format: The order of the dimensions.`)
	registry.Define("MaxPoolV2").
		Input("input: T").Input("ksize: int32").Input("strides: int32").Output("output: T").
		Attr("T: {half, bfloat16, float, double, int32, int64, uint8, int16, int8, uint16, qint8} = DT_FLOAT").
		Attr("padding: {'SAME', 'VALID'}").
		Attr("data_format: {'NHWC', 'NCHW', 'NCHW_VECT_C'} = 'NHWC'").
		Doc(`Takes the greatest element of each window of images, of a size that is an input.

ksize: The size of the window in each dimension.
strides: The step in each dimension.
data_format: The order of the dimensions.`)
	registry.Define("MaxPoolGrad").
		Input("orig_input: T").Input("orig_output: T").Input("grad: T").Output("output: T").
		Attr("ksize: list(int) >= 4").
		Attr("strides: list(int) >= 4").
		Attr("padding: {'SAME', 'VALID', 'EXPLICIT'}").
		Attr("explicit_paddings: list(int) = []").
		Attr("data_format: {'NHWC', 'NCHW'} = 'NHWC'").
		Attr("T: realnumbertype = DT_FLOAT").
		Doc(`Computes the gradient of MaxPool.

orig_input: Its input.
orig_output: Its output.
grad: The gradient of its output.
ksize: The size of the window in each dimension.
strides: The step in each dimension.
explicit_paddings: The padding before and after each dimension where padding is "EXPLICIT".
data_format: The order of the dimensions.`)
	registry.Define("MaxPoolGradV2").
		Input("orig_input: T").Input("orig_output: T").Input("grad: T").Input("ksize: int32").
		Input("strides: int32").Output("output: T").
		Attr("padding: {'SAME', 'VALID'}").
		Attr("data_format: {'NHWC', 'NCHW'} = 'NHWC'").
		Attr("T: realnumbertype = DT_FLOAT").
		Doc(`Computes the gradient of MaxPoolV2.

orig_input: Its input.
orig_output: Its output.
grad: The gradient of its output.
ksize: The size of the window in each dimension.
strides: The step in each dimension.
data_format: The order of the dimensions.`)
	registry.Define("MaxPoolGradGrad").
		Input("orig_input: T").Input("orig_output: T").Input("grad: T").Output("output: T").
		Attr("ksize: list(int) >= 4").
		Attr("strides: list(int) >= 4").
		Attr("padding: {'SAME', 'VALID'}").
		Attr("data_format: {'NHWC', 'NCHW'} = 'NHWC'").
		Attr("T: realnumbertype").
		Doc(`Computes the gradient of MaxPoolGrad.

orig_input: The input of MaxPool.
orig_output: Its output.
grad: The gradient of the gradient of its input.
ksize: The size of the window in each dimension.
strides: The step in each dimension.
data_format: The order of the dimensions.`)
	registry.Define("MaxPoolWithArgmax").
		Input("input: T").Output("output: T").Output("argmax: Targmax").
		Attr("ksize: list(int) >= 4").
		Attr("strides: list(int) >= 4").
		Attr("Targmax: {int32, int64} = DT_INT64").
		Attr("padding: {'SAME', 'VALID'}").
		Attr("include_batch_in_index: bool = false").
		Attr("T: realnumbertype").
		Doc(`Takes the greatest element of each window of images, and tells where it was.

argmax: Where each was: its place in the flattened image, or batch.
ksize: The size of the window in each dimension.
strides: The step in each dimension.
include_batch_in_index: Whether places count through the whole batch.`)
	registry.Define("MaxPoolGradWithArgmax").
		Input("input: T").Input("grad: T").Input("argmax: Targmax").Output("output: T").
		Attr("ksize: list(int) >= 4").
		Attr("strides: list(int) >= 4").
		Attr("padding: {'SAME', 'VALID'}").
		Attr("include_batch_in_index: bool = false").
		Attr("Targmax: {int32, int64}").
		Attr("T: realnumbertype").
		Doc(`Computes the gradient of MaxPoolWithArgmax.

input: Its input.
grad: The gradient of its output.
argmax: What it gave.
ksize: The size of the window in each dimension.
strides: The step in each dimension.
include_batch_in_index: Whether places count through the whole batch.`)
	registry.Define("MaxPool3D").
		Input("input: T").Output("output: T").
		Attr("ksize: list(int) >= 5").
		Attr("strides: list(int) >= 5").
		Attr("padding: {'SAME', 'VALID'}").
		Attr("data_format: {'NDHWC', 'NCDHW'} = 'NDHWC'").
		Attr("T: {half, bfloat16, float}").
		Doc(`Takes the greatest element of each window of volumes.

ksize: The size of the window in each dimension.
strides: The step in each dimension.
data_format: The order of the dimensions.`)
	registry.Define("MaxPool3DGrad").
		Input("orig_input: TInput").Input("orig_output: TInput").Input("grad: T").Output("output: T").
		Attr("ksize: list(int) >= 5").
		Attr("strides: list(int) >= 5").
		Attr("padding: {'SAME', 'VALID'}").
		Attr("data_format: {'NDHWC', 'NCDHW'} = 'NDHWC'").
		Attr("T: {half, bfloat16, float} = DT_FLOAT").
		Attr("TInput: {half, bfloat16, float} = DT_FLOAT").
		Doc(`Computes the gradient of MaxPool3D.

orig_input: Its input.
orig_output: Its output.
grad: The gradient of its output.
ksize: The size of the window in each dimension.
strides: The step in each dimension.
data_format: The order of the dimensions.`)
	registry.Define("MaxPool3DGradGrad").
		Input("orig_input: T").Input("orig_output: T").Input("grad: T").Output("output: T").
		Attr("ksize: list(int) >= 5").
		Attr("strides: list(int) >= 5").
		Attr("padding: {'SAME', 'VALID'}").
		Attr("data_format: {'NDHWC', 'NCDHW'} = 'NDHWC'").
		Attr("T: realnumbertype").
		Doc(`Computes the gradient of MaxPool3DGrad.

orig_input: The input of MaxPool3D.
orig_output: Its output.
grad: The gradient of the gradient of its input.
ksize: The size of the window in each dimension.
strides: The step in each dimension.
data_format: The order of the dimensions.`)
}
