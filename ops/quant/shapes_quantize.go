package quant

import (
	"github.com/troupe-go/troupe/shape"
	"github.com/troupe-go/troupe/status"
)

func init() {
	shape.Register(shape.Unchanged, "FakeQuantWithMinMaxArgs", "QuantizeAndDequantize")
	shape.Register(shape.Merged, "FakeQuantWithMinMaxArgsGradient")
	shape.Register(shape.Rule("inputs: S, min: [], max: [] -> outputs: S"), "FakeQuantWithMinMaxVars")
	shape.Register(shape.Rule("gradients: S, inputs: S, min: [], max: [] -> backprops_wrt_input: S, backprop_wrt_min: [], backprop_wrt_max: []"),
		"FakeQuantWithMinMaxVarsGradient")
	shape.Register(fakeQuantPerChannelShape, "FakeQuantWithMinMaxVarsPerChannel")
	shape.Register(shape.Rule("gradients: [B...,d], inputs: [B...,d], min: [d], max: [d] -> backprops_wrt_input: [B...,d], backprop_wrt_min: [d], backprop_wrt_max: [d]"),
		"FakeQuantWithMinMaxVarsPerChannelGradient")
	shape.Register(quantizeAndDequantizeShape, "QuantizeAndDequantizeV2", "QuantizeAndDequantizeV3", "QuantizeAndDequantizeV4")
	shape.Register(quantizeAndDequantizeGradShape, "QuantizeAndDequantizeV4Grad")
	shape.Register(quantizeV2Shape, "QuantizeV2")
	shape.Register(dequantizeShape, "Dequantize")
}

// fakeQuantPerChannelShape leaves the input as it is: the ranges teach nothing.
func fakeQuantPerChannelShape(c *shape.Context) error {
	in := c.Try(c.Input(0).WithRankAtLeast(1))
	d := in.Dim(-1)
	for i := 1; i <= 2; i++ {
		d = c.TryDim(shape.MergeDims(d, c.Try(c.Input(i).WithRank(1)).Dim(0)))
	}
	c.SetOutput(0, in)
	return c.Err()
}

// ranges is the shape that inputs 1 and 2, the ranges of input 0, must have: a
// number for all, or for each slice along the axis.
func ranges(c *shape.Context) (shape.Shape, error) {
	in, axis := c.Input(0), c.Int("axis")
	s := shape.Scalar
	if axis < -1 {
		return s, status.Invalid("axis should be at least -1, got %d", axis)
	}
	if axis >= 0 {
		if in.Known() && axis >= int64(in.Rank()) {
			return s, status.Invalid("Shape must be at least rank %d but is rank %d", axis+1, in.Rank())
		}
		s = shape.Of(in.Dim(int(min(axis, 1<<30))))
	}
	s = c.Try(shape.Merge(c.Input(1), s))
	s = c.Try(shape.Merge(c.Input(2), s))
	return s, c.Err()
}

func quantizeAndDequantizeShape(c *shape.Context) error {
	_, err := ranges(c)
	if c.NumInputs() > 3 {
		c.Try(c.Input(3).WithRank(0)) // num_bits
	}
	c.SetOutput(0, c.Input(0))
	c.Fail(err)
	return c.Err()
}

// quantizeAndDequantizeGradShape has the gradients of the input and of its
// ranges.
func quantizeAndDequantizeGradShape(c *shape.Context) error {
	in, s := c.Input(1), c.Try(shape.Merge(c.Input(2), c.Input(3)))
	c.SetOutput(0, c.Try(shape.Merge(c.Input(0), in)))
	c.SetOutput(1, s)
	c.SetOutput(2, s)
	return c.Err()
}

func quantizeV2Shape(c *shape.Context) error {
	s, err := ranges(c)
	c.SetOutput(0, c.Input(0))
	c.SetOutput(1, s)
	c.SetOutput(2, s)
	return err
}

func dequantizeShape(c *shape.Context) error {
	_, err := ranges(c)
	c.SetOutput(0, c.Input(0))
	return err
}
