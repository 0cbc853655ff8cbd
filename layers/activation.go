package layers

import (
	"math"

	"github.com/troupe-go/troupe/op"
	tf "github.com/troupe-go/troupe/session"
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
