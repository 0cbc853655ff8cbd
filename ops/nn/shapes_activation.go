package nn

import (
	"github.com/troupe-go/troupe/shape"
)

func init() {
	shape.Register(shape.Unchanged,
		"Relu", "Relu6", "LeakyRelu", "Elu", "Selu", "Softplus", "Softsign", "DataFormatDimMap", "DataFormatVecPermute")
	shape.Register(shape.Merged,
		"ReluGrad", "Relu6Grad", "LeakyReluGrad", "EluGrad", "SeluGrad", "SoftplusGrad", "SoftsignGrad")
	shape.Register(shape.UnchangedAtLeast(1), "Softmax", "LogSoftmax")
	shape.Register(biasAddShape, "BiasAdd", "BiasAddV1")
	shape.Register(biasAddGradShape, "BiasAddGrad")
}

// biasAxis returns the dimension of a tensor of at least the rank returned with it
// that a bias belongs to.
func biasAxis(c *shape.Context) (axis, rank int) {
	if c.Str("data_format") == "NCHW" {
		return 1, 3
	}
	return -1, 2
}

func biasAddShape(c *shape.Context) error {
	axis, rank := biasAxis(c)
	in, bias := c.Try(c.Input(0).WithRankAtLeast(rank)), c.Try(c.Input(1).WithRank(1))
	d := c.TryDim(shape.MergeDims(in.Dim(axis), bias.Dim(0)))
	c.SetOutput(0, in.ReplaceDim(axis, d))
	return c.Err()
}

func biasAddGradShape(c *shape.Context) error {
	axis, rank := biasAxis(c)
	in := c.Try(c.Input(0).WithRankAtLeast(rank))
	c.SetOutput(0, shape.Of(in.Dim(axis)))
	return c.Err()
}
