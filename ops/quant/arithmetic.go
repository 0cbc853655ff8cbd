package quant

import "github.com/troupe-go/troupe/registry"

func init() {
	registry.Define("QuantizedAdd").
		Input("x: T1").Input("y: T2").Input("min_x: float").Input("max_x: float").Input("min_y: float").
		Input("max_y: float").Output("z: Toutput").Output("min_z: float").Output("max_z: float").
		Attr("T1: quantizedtype").
		Attr("T2: quantizedtype").
		Attr("Toutput: quantizedtype = DT_QINT32").
		Doc(`Adds quantized tensors with broadcasting.

min_x: The value of the lowest integer of x.
max_x: The value of the highest integer of x.
min_y: The value of the lowest integer of y.
max_y: The value of the highest integer of y.
min_z: The value of the lowest integer of z.
max_z: The value of the highest integer of z.
Toutput: The type of the result.`)
	registry.Define("QuantizedMul").
		Input("x: T1").Input("y: T2").Input("min_x: float").Input("max_x: float").Input("min_y: float").
		Input("max_y: float").Output("z: Toutput").Output("min_z: float").Output("max_z: float").
		Attr("T1: quantizedtype").
		Attr("T2: quantizedtype").
		Attr("Toutput: quantizedtype = DT_QINT32").
		Doc(`Multiplies quantized tensors with broadcasting.

min_x: The value of the lowest integer of x.
max_x: The value of the highest integer of x.
min_y: The value of the lowest integer of y.
max_y: The value of the highest integer of y.
min_z: The value of the lowest integer of z.
max_z: The value of the highest integer of z.
Toutput: The type of the result.`)
	registry.Define("QuantizedBiasAdd").
		Input("input: T1").Input("bias: T2").Input("min_input: float").Input("max_input: float").
		Input("min_bias: float").Input("max_bias: float").Output("output: out_type").
		Output("min_out: float").Output("max_out: float").
		Attr("T1: quantizedtype").
		Attr("T2: quantizedtype").
		Attr("out_type: quantizedtype").
		Doc(`Adds a quantized bias to the last dimension.

min_input: The value of the lowest integer of input.
max_input: The value of the highest integer of input.
min_bias: The value of the lowest integer of bias.
max_bias: The value of the highest integer of bias.
min_out: The value of the lowest integer of the output.
max_out: The value of the highest integer of the output.
out_type: The type of the output.`)
	registry.Define("QuantizedMatMul").
		Input("a: T1").Input("b: T2").Input("min_a: float").Input("max_a: float").Input("min_b: float").
		Input("max_b: float").Output("out: Toutput").Output("min_out: float").Output("max_out: float").
		Attr("T1: quantizedtype").
		Attr("T2: quantizedtype").
		Attr("Toutput: quantizedtype = DT_QINT32").
		Attr("transpose_a: bool = false").
		Attr("transpose_b: bool = false").
		Attr("Tactivation: quantizedtype = DT_QUINT8").
		Doc(`Multiplies quantized matrices.

min_a: The value of the lowest integer of a.
max_a: The value of the highest integer of a.
min_b: The value of the lowest integer of b.
max_b: The value of the highest integer of b.
min_out: The value of the lowest integer of the product.
max_out: The value of the highest integer of the product.
Toutput: The type of the result.
transpose_a: Whether a is transposed first.
transpose_b: Whether b is transposed first.
Tactivation: Ignored.`)
	registry.Define("Requantize").
		Input("input: Tinput").Input("input_min: float").Input("input_max: float").
		Input("requested_output_min: float").Input("requested_output_max: float").
		Output("output: out_type").Output("output_min: float").Output("output_max: float").
		Attr("Tinput: quantizedtype").
		Attr("out_type: quantizedtype").
		Doc(`Turns quantized 32-bit integers into smaller ones over a given range.

input_min: The value of the lowest integer.
input_max: The value of the highest integer.
requested_output_min: The value that the lowest integer is to stand for.
requested_output_max: The value that the highest integer is to stand for.
output_min: The value that the lowest integer came to stand for.
output_max: The value that the highest integer came to stand for.
out_type: The type of the output.`)
	registry.Define("RequantizationRange").
		Input("input: Tinput").Input("input_min: float").Input("input_max: float").
		Output("output_min: float").Output("output_max: float").
		Attr("Tinput: quantizedtype").
		Doc(`Finds the range of the values that quantized 32-bit integers stand for.

input_min: The value of the lowest integer.
input_max: The value of the highest integer.
output_min: The least value that occurs.
output_max: The greatest value that occurs.`)
	registry.Define("RequantizationRangePerChannel").
		Input("input: T").Input("input_min: float").Input("input_max: float").Output("output_min: float").
		Output("output_max: float").
		Attr("T: quantizedtype = DT_QINT32").
		Attr("clip_value_max: float").
		Doc(`Finds the range of the values that quantized 32-bit integers stand for, given ranges for each channel.

input_min: The value of the lowest integer.
input_max: The value of the highest integer.
output_min: The least value that occurs.
output_max: The greatest value that occurs.
clip_value_max: The greatest value the range may have.`)
	registry.Define("QuantizeDownAndShrinkRange").
		Input("input: Tinput").Input("input_min: float").Input("input_max: float").
		Output("output: out_type").Output("output_min: float").Output("output_max: float").
		Attr("Tinput: quantizedtype").
		Attr("out_type: quantizedtype").
		Doc(`Turns quantized 32-bit integers into smaller ones over the range that occurs.

input_min: The value of the lowest integer.
input_max: The value of the highest integer.
output_min: The value that the lowest integer came to stand for.
output_max: The value that the highest integer came to stand for.
out_type: The type of the output.`)
}
