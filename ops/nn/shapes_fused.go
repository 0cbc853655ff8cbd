package nn

import (
	"github.com/troupe-go/troupe/shape"
	"github.com/troupe-go/troupe/status"
)

func init() {
	shape.Register(fusedConv2DShape, "_FusedConv2D")
	shape.Register(shape.MatMul, "_FusedMatMul")
	shape.Register(fusedResizeAndPadShape, "FusedResizeAndPadConv2D")
}

func fusedConv2DShape(c *shape.Context) error { return convolution(2, "_FusedConv2D").infer(c) }

// fusedResizeAndPadShape returns the convolution of an input that is resized to
// what input 1 says and then padded as input 2 does, whose shape must be known.
func fusedResizeAndPadShape(c *shape.Context) error {
	in, filter := c.Try(c.Input(0).WithRank(4)), c.Try(c.Input(3).WithRank(4))
	c.Try(shape.Merge(c.Input(1), shape.Of(shape.Unknown)))
	size, ok := c.ConstInts(1)
	for i := range 2 {
		d := shape.Unknown
		if ok && len(size) == 2 {
			d = max(d, size[i])
		}
		in = in.ReplaceDim(1+i, d)
	}
	operand := c.Try(c.Input(2).WithRank(2))
	if n := operand.Dim(0); n != 4 {
		c.Fail(status.Invalid("Shape must be rank %d but is rank 4", n))
	}
	c.TryDim(shape.WithValue(operand.Dim(1), 2))
	if c.Err() != nil {
		return c.Err()
	}
	if pads, ok := c.ConstInts(2); ok && len(pads) == 8 {
		for i := range 4 {
			if pads[2*i] < 0 || pads[2*i+1] < 0 {
				return status.Invalid("Paddings must be non-negative")
			}
			in = in.ReplaceDim(i, c.TryDim(shape.AddDims(in.Dim(i), pads[2*i]+pads[2*i+1])))
		}
	} else {
		in = shape.OfRank(4)
	}
	strides := c.Ints32("strides")
	if len(strides) != 4 {
		return status.Invalid("Operation requires the stride attribute to contain 4 values, but got: %d", len(strides))
	}
	c.TryDim(shape.MergeDims(in.Dim(3), filter.Dim(2)))
	for i := 1; i <= 2; i++ {
		w := shape.Window{Size: filter.Dim(i - 1), Stride: strides[i], Padding: c.Str("padding")}
		in = in.ReplaceDim(i, c.TryDim(w.Output(in.Dim(i))))
	}
	c.SetOutput(0, in.ReplaceDim(3, filter.Dim(3)))
	return c.Err()
}
