package layers

import (
	"github.com/troupe-go/troupe/op"
	tf "github.com/troupe-go/troupe/session"
)

// A Loss compares a network's output with labels. The loss of a batch is the mean of what
// Losses returns, each element multiplied by the example's weight, if there are weights.
type Loss interface {
	// Labels is the type and shape of the labels for an output.
	Labels(output tf.Output) (tf.DataType, tf.Shape)
	// Losses adds the losses of the examples, of the labels' shape, perhaps without its
	// last dimension.
	Losses(s *op.Scope, labels, output tf.Output) tf.Output
}

// epsilon bounds probabilities of which the logarithm is taken.
const epsilon = 1e-7

// SparseCategoricalCrossentropy is the cross entropy of classes: labels are their
// numbers, and the output has a probability for each class in its last dimension, or a
// logit if FromLogits.
type SparseCategoricalCrossentropy struct{ FromLogits bool }

// Labels are int64, of the output's shape without the last dimension.
func (SparseCategoricalCrossentropy) Labels(output tf.Output) (tf.DataType, tf.Shape) {
	return tf.Int64, leading(output)
}

// Losses adds the losses of the examples.
func (l SparseCategoricalCrossentropy) Losses(s *op.Scope, labels, output tf.Output) tf.Output {
	logits := logitsOf(s, l.FromLogits, output)
	if s.Err() != nil {
		return logits
	}
	if output.Shape().NumDimensions() == 2 {
		losses, _ := op.SparseSoftmaxCrossEntropyWithLogits(s, logits, labels)
		return losses
	}
	rows := op.Reshape(s, logits, integers(s, -1, int32(dim(logits, -1))))
	losses, _ := op.SparseSoftmaxCrossEntropyWithLogits(s, rows, op.Reshape(s, labels, integers(s, -1)))
	return op.Reshape(s, losses, op.Shape(s, labels))
}

// CategoricalCrossentropy is the cross entropy of distributions over classes: labels have
// a probability for each class in their last dimension, and so has the output, or a logit
// if FromLogits.
type CategoricalCrossentropy struct {
	FromLogits     bool
	LabelSmoothing float64 // the share of a label that is spread over all classes
}

// Labels are float32, of the output's shape.
func (CategoricalCrossentropy) Labels(output tf.Output) (tf.DataType, tf.Shape) {
	return tf.Float, output.Shape()
}

// Losses adds the losses of the examples.
func (l CategoricalCrossentropy) Losses(s *op.Scope, labels, output tf.Output) tf.Output {
	labels = smooth(s, labels, l.LabelSmoothing, float64(dim(output, -1)))
	logits := logitsOf(s, l.FromLogits, output)
	if s.Err() != nil {
		return logits
	}
	return op.Neg(s, last(s, op.Sum, op.Mul(s, labels, op.LogSoftmax(s, logits))))
}

// BinaryCrossentropy is the cross entropy of independent yes-or-no labels, 1 and 0: the
// output has a probability for each, or a logit if FromLogits. The loss of an example is
// the mean over the last dimension.
type BinaryCrossentropy struct {
	FromLogits     bool
	LabelSmoothing float64 // the share of a label that is spread over both values
}

// Labels are float32, of the output's shape.
func (BinaryCrossentropy) Labels(output tf.Output) (tf.DataType, tf.Shape) {
	return tf.Float, output.Shape()
}

// Losses adds the losses of the examples.
func (l BinaryCrossentropy) Losses(s *op.Scope, labels, output tf.Output) tf.Output {
	labels = smooth(s, labels, l.LabelSmoothing, 2)
	if s.Err() != nil {
		return output
	}
	logits := output
	if !l.FromLogits && output.Op.Type() == "Sigmoid" {
		logits, l.FromLogits = inputOf(output), true
	}
	if l.FromLogits { // max(x, 0) - x·y + log(1 + exp(-|x|))
		bound := op.Sub(s, op.Relu(s, logits), op.Mul(s, logits, labels))
		rest := op.Log1p(s, op.Exp(s, op.Neg(s, op.Abs(s, logits))))
		return last(s, op.Mean, op.AddV2(s, bound, rest))
	}
	p := op.ClipByValue(s, output, number(s, epsilon), number(s, 1-epsilon))
	one := number(s, 1)
	yes := op.Mul(s, labels, op.Log(s, p))
	no := op.Mul(s, op.Sub(s, one, labels), op.Log(s, op.Sub(s, one, p)))
	return op.Neg(s, last(s, op.Mean, op.AddV2(s, yes, no)))
}

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

// logitsOf is logits with the probabilities of an output: those that a softmax had, which
// are exact, or logarithms.
func logitsOf(s *op.Scope, are bool, output tf.Output) tf.Output {
	switch {
	case are || s.Err() != nil:
		return output
	case output.Op.Type() == "Softmax":
		return inputOf(output)
	}
	return op.Log(s, op.ClipByValue(s, output, number(s, epsilon), number(s, 1-epsilon)))
}

func inputOf(o tf.Output) tf.Output { return o.Op.Inputs()[0] }

// smooth spreads a share of labels over a number of classes.
func smooth(s *op.Scope, labels tf.Output, share, classes float64) tf.Output {
	if share == 0 {
		return labels
	}
	return op.AddV2(s, op.Mul(s, labels, number(s, 1-share)), number(s, share/classes))
}

// last is a sum or mean over the last dimension.
func last[A any](s *op.Scope, f func(*op.Scope, tf.Output, tf.Output, ...A) tf.Output, x tf.Output) tf.Output {
	return f(s, x, integers(s, -1))
}

// leading is a shape without the last dimension.
func leading(x tf.Output) tf.Shape {
	shape := x.Shape()
	n := shape.NumDimensions()
	if n < 1 {
		return shape
	}
	dims := make([]int64, n-1)
	for i := range dims {
		dims[i] = shape.Size(i)
	}
	return tf.MakeShape(dims...)
}
