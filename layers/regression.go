package layers

import (
	"math"

	"github.com/troupe-go/troupe/op"
	tf "github.com/troupe-go/troupe/session"
)

// MeanSquaredError is the mean of squared differences over the last dimension.
type MeanSquaredError struct{}

// Labels are float32, of the output's shape.
func (MeanSquaredError) Labels(output tf.Output) (tf.DataType, tf.Shape) {
	return tf.Float, output.Shape()
}

// Losses adds the losses of the examples.
func (MeanSquaredError) Losses(s *op.Scope, labels, output tf.Output) tf.Output {
	return last(s, op.Mean, op.SquaredDifference(s, output, labels))
}

// MeanAbsoluteError is the mean of absolute differences over the last dimension.
type MeanAbsoluteError struct{}

// Labels are float32, of the output's shape.
func (MeanAbsoluteError) Labels(output tf.Output) (tf.DataType, tf.Shape) {
	return tf.Float, output.Shape()
}

// Losses adds the losses of the examples.
func (MeanAbsoluteError) Losses(s *op.Scope, labels, output tf.Output) tf.Output {
	return last(s, op.Mean, op.Abs(s, op.Sub(s, output, labels)))
}

// Huber is half the squared difference d up to Delta, and Delta·(|d| - Delta/2) above,
// the mean over the last dimension.
type Huber struct {
	Delta float64 // 1
}

// Labels are float32, of the output's shape.
func (Huber) Labels(output tf.Output) (tf.DataType, tf.Shape) { return tf.Float, output.Shape() }

// Losses adds the losses of the examples.
func (l Huber) Losses(s *op.Scope, labels, output tf.Output) tf.Output {
	delta := number(s, or(l.Delta, 1))
	d := op.Abs(s, op.Sub(s, output, labels))
	small := op.Minimum(s, d, delta) // min(d, Δ)²/2 + Δ·(d - min(d, Δ))
	square := op.Mul(s, number(s, 0.5), op.Square(s, small))
	return last(s, op.Mean, op.AddV2(s, square, op.Mul(s, delta, op.Sub(s, d, small))))
}

// LogCosh is the logarithm of the hyperbolic cosine of differences, the mean over the last
// dimension.
type LogCosh struct{}

// Labels are float32, of the output's shape.
func (LogCosh) Labels(output tf.Output) (tf.DataType, tf.Shape) { return tf.Float, output.Shape() }

// Losses adds the losses of the examples.
func (LogCosh) Losses(s *op.Scope, labels, output tf.Output) tf.Output {
	d := op.Sub(s, output, labels) // d + log(1 + exp(-2d)) - log 2
	return last(s, op.Mean, op.Sub(s, op.AddV2(s, d, op.Softplus(s, op.Mul(s, d, number(s, -2)))), number(s, math.Ln2)))
}

// MeanAbsolutePercentageError is 100·|y-p|/|y|, the mean over the last dimension.
type MeanAbsolutePercentageError struct{}

// Labels are float32, of the output's shape.
func (MeanAbsolutePercentageError) Labels(output tf.Output) (tf.DataType, tf.Shape) {
	return tf.Float, output.Shape()
}

// Losses adds the losses of the examples.
func (MeanAbsolutePercentageError) Losses(s *op.Scope, labels, output tf.Output) tf.Output {
	share := op.Div(s, op.Sub(s, labels, output), op.Maximum(s, op.Abs(s, labels), number(s, epsilon)))
	return op.Mul(s, last(s, op.Mean, op.Abs(s, share)), number(s, 100))
}

// MeanSquaredLogarithmicError is the square of log(1+y)-log(1+p), the mean over the last
// dimension; negative numbers count as 0.
type MeanSquaredLogarithmicError struct{}

// Labels are float32, of the output's shape.
func (MeanSquaredLogarithmicError) Labels(output tf.Output) (tf.DataType, tf.Shape) {
	return tf.Float, output.Shape()
}

// Losses adds the losses of the examples.
func (MeanSquaredLogarithmicError) Losses(s *op.Scope, labels, output tf.Output) tf.Output {
	log := func(x tf.Output) tf.Output {
		return op.Log(s, op.AddV2(s, op.Maximum(s, x, number(s, epsilon)), number(s, 1)))
	}
	return last(s, op.Mean, op.SquaredDifference(s, log(output), log(labels)))
}

// Poisson is p - y·log p for counts y of which p are expected, the mean over the last
// dimension.
type Poisson struct{}

// Labels are float32, of the output's shape.
func (Poisson) Labels(output tf.Output) (tf.DataType, tf.Shape) { return tf.Float, output.Shape() }

// Losses adds the losses of the examples.
func (Poisson) Losses(s *op.Scope, labels, output tf.Output) tf.Output {
	log := op.Log(s, op.AddV2(s, output, number(s, epsilon)))
	return last(s, op.Mean, op.Sub(s, output, op.Mul(s, labels, log)))
}

// CosineSimilarity is the negative cosine of the angle between vectors in the last
// dimension: -1 where both have the same direction.
type CosineSimilarity struct{}

// Labels are float32, of the output's shape.
func (CosineSimilarity) Labels(output tf.Output) (tf.DataType, tf.Shape) {
	return tf.Float, output.Shape()
}

// Losses adds the losses of the examples.
func (CosineSimilarity) Losses(s *op.Scope, labels, output tf.Output) tf.Output {
	return op.Neg(s, last(s, op.Sum, op.Mul(s, unit(s, labels), unit(s, output))))
}
