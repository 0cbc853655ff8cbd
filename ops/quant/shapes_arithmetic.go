package quant

import "github.com/troupe-go/troupe/shape"

func init() {
	shape.Register(quantizedMatMulShape, "QuantizedMatMul")

	shape.Register(quantizedAddShape, "QuantizedAdd")
	shape.Register(quantizedMulShape, "QuantizedMul")
	shape.Register(shape.Rule("input: S, input_min: [], input_max: [] -> output: S, output_min: [], output_max: []"), "QuantizeDownAndShrinkRange")
	shape.Register(shape.Rule("input: S, input_min: [], input_max: [], requested_output_min: [], requested_output_max: [] -> output: S, output_min: [], output_max: []"), "Requantize")
	shape.Register(shape.Rule("input: ?, input_min: [], input_max: [] -> output_min: [], output_max: []"), "RequantizationRange")
	shape.Register(shape.Rule("input: ?, input_min: [?], input_max: [?] -> output_min: [], output_max: []"), "RequantizationRangePerChannel")
	shape.Register(shape.Rule("input: [I...,m,n], bias: [n], min_input: [], max_input: [], min_bias: [], max_bias: [] -> output: [I...,m,n], min_out: [], max_out: []"),
		"QuantizedBiasAdd")
}

// withRanges is for operations on two quantized tensors, whose ranges are
// inputs 2 to 5 and that of the result outputs 1 and 2.
func withRanges(c *shape.Context, f shape.Func) error {
	for i := 2; i < c.NumInputs(); i++ {
		c.Try(c.Input(i).WithRank(0))
	}
	c.Fail(f(c))
	c.SetOutput(1, shape.Scalar)
	c.SetOutput(2, shape.Scalar)
	return c.Err()
}

func quantizedMatMulShape(c *shape.Context) error { return withRanges(c, shape.MatMul) }

func quantizedAddShape(c *shape.Context) error { return withRanges(c, shape.Broadcast2) }

// quantizedMulShape does not look at the ranges.
func quantizedMulShape(c *shape.Context) error {
	c.Fail(shape.Broadcast2(c))
	c.SetOutput(1, shape.Scalar)
	c.SetOutput(2, shape.Scalar)
	return c.Err()
}
