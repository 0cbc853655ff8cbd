package math

import (
	"slices"

	"github.com/troupe-go/troupe/shape"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

func init() {
	shape.Register(shape.Unchanged,
		"Abs", "Neg", "Sign", "Square", "Sqrt", "Rsqrt", "Reciprocal", "Inv", "Exp", "Expm1", "Log", "Log1p",
		"Sin", "Cos", "Tan", "Asin", "Acos", "Atan", "Sinh", "Cosh", "Tanh", "Asinh", "Acosh", "Atanh",
		"Sigmoid", "Erf", "Erfc", "Erfinv", "Ndtri", "Lgamma", "Digamma", "BesselI0e", "BesselI1e",
		"Ceil", "Floor", "Round", "Rint", "IsNan", "IsInf", "IsFinite", "LogicalNot",
		"Real", "Imag", "Conj", "Angle", "ComplexAbs", "Invert", "PopulationCount", "Bucketize", "Cast",
		// These take ranges or gradients that teach nothing.
		"ClipByValue", "InvGrad", "ReciprocalGrad", "RsqrtGrad", "SigmoidGrad", "SqrtGrad", "TanhGrad")
	shape.Register(shape.Broadcast2,
		"Add", "AddV2", "Sub", "Mul", "MulNoNan", "Div", "DivNoNan", "RealDiv", "FloorDiv", "TruncateDiv",
		"FloorMod", "TruncateMod", "Mod", "Pow", "Maximum", "Minimum", "SquaredDifference", "NextAfter",
		"Atan2", "Complex", "Xdivy", "Xlogy", "Xlog1py", "Zeta", "Polygamma", "Igamma", "Igammac", "IgammaGradA",
		"Less", "LessEqual", "Greater", "GreaterEqual", "LogicalAnd", "LogicalOr",
		"BitwiseAnd", "BitwiseOr", "BitwiseXor", "LeftShift", "RightShift")
	shape.Register(equalShape, "Equal", "NotEqual")
	shape.Register(approximateEqualShape, "ApproximateEqual")
	shape.Register(addNShape, "AddN")
	shape.Register(shape.ByAttr("shape"), "AccumulateNV2")
	shape.Register(betaincShape, "Betainc")
	shape.Register(selectShape, "Select")
	shape.Register(selectV2Shape, "SelectV2")
	shape.Register(crossShape, "Cross")
}

// addNShape is for inputs of one shape. Variants hold what all of them hold.
func addNShape(c *shape.Context) error {
	var held []shape.HandleData
	for i := range c.NumInputs() {
		if !c.HasHandle(i) || c.InputType(i) != tensor.Variant {
			continue
		}
		in := c.InputHandles[i]
		if held == nil {
			held = slices.Clone(in)
			continue
		}
		if len(in) != len(held) {
			return status.Invalid("Inputs 0 and %d hold %d and %d tensors", i, len(held), len(in))
		}
		for k, h := range in {
			if h.Type != held[k].Type {
				return status.Invalid("Inputs 0 and %d hold %v and %v", i, held[k].Type, h.Type)
			}
			held[k].Shape = c.Try(shape.Merge(held[k].Shape, h.Shape))
		}
	}
	if held != nil {
		c.SetHandle(0, held...)
	}
	c.Fail(shape.Merged(c))
	return c.Err()
}

// equalShape returns a scalar where the shapes do not broadcast and that is no
// error.
func equalShape(c *shape.Context) error {
	x, y := c.Input(0), c.Input(1)
	s, err := shape.Broadcast(x, y)
	if v := c.Attrs.Find("incompatible_shape_error"); v == nil || v.B {
		c.SetOutput(0, s)
		return err
	}
	if !x.Known() || !y.Known() {
		return nil
	}
	for i := min(x.Rank(), y.Rank()); i >= 1; i-- {
		switch a, b := x.Dim(-i), y.Dim(-i); {
		case a == b || a == 1 || b == 1:
		case a == shape.Unknown || b == shape.Unknown:
			return nil // they may not broadcast
		default:
			c.SetOutput(0, shape.Scalar)
			return nil
		}
	}
	c.SetOutput(0, s)
	return nil
}

// crossShape does not learn the size of the last dimension, which is 3.
func crossShape(c *shape.Context) error {
	a, b := c.Try(c.Input(0).WithRankAtLeast(1)), c.Try(c.Input(1).WithRankAtLeast(1))
	out := c.Try(shape.Merge(a, b))
	c.TryDim(shape.WithValue(out.Dim(-1), 3))
	c.SetOutput(0, out)
	return c.Err()
}

// approximateEqualShape learns nothing of y.
func approximateEqualShape(c *shape.Context) error {
	c.Try(shape.Merge(c.Input(0), c.Input(1)))
	c.SetOutput(0, c.Input(0))
	return c.Err()
}

// betaincShape is for inputs of one shape, any of which may be scalars.
func betaincShape(c *shape.Context) error {
	out := shape.Scalar
	for i := range c.NumInputs() {
		switch in := c.Input(i); {
		case !in.Known():
			if out.Rank() == 0 {
				out = shape.Shape{}
			}
		case in.Rank() == 0:
		case out.Rank() == 0:
			out = in
		default:
			out = c.Try(shape.Merge(out, in))
		}
	}
	c.SetOutput(0, out)
	return c.Err()
}

// selectShape is for a condition that is a scalar, a vector that chooses rows,
// or of the shape of both others.
func selectShape(c *shape.Context) error {
	cond, data := c.Input(0), c.Try(shape.Merge(c.Input(1), c.Input(2)))
	switch rank := cond.Rank(); {
	case !data.Known() || rank <= 0:
	case rank == 1:
		if data.Rank() == 0 {
			return status.Invalid("Shapes must be equal rank, but are %d and %d", data.Rank(), rank)
		}
		c.Try(shape.Merge(cond, data.To(1)))
	default:
		data = c.Try(shape.Merge(data, cond))
	}
	c.SetOutput(0, data)
	return c.Err()
}

func selectV2Shape(c *shape.Context) error {
	data := c.Try(shape.Broadcast(c.Input(1), c.Input(2)))
	c.SetOutput(0, c.Try(shape.Broadcast(c.Input(0), data)))
	return c.Err()
}
