package array

import (
	"github.com/troupe-go/troupe/shape"
	"github.com/troupe-go/troupe/status"
)

func init() {
	shape.Register(shape.Unchanged,
		"Identity", "StopGradient", "PreventGradient", "Snapshot", "GuaranteeConst", "DeepCopy",
		"CheckNumerics", "CheckNumericsV2", "OnesLike", "ZerosLike",
		"InplaceAdd", "InplaceSub", "InplaceUpdate")
	shape.Register(identityNShape, "IdentityN")
	shape.Register(constShape, "Const")
	shape.Register(shape.ByAttr("shape"), "ImmutableConst", "PlaceholderV2")
	shape.Register(placeholderShape, "Placeholder")
	shape.Register(placeholderWithDefaultShape, "PlaceholderWithDefault")
	shape.Register(ensureShapeShape, "EnsureShape")
	shape.Register(bitcastShape, "Bitcast")

	shape.Register(fillShape, "Fill")
	shape.Register(shape.Rule("shape: ? = S -> output: S"), "Empty")
	shape.Register(shapeShape, "Shape", "ShapeN")
	shape.Register(shape.Scalars, "Rank", "Size")
	shape.Register(broadcastArgsShape, "BroadcastArgs")
	shape.Register(shape.Rule("s0: [?], s1: [?] -> r0: [?], r1: [?]"), "BroadcastGradientArgs")
}

// placeholderShape returns that of the attribute. In graphs up to version 21 the attribute
// of a scalar is also that of a placeholder of which nobody said the shape.
func placeholderShape(c *shape.Context) error {
	const unsaid = 21
	s := c.Shape("shape")
	if c.Producer > 0 && c.Producer <= unsaid && s.Known() && s.Rank() == 0 {
		s = shape.Shape{}
	}
	c.SetOutputs(s)
	return c.Err()
}

func identityNShape(c *shape.Context) error {
	for i := range c.NumOutputs() {
		c.SetOutput(i, c.Input(i))
		c.PassHandle(i, i)
	}
	return nil
}

func constShape(c *shape.Context) error {
	if t := c.Tensor("value"); t != nil {
		c.SetOutput(0, shape.Of(t.Dims()...))
	}
	return nil
}

// placeholderWithDefaultShape returns that of the attribute, which the input has
// to fit.
func placeholderWithDefaultShape(c *shape.Context) error {
	s := c.Shape("shape")
	c.Try(shape.Merge(c.Input(0), s))
	c.SetOutput(0, s)
	return c.Err()
}

// ensureShapeShape refuses a known rank where the attribute asks for none, as
// TensorFlow does.
func ensureShapeShape(c *shape.Context) error {
	in, want := c.Input(0), c.Shape("shape")
	if in.Known() && !want.Known() {
		return status.Invalid("Shape must be rank -1 but is rank %d", in.Rank())
	}
	c.SetOutput(0, c.Try(shape.Merge(want, in)))
	return c.Err()
}

// broadcastArgsShape is as long as the longer of two shapes.
func broadcastArgsShape(c *shape.Context) error {
	x, y := c.Try(c.Input(0).WithRank(1)), c.Try(c.Input(1).WithRank(1))
	c.SetOutput(0, shape.Of(shape.MaxDim(x.Dim(0), y.Dim(0))))
	return c.Err()
}

// bitcastShape adds or takes away a last dimension where the sizes of the
// types differ.
func bitcastShape(c *shape.Context) error {
	in := c.Input(0)
	from, to := c.Type("T"), c.Type("type")
	a, b := int64(from.Size()), int64(to.Size())
	switch {
	case a == b || !in.Known():
		c.SetOutput(0, in)
	case a == 0 || b == 0:
		return status.Invalid("Cannot bitcast types %v and %v: their elements have no size", from, to)
	case a > b:
		c.SetOutput(0, c.Try(shape.Concat(in, shape.Of(a/b))))
	default:
		in = c.Try(in.WithRankAtLeast(1))
		if d := in.Dim(-1); d != shape.Unknown && d != b/a {
			return status.Invalid("Cannot bitcast from %d to %d due to shape. %d does not match %d", from, to, d, b/a)
		}
		c.SetOutput(0, in.To(-1))
	}
	return c.Err()
}

func fillShape(c *shape.Context) error {
	c.Try(c.Input(0).WithRank(1))
	c.Try(c.Input(1).WithRank(0))
	if dims, ok := c.ConstInts(0); ok {
		for _, d := range dims {
			if d < 0 {
				return status.Invalid("Fill dimensions must be >= 0")
			}
		}
	}
	c.SetOutput(0, c.Try(c.ShapeFrom(0)))
	return c.Err()
}

// shapeShape makes each output a vector with an element for each dimension of
// its input.
func shapeShape(c *shape.Context) error {
	for i := range c.NumOutputs() {
		n := shape.Unknown
		if in := c.Input(i); in.Known() {
			n = int64(in.Rank())
		}
		c.SetOutput(i, shape.Of(n))
	}
	return nil
}
