package nn

import (
	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/graph/gradient"
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/tensor"
)

func init() {
	registry.Define("FractionalAvgPool").
		Input("value: T").Output("output: T").Output("row_pooling_sequence: int64").
		Output("col_pooling_sequence: int64").
		Attr("pooling_ratio: list(float) >= 4").
		Attr("pseudo_random: bool = false").
		Attr("overlapping: bool = false").
		Attr("deterministic: bool = false").
		Attr("seed: int = 0").
		Attr("seed2: int = 0").
		Attr("T: {float, double, int32, int64}").
		Doc(`Takes the mean of windows of images, which shrinks them by a factor that need not be a whole number.

row_pooling_sequence: Where the windows' rows begin.
col_pooling_sequence: Where their columns begin.
pooling_ratio: The factor for each of the four dimensions; 1 for batch and channels.
pseudo_random: Whether windows are of sizes that vary regularly, rather than at random.
overlapping: Whether the pixels at a boundary belong to both windows.
deterministic: Whether every run takes the same windows.`)
	registry.Define("FractionalAvgPoolGrad").
		Input("orig_input_tensor_shape: int64").Input("out_backprop: T").
		Input("row_pooling_sequence: int64").Input("col_pooling_sequence: int64").Output("output: T").
		Attr("overlapping: bool = false").
		Attr("T: {float, double, int32, int64}").
		Doc(`Computes the gradient of FractionalAvgPool.

orig_input_tensor_shape: The shape of its input.
out_backprop: The gradient of its output.
row_pooling_sequence: Its output row_pooling_sequence.
col_pooling_sequence: Its output col_pooling_sequence.
overlapping: Whether the pixels at a boundary belong to both windows.`)
	registry.Define("FractionalMaxPool").
		Input("value: T").Output("output: T").Output("row_pooling_sequence: int64").
		Output("col_pooling_sequence: int64").
		Attr("pooling_ratio: list(float) >= 4").
		Attr("pseudo_random: bool = false").
		Attr("overlapping: bool = false").
		Attr("deterministic: bool = false").
		Attr("seed: int = 0").
		Attr("seed2: int = 0").
		Attr("T: {float, double, int32, int64}").
		Doc(`Takes the greatest element of windows of images, which shrinks them by a factor that need not be a whole number.

row_pooling_sequence: Where the windows' rows begin.
col_pooling_sequence: Where their columns begin.
pooling_ratio: The factor for each of the four dimensions; 1 for batch and channels.
pseudo_random: Whether windows are of sizes that vary regularly, rather than at random.
overlapping: Whether the pixels at a boundary belong to both windows.
deterministic: Whether every run takes the same windows.`)
	registry.Define("FractionalMaxPoolGrad").
		Input("orig_input: T").Input("orig_output: T").Input("out_backprop: T").
		Input("row_pooling_sequence: int64").Input("col_pooling_sequence: int64").Output("output: T").
		Attr("overlapping: bool = false").
		Attr("T: {float, double, int32, int64}").
		Doc(`Computes the gradient of FractionalMaxPool.

orig_input: Its input.
orig_output: Its output.
out_backprop: The gradient of its output.
row_pooling_sequence: Its output row_pooling_sequence.
col_pooling_sequence: Its output col_pooling_sequence.
overlapping: Whether the pixels at a boundary belong to both windows.`)

	gradient.Unary(func(c *gradient.Context, x, _, dy graph.Output) graph.Output {
		return c.Op("FractionalAvgPoolGrad", c.Attrs("overlapping"), c.ShapeOf(x, tensor.Int64), dy, c.Output(1), c.Output(2))
	}, "FractionalAvgPool")
	gradient.Unary(func(c *gradient.Context, x, y, dy graph.Output) graph.Output {
		return c.Op("FractionalMaxPoolGrad", c.Attrs("overlapping"), x, y, dy, c.Output(1), c.Output(2))
	}, "FractionalMaxPool")
}
