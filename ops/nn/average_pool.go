package nn

import (
	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/graph/gradient"
	"github.com/troupe-go/troupe/registry"
)

func init() {
	registry.Define("AvgPool").
		Input("value: T").Output("output: T").
		Attr("ksize: list(int) >= 4").
		Attr("strides: list(int) >= 4").
		Attr("padding: {'SAME', 'VALID'}").
		Attr("data_format: {'NHWC', 'NCHW'} = 'NHWC'").
		Attr("T: {half, bfloat16, float, double}").
		Doc(`Takes the mean of each window of images; what lies beyond the edges does not count.

value: A batch of images.
ksize: The size of the window in each of the four dimensions; 1 for the batch.
strides: The window's step in each of the four dimensions; 1 for the batch.
data_format: "NHWC" for batch, height, width, channels; "NCHW" with the channels second.` + poolPaddingDoc)
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
ksize: As in AvgPool.
strides: As in AvgPool.
padding: As in AvgPool.
data_format: As in AvgPool.`)
	registry.Define("AvgPool3D").
		Input("input: T").Output("output: T").
		Attr("ksize: list(int) >= 5").
		Attr("strides: list(int) >= 5").
		Attr("padding: {'SAME', 'VALID'}").
		Attr("data_format: {'NDHWC', 'NCDHW'} = 'NDHWC'").
		Attr("T: {half, bfloat16, float, double}").
		Doc(`Takes the mean of each window of volumes.

input: A batch of volumes.
ksize: The size of the window in each of the five dimensions; 1 for batch and channels.
strides: The window's step in each of the five dimensions; 1 for batch and channels.
data_format: "NDHWC" for batch, depth, height, width, channels; "NCDHW" with the channels second.` + poolPaddingDoc)
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
ksize: As in AvgPool3D.
strides: As in AvgPool3D.
padding: As in AvgPool3D.
data_format: As in AvgPool3D.`)

	for _, op := range []string{"AvgPool", "AvgPool3D"} {
		windows := []string{"ksize", "strides", "padding", "data_format"}
		gradient.Unary(func(c *gradient.Context, x, _, dy graph.Output) graph.Output {
			return c.Op(op+"Grad", c.Attrs(windows...), c.Shape(x), dy)
		}, op)
		gradient.Register(func(c *gradient.Context) {
			if c.Has(0) {
				c.Set(1, c.Op(op, c.Attrs(windows...), c.Dy(0)))
			}
		}, op+"Grad")
	}
}
