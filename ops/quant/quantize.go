package quant

import (
	"github.com/troupe-go/troupe/graph/gradient"
	"github.com/troupe-go/troupe/registry"
)

func init() {
	registry.Define("QuantizeV2").
		Input("input: float").Input("min_range: float").Input("max_range: float").Output("output: T").
		Output("output_min: float").Output("output_max: float").
		Attr("T: quantizedtype").
		Attr("mode: {'MIN_COMBINED', 'MIN_FIRST', 'SCALED'} = 'MIN_COMBINED'").
		Attr("round_mode: {'HALF_AWAY_FROM_ZERO', 'HALF_TO_EVEN'} = 'HALF_AWAY_FROM_ZERO'").
		Attr("narrow_range: bool = false").
		Attr("axis: int = -1").
		Attr("ensure_minimum_range: float = 0.01").
		Doc(`Quantizes floats to small integers over a range.

min_range: The value of the lowest integer.
max_range: The value of the highest integer.
output: The integers.
output_min: The value that the lowest integer came to stand for.
output_max: The value that the highest integer came to stand for.
T: The type of the integers.
mode: How integers stand for values: "MIN_COMBINED" and "MIN_FIRST" spread the range over all integers, "SCALED" makes them multiples of one step around 0.
round_mode: How "SCALED" rounds halves.
narrow_range: Whether the lowest integer is not used.
axis: The dimension whose slices have ranges of their own; -1 for one range.
ensure_minimum_range: The least size of the range.`)
	registry.Define("Dequantize").
		Input("input: T").Input("min_range: float").Input("max_range: float").Output("output: dtype").
		Attr("T: quantizedtype").
		Attr("mode: {'MIN_COMBINED', 'MIN_FIRST', 'SCALED'} = 'MIN_COMBINED'").
		Attr("narrow_range: bool = false").
		Attr("axis: int = -1").
		Attr("dtype: {bfloat16, float} = DT_FLOAT").
		Doc(`Turns quantized integers back into floats.

min_range: The value of the lowest integer.
max_range: The value of the highest integer.
mode: How integers stand for values: "MIN_COMBINED" and "MIN_FIRST" spread the range over all integers, "SCALED" makes them multiples of one step around 0.
narrow_range: Whether the lowest integer is not used.
axis: The dimension whose slices have ranges of their own; -1 for one range.`)
	registry.Define("QuantizeAndDequantize").
		Input("input: T").Output("output: T").
		Traits(registry.Total).
		Attr("signed_input: bool = true").
		Attr("num_bits: int = 8").
		Attr("range_given: bool = false").
		Attr("input_min: float = 0").
		Attr("input_max: float = 0").
		Attr("T: {bfloat16, half, float, double}").
		Deprecated(22, "Use QuantizeAndDequantizeV2").
		Doc(`Rounds floats to what quantized integers can stand for.

signed_input: Whether the integers are signed.
num_bits: How many bits the integers have.
range_given: Whether input_min and input_max are the range; else the input says it.
input_min: The low end of the range, if range_given is set.
input_max: The high end of the range, if range_given is set.`)
	registry.Define("QuantizeAndDequantizeV2").
		Input("input: T").Input("input_min: T").Input("input_max: T").Output("output: T").
		Attr("signed_input: bool = true").
		Attr("num_bits: int = 8").
		Attr("range_given: bool = false").
		Attr("T: {bfloat16, half, float, double}").
		Attr("round_mode: {'HALF_TO_EVEN', 'HALF_UP'} = 'HALF_TO_EVEN'").
		Attr("narrow_range: bool = false").
		Attr("axis: int = -1").
		Doc(`Rounds floats to what quantized integers can stand for.

input_min: The least value, if range_given is set.
input_max: The greatest value, if range_given is set.
signed_input: Whether the integers are signed.
num_bits: How many bits the integers have.
range_given: Whether the range is given; else the input says it.
round_mode: How halves are rounded.
narrow_range: Whether the lowest integer is not used.
axis: The dimension whose slices have ranges of their own; -1 for one range.`)
	registry.Define("QuantizeAndDequantizeV3").
		Input("input: T").Input("input_min: T").Input("input_max: T").Input("num_bits: int32").
		Output("output: T").
		Attr("signed_input: bool = true").
		Attr("range_given: bool = true").
		Attr("T: {bfloat16, half, float, double}").
		Attr("narrow_range: bool = false").
		Attr("axis: int = -1").
		Doc(`Rounds floats to what quantized integers can stand for, of a number of bits that is an input.

input_min: The least value, if range_given is set.
input_max: The greatest value, if range_given is set.
num_bits: How many bits the integers have.
signed_input: Whether the integers are signed.
range_given: Whether the range is given; else the input says it.
narrow_range: Whether the lowest integer is not used.
axis: The dimension whose slices have ranges of their own; -1 for one range.`)
	registry.Define("QuantizeAndDequantizeV4").
		Input("input: T").Input("input_min: T").Input("input_max: T").Output("output: T").
		Attr("signed_input: bool = true").
		Attr("num_bits: int = 8").
		Attr("range_given: bool = false").
		Attr("T: {bfloat16, half, float, double}").
		Attr("round_mode: {'HALF_TO_EVEN', 'HALF_UP'} = 'HALF_TO_EVEN'").
		Attr("narrow_range: bool = false").
		Attr("axis: int = -1").
		Doc(`Rounds floats to what quantized integers can stand for; its gradient is 0 outside of the range.

input_min: The least value, if range_given is set.
input_max: The greatest value, if range_given is set.
signed_input: Whether the integers are signed.
num_bits: How many bits the integers have.
range_given: Whether the range is given; else the input says it.
round_mode: How halves are rounded.
narrow_range: Whether the lowest integer is not used.
axis: The dimension whose slices have ranges of their own; -1 for one range.`)
	registry.Define("QuantizeAndDequantizeV4Grad").
		Input("gradients: T").Input("input: T").Input("input_min: T").Input("input_max: T").
		Output("input_backprop: T").Output("input_min_backprop: T").Output("input_max_backprop: T").
		Attr("T: {bfloat16, half, float, double}").
		Attr("axis: int = -1").
		Doc(`Computes the gradient of QuantizeAndDequantizeV4: it passes where the input is within the range.

gradients: The gradient of the output.
input: The input.
input_min: As QuantizeAndDequantizeV4 had it.
input_max: As QuantizeAndDequantizeV4 had it.
axis: The dimension whose slices have ranges of their own; -1 for one range.`)

	gradient.Register(func(c *gradient.Context) { c.Pass(0, 0) }, "QuantizeAndDequantize", "QuantizeAndDequantizeV2", "QuantizeAndDequantizeV3")
	gradient.Register(func(c *gradient.Context) {
		if c.Has(0) {
			c.SetList(0, c.Outputs("QuantizeAndDequantizeV4Grad", c.Attrs("axis"), c.Dy(0), c.Input(0), c.Input(1), c.Input(2)))
		}
	}, "QuantizeAndDequantizeV4")
	gradient.Register(func(c *gradient.Context) { // what came passes again where it passed
		if c.Has(0) {
			if again := c.Outputs("QuantizeAndDequantizeV4Grad", c.Attrs("axis"), c.Dy(0), c.Input(1), c.Input(2), c.Input(3)); again != nil {
				c.Set(0, again[0])
			}
		}
	}, "QuantizeAndDequantizeV4Grad")
}
