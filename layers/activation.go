package layers

import (
	"math"
	"slices"

	"github.com/troupe-go/troupe/op"
	tf "github.com/troupe-go/troupe/session"
	"github.com/troupe-go/troupe/train"
)

// An Activation is a function of tensors without variables. In a layer, nil is the
// layer's default, for most of them none.
type Activation func(s *op.Scope, x tf.Output) tf.Output

// Linear is x.
func Linear(_ *op.Scope, x tf.Output) tf.Output { return x }

// ReLU is max(x, 0).
func ReLU(s *op.Scope, x tf.Output) tf.Output { return op.Relu(s, x) }

// ReLU6 is min(max(x, 0), 6).
func ReLU6(s *op.Scope, x tf.Output) tf.Output { return op.Relu6(s, x) }

// LeakyReLU is x, or 0.2·x if x is negative.
func LeakyReLU(s *op.Scope, x tf.Output) tf.Output { return op.LeakyRelu(s, x, op.LeakyReluAlpha(0.2)) }

// ELU is x, or exp(x)-1 if x is negative.
func ELU(s *op.Scope, x tf.Output) tf.Output { return op.Elu(s, x) }

// SELU is [ELU], scaled so that a deep network normalizes itself.
func SELU(s *op.Scope, x tf.Output) tf.Output { return op.Selu(s, x) }

// Softplus is log(exp(x)+1).
func Softplus(s *op.Scope, x tf.Output) tf.Output { return op.Softplus(s, x) }

// Softsign is x/(|x|+1).
func Softsign(s *op.Scope, x tf.Output) tf.Output { return op.Softsign(s, x) }

// Tanh is the hyperbolic tangent.
func Tanh(s *op.Scope, x tf.Output) tf.Output { return op.Tanh(s, x) }

// Sigmoid is 1/(1+exp(-x)).
func Sigmoid(s *op.Scope, x tf.Output) tf.Output { return op.Sigmoid(s, x) }

// HardSigmoid is x/6 + 0.5 between 0 and 1.
func HardSigmoid(s *op.Scope, x tf.Output) tf.Output {
	return op.Mul(s, op.Relu6(s, op.AddV2(s, x, number(s, 3))), number(s, 1.0/6))
}

// Softmax is probabilities in the last dimension.
func Softmax(s *op.Scope, x tf.Output) tf.Output { return op.Softmax(s, x) }

// LogSoftmax is the logarithm of [Softmax].
func LogSoftmax(s *op.Scope, x tf.Output) tf.Output { return op.LogSoftmax(s, x) }

// Exponential is exp(x).
func Exponential(s *op.Scope, x tf.Output) tf.Output { return op.Exp(s, x) }

// SiLU is x·sigmoid(x), also called swish.
func SiLU(s *op.Scope, x tf.Output) tf.Output { return op.Mul(s, x, op.Sigmoid(s, x)) }

// Mish is x·tanh(softplus(x)).
func Mish(s *op.Scope, x tf.Output) tf.Output { return op.Mul(s, x, op.Tanh(s, op.Softplus(s, x))) }

// GELU is x·Φ(x), with the distribution function Φ of the normal distribution.
func GELU(s *op.Scope, x tf.Output) tf.Output {
	half := op.Mul(s, x, number(s, 0.5))
	return op.Mul(s, half, op.AddV2(s, op.Erf(s, op.Mul(s, x, number(s, math.Sqrt(0.5)))), number(s, 1)))
}

// TanhGELU approximates [GELU] by a hyperbolic tangent, as GPT-2 does.
func TanhGELU(s *op.Scope, x tf.Output) tf.Output {
	cubic := op.AddV2(s, x, op.Mul(s, op.Mul(s, x, op.Square(s, x)), number(s, 0.044715)))
	share := op.AddV2(s, op.Tanh(s, op.Mul(s, cubic, number(s, math.Sqrt(2/math.Pi)))), number(s, 1))
	return op.Mul(s, op.Mul(s, x, number(s, 0.5)), share)
}

// HardSiLU is x·[HardSigmoid](x), also called hard swish.
func HardSiLU(s *op.Scope, x tf.Output) tf.Output { return op.Mul(s, x, HardSigmoid(s, x)) }

// HardTanh is x between -1 and 1.
func HardTanh(s *op.Scope, x tf.Output) tf.Output {
	return op.ClipByValue(s, x, number(s, -1), number(s, 1))
}

// LogSigmoid is the logarithm of [Sigmoid].
func LogSigmoid(s *op.Scope, x tf.Output) tf.Output { return op.Neg(s, op.Softplus(s, op.Neg(s, x))) }

