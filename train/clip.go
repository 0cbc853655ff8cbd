package train

import (
	"github.com/troupe-go/troupe/op"
	tf "github.com/troupe-go/troupe/session"
)

// A Clip changes gradients before they are applied. It receives the gradients of all
// variables of a goal (of a sparse one the rows, each once) and returns as many of the
// same shapes.
type Clip func(s *op.Scope, gradients []tf.Output) []tf.Output

// ClipByValue clamps each element to [-limit, limit].
func ClipByValue(limit float64) Clip {
	return each(func(s *op.Scope, g tf.Output) tf.Output {
		return op.ClipByValue(s, g, number(s, g.DataType(), -limit), number(s, g.DataType(), limit))
	})
}

// ClipByNorm scales down each gradient whose Euclidean norm exceeds the limit to that
// limit.
func ClipByNorm(limit float64) Clip {
	return each(func(s *op.Scope, g tf.Output) tf.Output {
		return op.Mul(s, g, op.Cast(s, shrink(s, squares(s, g), limit), g.DataType()))
	})
}

// ClipByGlobalNorm is ClipByNorm for all gradients as one vector.
func ClipByGlobalNorm(limit float64) Clip {
	return func(s *op.Scope, gradients []tf.Output) []tf.Output {
		parts := make([]tf.Output, len(gradients))
		for i, g := range gradients {
			parts[i] = squares(s, g)
		}
		factor := shrink(s, op.AddN(s, parts), limit)
		return each(func(s *op.Scope, g tf.Output) tf.Output {
			return op.Mul(s, g, op.Cast(s, factor, g.DataType()))
		})(s, gradients)
	}
}

// squares returns the sum of squares, a double.
func squares(s *op.Scope, g tf.Output) tf.Output {
	return op.Mul(s, op.Cast(s, op.L2Loss(s, g), tf.Double), op.Const(s, 2.0))
}

// shrink returns what brings a vector of which the sum of squares is known to at most a
// norm of limit: limit/max(norm, limit).
func shrink(s *op.Scope, squares tf.Output, limit float64) tf.Output {
	l := op.Const(s, limit)
	return op.Div(s, l, op.Maximum(s, op.Sqrt(s, squares), l))
}

// each applies f to every gradient.
func each(f func(s *op.Scope, g tf.Output) tf.Output) Clip {
	return func(s *op.Scope, gradients []tf.Output) []tf.Output {
		clipped := make([]tf.Output, len(gradients))
		for i, g := range gradients {
			if s.Err() == nil {
				clipped[i] = f(s, g)
			}
		}
		return clipped
	}
}
