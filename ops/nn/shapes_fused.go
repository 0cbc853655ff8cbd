package nn

import "github.com/troupe-go/troupe/shape"

func init() {
	shape.Register(fusedConv2DShape, "_FusedConv2D")
	shape.Register(shape.MatMul, "_FusedMatMul")
	shape.Register(fusedResizeAndPadShape, "FusedResizeAndPadConv2D")
}

func fusedConv2DShape(c *shape.Context) error { return convolution(2, "_FusedConv2D").infer(c) }

// fusedResizeAndPadShape knows no more than the rank and the depth.
func fusedResizeAndPadShape(c *shape.Context) error {
	in, filter := c.Try(c.Input(0).WithRank(4)), c.Try(c.Input(3).WithRank(4))
	c.SetOutput(0, shape.Of(in.Dim(0), shape.Unknown, shape.Unknown, filter.Dim(3)))
	return c.Err()
}
