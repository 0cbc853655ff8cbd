package shape

import "github.com/troupe-go/troupe/status"

// Shape functions for the patterns that most operations follow. What has a
// pattern of its own is written as a [Rule], or as a function.

// Unchanged returns every output the shape of input 0, and what it holds if it is
// a resource or variant.
func Unchanged(c *Context) error { return like(c, 0) }

// Like returns a function that gives every output the shape of input i, and what it
// holds if it is a resource or variant.
func Like(i int) Func { return func(c *Context) error { return like(c, i) } }

func like(c *Context, i int) error {
	for o := range c.Outputs {
		c.Outputs[o] = c.Input(i)
		c.PassHandle(i, o)
	}
	return nil
}

// UnchangedRank is [Unchanged] for an input 0 of that rank.
func UnchangedRank(rank int) Func {
	return func(c *Context) error {
		c.SetOutputs(c.Try(c.Input(0).WithRank(rank)))
		return c.Err()
	}
}

// UnchangedAtLeast is [Unchanged] for an input 0 of at least that rank.
func UnchangedAtLeast(rank int) Func {
	return func(c *Context) error {
		c.SetOutputs(c.Try(c.Input(0).WithRankAtLeast(rank)))
		return c.Err()
	}
}

// Scalars makes every output a scalar.
func Scalars(c *Context) error {
	c.SetOutputs(Scalar)
	return nil
}

// NoOutputs is for operations that put nothing out and take any shapes.
func NoOutputs(*Context) error { return nil }

// UnknownOutputs leaves every output of unknown rank.
func UnknownOutputs(*Context) error { return nil }

// Broadcast2 returns every output the shape that inputs 0 and 1 broadcast to.
func Broadcast2(c *Context) error {
	c.SetOutputs(c.Try(broadcast(c.Input(0), c.Input(1))))
	return c.Err()
}

// Merged is for operations all of whose inputs and outputs have one shape.
func Merged(c *Context) error {
	s := c.Input(0)
	for i := 1; i < len(c.Inputs); i++ {
		s = c.Try(Merge(s, c.Inputs[i]))
	}
	c.SetOutputs(s)
	return c.Err()
}

// FromValue returns a function that gives every output the shape that the value of
// input i tells, a vector of dimensions.
func FromValue(i int) Func {
	return func(c *Context) error {
		c.SetOutputs(c.Try(c.ShapeFrom(i)))
		return c.Err()
	}
}

// ByAttr returns a function that gives every output the shape that an attribute of
// kind shape tells.
func ByAttr(name string) Func {
	return func(c *Context) error {
		c.SetOutputs(c.Shape(name))
		return c.Err()
	}
}

// ByAttrs returns a function that gives each output the shape that an attribute of
// kind list(shape) tells, one for each output.
func ByAttrs(name string) Func {
	return func(c *Context) error {
		shapes := c.Shapes(name)
		if len(shapes) != len(c.Outputs) {
			return status.Invalid("`%s` must be the same length as `output_types` (%d vs. %d)", name, len(shapes), len(c.Outputs))
		}
		for i, s := range shapes {
			c.SetOutput(i, s)
		}
		return c.Err()
	}
}

// Reduce is for reductions of input 0 over the axes that input 1 gives; the
// attribute keep_dims reports whether they stay as dimensions of 1.
func Reduce(c *Context) error {
	in, keep := c.Input(0), c.Bool("keep_dims")
	c.Try(c.Input(1).WithRankAtMost(1))
	if axes, ok := c.ConstInts(1); ok {
		c.SetOutput(0, c.Try(Reduction(in, axes, keep)))
	} else if keep && in.Known() {
		c.SetOutput(0, OfRank(in.Rank()))
	}
	return c.Err()
}

// MatMul is for products of matrices, perhaps transposed as the attributes
// transpose_a and transpose_b say.
func MatMul(c *Context) error {
	a, b := c.Try(c.Input(0).WithRank(2)), c.Try(c.Input(1).WithRank(2))
	m, k := a.Dim(0), a.Dim(1)
	if c.Bool("transpose_a") {
		m, k = k, m
	}
	l, n := b.Dim(0), b.Dim(1)
	if c.Bool("transpose_b") {
		l, n = n, l
	}
	c.TryDim(MergeDims(k, l))
	c.SetOutput(0, Of(m, n))
	return c.Err()
}

// BatchMatMul is for products of the matrices in the last two dimensions, with
// the others merged; the attributes adj_x and adj_y ask for adjoints.
func BatchMatMul(c *Context) error { return batchMatMul(c, Merge) }

// BatchMatMulBroadcast is [BatchMatMul] with the other dimensions broadcast.
func BatchMatMulBroadcast(c *Context) error { return batchMatMul(c, broadcast) }

func batchMatMul(c *Context, batches func(a, b Shape) (Shape, error)) error {
	a, b := c.Try(c.Input(0).WithRankAtLeast(2)), c.Try(c.Input(1).WithRankAtLeast(2))
	m, k := a.Dim(-2), a.Dim(-1)
	if c.Bool("adj_x") {
		m, k = k, m
	}
	l, n := b.Dim(-2), b.Dim(-1)
	if c.Bool("adj_y") {
		l, n = n, l
	}
	c.TryDim(MergeDims(k, l))
	batch := c.Try(batches(a.To(-2), b.To(-2)))
	c.SetOutput(0, c.Try(Concat(batch, Of(m, n))))
	return c.Err()
}
