package train

import (
	"math"

	"github.com/troupe-go/troupe/op"
	tf "github.com/troupe-go/troupe/session"
	"github.com/troupe-go/troupe/status"
)

// An Initializer adds nodes that compute the initial value of a variable with the given
// type and shape. Random values derive from the seed, which is specific to the variable.
type Initializer func(s *op.Scope, dt tf.DataType, shape []int64, seed int64) tf.Output

// Zeros returns an [Initializer] of zeros.
func Zeros(s *op.Scope, dt tf.DataType, shape []int64, _ int64) tf.Output {
	return fill(s, dt, shape, 0)
}

// Ones returns an [Initializer] of ones.
func Ones(s *op.Scope, dt tf.DataType, shape []int64, _ int64) tf.Output {
	return fill(s, dt, shape, 1)
}

// Filled sets every element to x.
func Filled(x float64) Initializer {
	return func(s *op.Scope, dt tf.DataType, shape []int64, _ int64) tf.Output { return fill(s, dt, shape, x) }
}

// Given uses a value that op.Const accepts, of the variable's type and shape.
func Given(value any) Initializer {
	return func(s *op.Scope, dt tf.DataType, shape []int64, _ int64) tf.Output {
		c := op.Const(s, value)
		if s.Err() == nil && (c.DataType() != dt || c.Shape().String() != tf.MakeShape(shape...).String()) {
			s.UpdateErr("Variable", status.Invalid("a variable of type %v and shape %v is initialized with a tensor of type %v and shape %v",
				dt, tf.MakeShape(shape...), c.DataType(), c.Shape()))
		}
		return c
	}
}

// Uniform draws from [lo, hi).
func Uniform(lo, hi float64) Initializer {
	return func(s *op.Scope, dt tf.DataType, shape []int64, seed int64) tf.Output {
		draw := op.StatelessRandomUniform(s, dims(s, shape), seeds(s, seed), op.StatelessRandomUniformDtype(dt))
		return scale(s, dt, draw, hi-lo, lo)
	}
}

// Normal draws from the normal distribution.
func Normal(mean, deviation float64) Initializer {
	return func(s *op.Scope, dt tf.DataType, shape []int64, seed int64) tf.Output {
		draw := op.StatelessRandomNormal(s, dims(s, shape), seeds(s, seed), op.StatelessRandomNormalDtype(dt))
		return scale(s, dt, draw, deviation, mean)
	}
}

// TruncatedNormal draws from the normal distribution truncated at two deviations.
func TruncatedNormal(mean, deviation float64) Initializer {
	return func(s *op.Scope, dt tf.DataType, shape []int64, seed int64) tf.Output {
		draw := op.StatelessTruncatedNormal(s, dims(s, shape), seeds(s, seed), op.StatelessTruncatedNormalDtype(dt))
		return scale(s, dt, draw, deviation, mean)
	}
}

// GlorotUniform returns an [Initializer] for kernels of layers with saturating activations:
// uniform with variance 2/(fan-in + fan-out). (Glorot and Bengio, 2010.)
func GlorotUniform(s *op.Scope, dt tf.DataType, shape []int64, seed int64) tf.Output {
	in, out := fans(shape)
	limit := math.Sqrt(6 / (in + out))
	return Uniform(-limit, limit)(s, dt, shape, seed)
}

// GlorotNormal is [GlorotUniform] with a truncated normal distribution.
func GlorotNormal(s *op.Scope, dt tf.DataType, shape []int64, seed int64) tf.Output {
	in, out := fans(shape)
	return TruncatedNormal(0, math.Sqrt(2/(in+out))/cutOff)(s, dt, shape, seed)
}

// HeUniform returns an [Initializer] for kernels of ReLU layers: uniform with variance
// 2/fan-in. (He et al., 2015.)
func HeUniform(s *op.Scope, dt tf.DataType, shape []int64, seed int64) tf.Output {
	in, _ := fans(shape)
	limit := math.Sqrt(6 / in)
	return Uniform(-limit, limit)(s, dt, shape, seed)
}

// HeNormal is [HeUniform] with a truncated normal distribution.
func HeNormal(s *op.Scope, dt tf.DataType, shape []int64, seed int64) tf.Output {
	in, _ := fans(shape)
	return TruncatedNormal(0, math.Sqrt(2/in)/cutOff)(s, dt, shape, seed)
}

// cutOff is the deviation of the standard normal distribution cut off at 2.
const cutOff = 0.87962566103423978

// Orthogonal returns an [Initializer] for kernels of recurrent layers: a random matrix with
// orthonormal columns, or rows if it has fewer. (Saxe et al., 2014.)
func Orthogonal(s *op.Scope, dt tf.DataType, shape []int64, seed int64) tf.Output {
	if len(shape) != 2 {
		s.UpdateErr("Orthogonal", status.Invalid("a variable of shape %v is not a matrix", tf.MakeShape(shape...)))
		return tf.Output{}
	}
	rows, columns := max(shape[0], shape[1]), min(shape[0], shape[1])
	draw := op.StatelessRandomNormal(s, dims(s, []int64{rows, columns}), seeds(s, seed), op.StatelessRandomNormalDtype(dt))
	q, r := op.Qr(s, draw)
	q = op.Mul(s, q, op.Sign(s, op.DiagPart(s, r))) // else signs are not uniform
	if shape[0] < shape[1] {
		q = op.Transpose(s, q, op.Const(s, []int32{1, 0}))
	}
	return q
}

// fans returns the number of inputs of an output and of outputs of an input of a kernel:
// the last two dimensions, times the size of the window.
func fans(shape []int64) (in, out float64) {
	switch n := len(shape); n {
	case 0:
		return 1, 1
	case 1:
		return float64(max(shape[0], 1)), float64(max(shape[0], 1))
	default:
		window := 1.0
		for _, d := range shape[:n-2] {
			window *= float64(max(d, 1))
		}
		return window * float64(max(shape[n-2], 1)), window * float64(max(shape[n-1], 1))
	}
}

func fill(s *op.Scope, dt tf.DataType, shape []int64, x float64) tf.Output {
	return op.Fill(s, dims(s, shape), number(s, dt, x))
}

func dims(s *op.Scope, shape []int64) tf.Output {
	return op.Const(s, append([]int64{}, shape...))
}

func seeds(s *op.Scope, seed int64) tf.Output { return op.Const(s, []int64{seed, 0}) }

// scale is x·factor + offset.
func scale(s *op.Scope, dt tf.DataType, x tf.Output, factor, offset float64) tf.Output {
	x = op.Mul(s, x, number(s, dt, factor))
	if offset != 0 {
		x = op.AddV2(s, x, number(s, dt, offset))
	}
	return x
}