// TanhShrink is x - tanh(x).
func TanhShrink(s *op.Scope, x tf.Output) tf.Output { return op.Sub(s, x, op.Tanh(s, x)) }

// Squareplus is (x+√(x²+4))/2.
func Squareplus(s *op.Scope, x tf.Output) tf.Output {
	root := op.Sqrt(s, op.AddV2(s, op.Square(s, x), number(s, 4)))
	return op.Mul(s, op.AddV2(s, x, root), number(s, 0.5))
}

// GLU is a·sigmoid(b) for the halves a and b of the last dimension, which must be even.
func GLU(s *op.Scope, x tf.Output) tf.Output {
	halves := op.Split(s, op.Const(s, int32(-1)), x, 2)
	if s.Err() != nil {
		return x
	}
	return op.Mul(s, halves[0], op.Sigmoid(s, halves[1]))
}

// Leaky is x, or slope·x if x is negative; Keras's layer LeakyReLU has a slope of 0.3.
func Leaky(slope float64) Activation {
	return func(s *op.Scope, x tf.Output) tf.Output {
		return op.LeakyRelu(s, x, op.LeakyReluAlpha(float32(slope)))
	}
}

// ELUOf is x, or alpha·(exp(x)-1) if x is negative.
func ELUOf(alpha float64) Activation {
	return func(s *op.Scope, x tf.Output) tf.Output {
		below := op.Mul(s, op.Elu(s, op.Minimum(s, x, number(s, 0))), number(s, alpha))
		return op.AddV2(s, op.Relu(s, x), below)
	}
}

// CELU is x, or alpha·(exp(x/alpha)-1) if x is negative.
func CELU(alpha float64) Activation {
	return func(s *op.Scope, x tf.Output) tf.Output {
		return ELUOf(alpha)(s, op.SelectV2(s, op.Less(s, x, number(s, 0)), op.Mul(s, x, number(s, 1/alpha)), x))
	}
}

// SoftmaxOver is probabilities in another dimension than the last one.
func SoftmaxOver(axis int) Activation {
	return func(s *op.Scope, x tf.Output) tf.Output {
		at := integers(s, int32(axis))
		e := op.Exp(s, op.Sub(s, x, op.Max(s, x, at, op.MaxKeepDims(true))))
		return op.Div(s, e, op.Sum(s, e, at, op.SumKeepDims(true)))
	}
}

// Activate is an activation as a layer; Keras's name for it is Activation.
type Activate struct {
	Name string
	Activation
}

// Label is the layer's name or kind.
func (l *Activate) Label() (name, kind string) { return l.Name, "activation" }

// Call adds the layer.
func (l *Activate) Call(c *Context, in []tf.Output) tf.Output {
	c.KeepMask()
	x, ok := c.one(in)
	if !ok {
		return x
	}
	return apply(c.Scope, l.Activation, nil, x)
}

// PReLU is x, or alpha·x if x is negative, with an alpha for each element of an example. It
// is the same along the dimensions SharedAxes, counted from 1: 1 and 2 for images leave an
// alpha for each channel. (He et al., 2015.)
//
// Variables: alpha, of an example's shape with 1 for shared dimensions.
type PReLU struct {
	Name             string
	SharedAxes       []int
	AlphaInitializer train.Initializer // train.Zeros
}

// Label is the layer's name or kind.
func (l *PReLU) Label() (name, kind string) { return l.Name, "p_re_lu" }

// Call adds the layer.
func (l *PReLU) Call(c *Context, in []tf.Output) tf.Output {
	c.KeepMask()
	x, ok := c.one(in)
	if !ok {
		return x
	}
	var shape []int64
	for i := 1; i < x.Shape().NumDimensions(); i++ {
		if slices.Contains(l.SharedAxes, i) {
			shape = append(shape, 1)
		} else {
			shape = append(shape, dim(x, i))
		}
	}
	alpha := c.Variable("alpha", initializer(l.AlphaInitializer, train.Zeros), shape...)
	s := c.Scope
	return op.Sub(s, op.Relu(s, x), op.Mul(s, alpha.Value, op.Relu(s, op.Neg(s, x))))
}

// apply is f of x, or otherwise of x if f is nil.
func apply(s *op.Scope, f, otherwise Activation, x tf.Output) tf.Output {
	switch {
	case s.Err() != nil:
		return x
	case f != nil:
		return f(s, x)
	case otherwise != nil:
		return otherwise(s, x)
	}
	return x
}
