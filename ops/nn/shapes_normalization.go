package nn

import "github.com/troupe-go/troupe/shape"

func init() {
	shape.Register(fusedBatchNormShape, "FusedBatchNorm", "FusedBatchNormV2", "FusedBatchNormV3")
	shape.Register(fusedBatchNormGradShape, "FusedBatchNormGrad", "FusedBatchNormGradV2", "FusedBatchNormGradV3")
	shape.Register(shape.Rule("t: [a,b,c,d], m: [d], v: [d], beta: [d], gamma: [d] -> result: [a,b,c,d]"), "BatchNormWithGlobalNormalization")
	shape.Register(shape.UnchangedRank(4), "LRN")
	shape.Register(shape.Rule("input_grads: [a,b,c,d], input_image: [a,b,c,d], output_image: [a,b,c,d] -> output: [a,b,c,d]"), "LRNGrad")
	shape.Register(shape.Scalars, "L2Loss")
}

// batch returns what a batch normalization has in common with its gradient: the
// format, the input with its channels known as well as may be, and those.
func batch(c *shape.Context, x shape.Shape, perChannel ...int) (shape.Format, shape.Shape, int64) {
	dims := 2
	if name := c.Str("data_format"); name == "NDHWC" || name == "NCDHW" {
		dims = 3
	}
	f, err := shape.FormatOf(c.Str("data_format"), dims)
	c.Fail(err)
	x = c.Try(x.WithRank(f.Rank()))
	channels := x.Dim(f.Channel)
	for _, i := range perChannel {
		channels = c.TryDim(shape.MergeDims(channels, c.Try(c.Input(i).WithRank(1)).Dim(0)))
	}
	return f, x.ReplaceDim(f.Channel, channels), channels
}

// fusedBatchNormShape does not look at the mean and variance where training
// takes those of the batch alone: they are empty then.
func fusedBatchNormShape(c *shape.Context) error {
	inputs := []int{1, 2, 3, 4}
	factor := c.Attrs.Find("exponential_avg_factor")
	if c.Bool("is_training") && (factor == nil || factor.F == 1) {
		inputs = inputs[:2]
	}
	_, x, channels := batch(c, c.Input(0), inputs...)
	c.SetOutput(0, x)
	for i := 1; i <= 4; i++ {
		c.SetOutput(i, shape.Of(channels))
	}
	return c.Err()
}

func fusedBatchNormGradShape(c *shape.Context) error {
	f, grad, channels := batch(c, c.Input(0), 2, 3, 4)
	x := c.Try(c.Input(1).WithRank(f.Rank()))
	channels = c.TryDim(shape.MergeDims(channels, x.Dim(f.Channel)))
	c.SetOutput(0, grad.ReplaceDim(f.Channel, channels))
	c.SetOutput(1, shape.Of(channels))
	c.SetOutput(2, shape.Of(channels))
	c.SetOutput(3, shape.Of(0))
	c.SetOutput(4, shape.Of(0))
	return c.Err()
}
