package layers

import (
	"github.com/troupe-go/troupe/op"
	tf "github.com/troupe-go/troupe/session"
)

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

// BinaryFocalCrossentropy is [BinaryCrossentropy], of which an element with probability p of
// its label counts (1-p)^Gamma times, so that those that are nearly right count little. (Lin
// et al., 2018.)
type BinaryFocalCrossentropy struct {
	FromLogits     bool
	Gamma          float64 // 2
	Balanced       bool    // yes counts Alpha times, no 1-Alpha times
	Alpha          float64 // 0.25
	LabelSmoothing float64 // the share of a label that is spread over both values
}

// Labels are float32, of the output's shape.
func (BinaryFocalCrossentropy) Labels(output tf.Output) (tf.DataType, tf.Shape) {
	return tf.Float, output.Shape()
}

// Losses adds the losses of the examples.
func (l BinaryFocalCrossentropy) Losses(s *op.Scope, labels, output tf.Output) tf.Output {
	labels = smooth(s, labels, l.LabelSmoothing, 2)
	if l.FromLogits {
		output = op.Sigmoid(s, output)
	}
	one := number(s, 1)
	against := op.Sub(s, one, labels)
	right := op.AddV2(s, op.Mul(s, labels, output), op.Mul(s, against, op.Sub(s, one, output)))
	p := op.ClipByValue(s, output, number(s, epsilon), number(s, 1-epsilon))
	losses := op.Neg(s, op.AddV2(s, op.Mul(s, labels, op.Log(s, p)), op.Mul(s, against, op.Log(s, op.Sub(s, one, p)))))
	losses = op.Mul(s, op.Pow(s, op.Sub(s, one, right), number(s, or(l.Gamma, 2))), losses)
	if l.Balanced {
		alpha := or(l.Alpha, 0.25)
		losses = op.Mul(s, losses, op.AddV2(s, op.Mul(s, labels, number(s, alpha)), op.Mul(s, against, number(s, 1-alpha))))
	}
	return last(s, op.Mean, losses)
}

// CategoricalFocalCrossentropy is [CategoricalCrossentropy], of which a class with
// probability p counts Alpha·(1-p)^Gamma times, so that those that are nearly right count
// little. (Lin et al., 2018.)
type CategoricalFocalCrossentropy struct {
	FromLogits     bool
	Gamma          float64 // 2
	Alpha          float64 // 0.25
	LabelSmoothing float64 // the share of a label that is spread over all classes
}

// Labels are float32, of the output's shape.
func (CategoricalFocalCrossentropy) Labels(output tf.Output) (tf.DataType, tf.Shape) {
	return tf.Float, output.Shape()
}

// Losses adds the losses of the examples.
func (l CategoricalFocalCrossentropy) Losses(s *op.Scope, labels, output tf.Output) tf.Output {
	labels = smooth(s, labels, l.LabelSmoothing, float64(dim(output, -1)))
	if l.FromLogits {
		output = op.Softmax(s, output)
	}
	p := op.Div(s, output, op.Sum(s, output, integers(s, -1), op.SumKeepDims(true)))
	p = op.ClipByValue(s, p, number(s, epsilon), number(s, 1-epsilon))
	factor := op.Mul(s, op.Pow(s, op.Sub(s, number(s, 1), p), number(s, or(l.Gamma, 2))), number(s, or(l.Alpha, 0.25)))
	return op.Neg(s, last(s, op.Sum, op.Mul(s, factor, op.Mul(s, labels, op.Log(s, p)))))
}

// KLDivergence is the Kullback-Leibler divergence of two distributions over classes in the
// last dimension: Σ y·log(y/p).
type KLDivergence struct{}

// Labels are float32, of the output's shape.
func (KLDivergence) Labels(output tf.Output) (tf.DataType, tf.Shape) {
	return tf.Float, output.Shape()
}

// Losses adds the losses of the examples.
func (KLDivergence) Losses(s *op.Scope, labels, output tf.Output) tf.Output {
	y := op.ClipByValue(s, labels, number(s, epsilon), number(s, 1))
	p := op.ClipByValue(s, output, number(s, epsilon), number(s, 1))
	return last(s, op.Sum, op.Mul(s, y, op.Log(s, op.Div(s, y, p))))
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
