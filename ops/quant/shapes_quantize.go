package quant

import (
	"github.com/troupe-go/troupe/shape"
	"github.com/troupe-go/troupe/status"
)

func init() {
	shape.Register(shape.Unchanged, "FakeQuantWithMinMaxArgs", "FakeQuantWithMinMaxArgsGradient", "QuantizeAndDequantize")
	shape.Register(shape.Rule("inputs: S, min: [], max: [] -> outputs: S"), "FakeQuantWithMinMaxVars")
	shape.Register(shape.Rule("gradients: S, inputs: S, min: [], max: [] -> backprops_wrt_input: S, backprop_wrt_min: [], backprop_wrt_max: []"),
		"FakeQuantWithMinMaxVarsGradient")
	shape.Register(fakeQuantPerChannelShape, "FakeQuantWithMinMaxVarsPerChannel")
	shape.Register(fakeQuantPerChannelGradShape, "FakeQuantWithMinMaxVarsPerChannelGradient")
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

// fakeQuantPerChannelGradShape has the gradients of the input and its ranges.
// What the ranges tell of the input's last dimension counts for theirs only.
func fakeQuantPerChannelGradShape(c *shape.Context) error {
	in := c.Try(c.Try(c.Input(0).WithRankAtLeast(1)).WithRankAtMost(4))
	in = c.Try(shape.Merge(in, c.Input(1)))
	d := c.Try(shape.Merge(c.Try(c.Input(2).WithRank(1)), shape.Of(in.Dim(-1))))
	d = c.Try(shape.Merge(c.Input(3), d))
	c.SetOutput(0, in)
	c.SetOutput(1, d)
	c.SetOutput(2, d)
	return c.Err()
}

// ranges returns the shape that inputs 1 and 2, the ranges of input 0, must have: a
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

// alongAxis says that ranges of that shape are for the slices of input 0 along
// an axis, unless that is -1.
func alongAxis(c *shape.Context, axis int64, ranges shape.Shape) {
	in := c.Input(0)
	switch {
	case axis < 0 || !in.Known():
	case axis >= int64(in.Rank()):
		c.Fail(status.Invalid("Shape must be at least rank %d but is rank %d", axis+1, in.Rank()))
	default:
		c.TryDim(shape.MergeDims(ranges.Dim(0), in.Dim(int(axis))))
	}
}

// quantizeAndDequantizeGradShape has the gradients of the input and of its
// ranges.
func quantizeAndDequantizeGradShape(c *shape.Context) error {
	axis, rank := c.Int("axis"), 0
	if axis < -1 {
		return status.Invalid("axis should be at least -1, got %d", axis)
	}
	if axis >= 0 {
		rank = 1
	}
	s := c.Try(c.Input(2).WithRank(rank))
	s = c.Try(shape.Merge(s, c.Try(c.Input(3).WithRank(rank))))
	alongAxis(c, axis, s)
	c.SetOutput(0, c.Try(shape.Merge(c.Input(0), c.Input(1))))
	c.SetOutput(1, s)
	c.SetOutput(2, s)
	return c.Err()
}

func quantizeV2Shape(c *shape.Context) error {
	s := secondRange(c)
	c.SetOutput(0, c.Input(0))
	c.SetOutput(1, s)
	c.SetOutput(2, s)
	return c.Err()
}

// secondRange returns what is known of input 2, the second of the ranges of input 0;
// that the first fits too is not looked at.
func secondRange(c *shape.Context) shape.Shape {
	axis, rank := c.Int("axis"), 0
	if axis < -1 {
		c.Fail(status.Invalid("axis should be at least -1, got %d", axis))
		return shape.Shape{}
	}
	if axis >= 0 {
		rank = 1
	}
	c.Try(c.Input(1).WithRank(rank))
	s := c.Try(c.Input(2).WithRank(rank))
	alongAxis(c, axis, s)
	return s
}

func dequantizeShape(c *shape.Context) error {
	if axis := c.Int("axis"); axis >= 0 && !c.Input(0).Known() {
		return status.Invalid("Axis must be less than input dimension(-1), got %d", axis)
	}
	secondRange(c)
	c.SetOutput(0, c.Input(0))
	return c.Err()
}
