package nn

import (
	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/graph/gradient"
	"github.com/troupe-go/troupe/registry"
)

const poolPaddingDoc = `

padding: "SAME" lets windows reach over the edges so that an output dimension is the input's divided by the stride, rounded up; "VALID" uses whole windows only.`

func init() {
	registry.Define("MaxPool").
		Input("input: T").Output("output: T").
		Attr("T: {half, bfloat16, float, double, int32, int64, uint8, int16, int8, uint16, qint8} = DT_FLOAT").
		Attr("ksize: list(int) >= 4").
		Attr("strides: list(int) >= 4").
		Attr("padding: {'SAME', 'VALID', 'EXPLICIT'}").
		Attr("explicit_paddings: list(int) = []").
		Attr("data_format: {'NHWC', 'NCHW', 'NCHW_VECT_C'} = 'NHWC'").
		Doc(`Takes the greatest element of each window of images; what lies beyond the edges does not count.

input: A batch of images.
ksize: The size of the window in each of the four dimensions; 1 for the batch.
strides: The window's step in each of the four dimensions; 1 for the batch.
padding: "SAME" lets windows reach over the edges so that an output dimension is the input's divided by the stride, rounded up; "VALID" uses whole windows only; "EXPLICIT" adds explicit_paddings.
explicit_paddings: How far windows reach over the edges before and after each dimension, in pairs, for "EXPLICIT".
data_format: "NHWC" for batch, height, width, channels; "NCHW" with the channels second; "NCHW_VECT_C" with the channels second in groups of four that a last dimension holds.`)
	registry.Define("MaxPoolV2").
		Input("input: T").Input("ksize: int32").Input("strides: int32").Output("output: T").
		Attr("T: {half, bfloat16, float, double, int32, int64, uint8, int16, int8, uint16, qint8} = DT_FLOAT").
		Attr("padding: {'SAME', 'VALID'}").
		Attr("data_format: {'NHWC', 'NCHW', 'NCHW_VECT_C'} = 'NHWC'").
		Doc(`Takes the greatest element of each window of images, of a size that is an input.

ksize: The size of the window in each dimension.
strides: The step in each dimension.
data_format: The order of the dimensions.` + poolPaddingDoc)
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
ksize: As in MaxPool.
strides: As in MaxPool.
padding: As in MaxPool.
explicit_paddings: As in MaxPool.
data_format: As in MaxPool.`)
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
ksize: As in MaxPoolV2.
strides: As in MaxPoolV2.
padding: As in MaxPoolV2.
data_format: As in MaxPoolV2.`)
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
ksize: As in MaxPool.
strides: As in MaxPool.
padding: As in MaxPool.
data_format: As in MaxPool.`)
	registry.Define("MaxPoolGradGradV2").
		Input("orig_input: T").Input("orig_output: T").Input("grad: T").Input("ksize: int32").
		Input("strides: int32").Output("output: T").
		Attr("padding: {'SAME', 'VALID'}").
		Attr("data_format: {'NHWC', 'NCHW'} = 'NHWC'").
		Attr("T: realnumbertype").
		Doc(`Computes the gradient of MaxPoolGradV2.

orig_input: The input of MaxPoolV2.
orig_output: Its output.
grad: The gradient of the gradient of its input.
ksize: As in MaxPoolV2.
strides: As in MaxPoolV2.
padding: As in MaxPoolV2.
data_format: As in MaxPoolV2.`)
	registry.Define("MaxPoolWithArgmax").
		Input("input: T").Output("output: T").Output("argmax: Targmax").
		Attr("ksize: list(int) >= 4").
		Attr("strides: list(int) >= 4").
		Attr("Targmax: {int32, int64} = DT_INT64").
		Attr("padding: {'SAME', 'VALID'}").
		Attr("include_batch_in_index: bool = false").
		Attr("T: realnumbertype").
		Doc(`Takes the greatest element of each window of images, and its position.

argmax: Where each was: its place in the flattened image, or batch.
ksize: The size of the window in each dimension.
strides: The step in each dimension.
Targmax: The type of the places.
include_batch_in_index: Whether places count through the whole batch.` + poolPaddingDoc)
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
argmax: Its output argmax.
ksize: As in MaxPoolWithArgmax.
strides: As in MaxPoolWithArgmax.
padding: As in MaxPoolWithArgmax.
include_batch_in_index: As in MaxPoolWithArgmax.`)
	registry.Define("MaxPool3D").
		Input("input: T").Output("output: T").
		Attr("ksize: list(int) >= 5").
		Attr("strides: list(int) >= 5").
		Attr("padding: {'SAME', 'VALID'}").
		Attr("data_format: {'NDHWC', 'NCDHW'} = 'NDHWC'").
		Attr("T: {half, bfloat16, float}").
		Doc(`Takes the greatest element of each window of volumes.

input: A batch of volumes.
ksize: The size of the window in each of the five dimensions; 1 for batch and channels.
strides: The window's step in each of the five dimensions; 1 for batch and channels.
data_format: "NDHWC" for batch, depth, height, width, channels; "NCDHW" with the channels second.` + poolPaddingDoc)
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
ksize: As in MaxPool3D.
strides: As in MaxPool3D.
padding: As in MaxPool3D.
data_format: As in MaxPool3D.`)
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
ksize: As in MaxPool3D.
strides: As in MaxPool3D.
padding: As in MaxPool3D.
data_format: As in MaxPool3D.`)

	windows := []string{"ksize", "strides", "padding", "explicit_paddings", "data_format"}
	for _, op := range []string{"MaxPool", "MaxPool3D"} {
		gradient.Unary(func(c *gradient.Context, x, y, dy graph.Output) graph.Output {
			return c.Op(op+"Grad", c.Attrs(windows...), x, y, dy)
		}, op)
	}
	gradient.Unary(func(c *gradient.Context, x, y, dy graph.Output) graph.Output {
		return c.Op("MaxPoolGradV2", c.Attrs("padding", "data_format"), x, y, dy, c.Input(1), c.Input(2))
	}, "MaxPoolV2")
	gradient.Unary(func(c *gradient.Context, x, _, dy graph.Output) graph.Output {
		return c.Op("MaxPoolGradWithArgmax", c.Attrs("ksize", "strides", "padding", "include_batch_in_index"), x, dy, c.Output(1))
	}, "MaxPoolWithArgmax")
	// Of the gradients, which are linear in their last tensor, that alone has one.
	for op, back := range map[string]string{
		"MaxPoolGrad": "MaxPoolGradGrad", "MaxPoolGradGrad": "MaxPoolGrad",
		"MaxPoolGradV2": "MaxPoolGradGradV2",
		"MaxPool3DGrad": "MaxPool3DGradGrad", "MaxPool3DGradGrad": "MaxPool3DGrad",
	} {
		gradient.Register(func(c *gradient.Context) {
			if !c.Has(0) || !c.Wants(2) {
				return
			}
			inputs := []graph.Input{c.Input(0), c.Input(1), c.Dy(0)}
			attrs := windows
			if op == "MaxPoolGradV2" {
				inputs, attrs = append(inputs, c.Input(3), c.Input(4)), []string{"padding", "data_format"}
			}
			if back == "MaxPoolGradGrad" {
				attrs = []string{"ksize", "strides", "padding", "data_format"}
			}
			c.Set(2, c.Op(back, c.Attrs(attrs...), inputs...))
		}, op)
	}
}
