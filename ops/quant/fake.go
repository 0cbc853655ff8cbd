package quant

import (
	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/graph/gradient"
	"github.com/troupe-go/troupe/registry"
)

func init() {
	registry.Define("FakeQuantWithMinMaxArgs").
		Input("inputs: float").Output("outputs: float").
		Traits(registry.Elementwise | registry.Total).
		Attr("min: float = -6").
		Attr("max: float = 6").
		Attr("num_bits: int = 8").
		Attr("narrow_range: bool = false").
		Doc(`Rounds floats to what integers of num_bits can stand for over the range from min to max.

inputs: Floats; those outside of the range become its ends.
min: The low end of the range.
max: The high end of the range.
num_bits: How many bits the integers have, from 2 to 16.
narrow_range: Whether the lowest integer is not used.`)
	registry.Define("FakeQuantWithMinMaxArgsGradient").
		Input("gradients: float").Input("inputs: float").Output("backprops: float").
		Traits(registry.Elementwise).
		Attr("min: float = -6").
		Attr("max: float = 6").
		Attr("num_bits: int = 8").
		Attr("narrow_range: bool = false").
		Doc(`Computes the gradient of FakeQuantWithMinMaxArgs.

gradients: The gradient of the outputs.
backprops: The gradient of the inputs: 0 outside of the range.
min: The low end of the range.
max: The high end of the range.
num_bits: How many bits the integers have, from 2 to 16.
narrow_range: Whether the lowest integer is not used.`)
	registry.Define("FakeQuantWithMinMaxVars").
		Input("inputs: float").Input("min: float").Input("max: float").Output("outputs: float").
		Attr("num_bits: int = 8").
		Attr("narrow_range: bool = false").
		Doc(`Rounds floats to what integers of num_bits can stand for over a range that is an input.

inputs: Floats; those outside of the range become its ends.
min: The low end of the range.
max: The high end of the range.
num_bits: How many bits the integers have, from 2 to 16.
narrow_range: Whether the lowest integer is not used.`)
	registry.Define("FakeQuantWithMinMaxVarsGradient").
		Input("gradients: float").Input("inputs: float").Input("min: float").Input("max: float").
		Output("backprops_wrt_input: float").Output("backprop_wrt_min: float").
		Output("backprop_wrt_max: float").
		Attr("num_bits: int = 8").
		Attr("narrow_range: bool = false").
		Doc(`Computes the gradient of FakeQuantWithMinMaxVars.

gradients: The gradient of the outputs.
min: The low end of the range.
max: The high end of the range.
backprops_wrt_input: The gradient of the inputs: 0 outside of the range.
backprop_wrt_min: The sum of the gradients below the range.
backprop_wrt_max: The sum of the gradients above the range.
num_bits: How many bits the integers have, from 2 to 16.
narrow_range: Whether the lowest integer is not used.`)
	registry.Define("FakeQuantWithMinMaxVarsPerChannel").
		Input("inputs: float").Input("min: float").Input("max: float").Output("outputs: float").
		Attr("num_bits: int = 8").
		Attr("narrow_range: bool = false").
		Doc(`Rounds floats to what integers of num_bits can stand for, with a range for each slice of the last dimension.

min: The low end of each range, a vector.
max: The high end of each range, a vector.
num_bits: How many bits the integers have, from 2 to 16.
narrow_range: Whether the lowest integer is not used.`)
	registry.Define("FakeQuantWithMinMaxVarsPerChannelGradient").
		Input("gradients: float").Input("inputs: float").Input("min: float").Input("max: float").
		Output("backprops_wrt_input: float").Output("backprop_wrt_min: float").
		Output("backprop_wrt_max: float").
		Attr("num_bits: int = 8").
		Attr("narrow_range: bool = false").
		Doc(`Computes the gradient of FakeQuantWithMinMaxVarsPerChannel.

gradients: The gradient of the outputs.
min: The low end of each range, a vector.
max: The high end of each range, a vector.
backprops_wrt_input: The gradient of the inputs: 0 outside of the range.
backprop_wrt_min: For each slice the sum of the gradients below the range.
backprop_wrt_max: For each slice the sum of the gradients above the range.
num_bits: How many bits the integers have, from 2 to 16.
narrow_range: Whether the lowest integer is not used.`)

	gradient.Unary(func(c *gradient.Context, x, _, dy graph.Output) graph.Output {
		return c.Op("FakeQuantWithMinMaxArgsGradient", c.Attrs("min", "max", "num_bits", "narrow_range"), dy, x)
	}, "FakeQuantWithMinMaxArgs")
	for _, op := range []string{"FakeQuantWithMinMaxVars", "FakeQuantWithMinMaxVarsPerChannel"} {
		gradient.Register(func(c *gradient.Context) {
			if c.Has(0) {
				c.SetList(0, c.Outputs(op+"Gradient", c.Attrs("num_bits", "narrow_range"), c.Dy(0), c.Input(0), c.Input(1), c.Input(2)))
			}
		}, op)
	}
	gradient.None("FakeQuantWithMinMaxArgsGradient", "FakeQuantWithMinMaxVarsGradient", "FakeQuantWithMinMaxVarsPerChannelGradient")
}
