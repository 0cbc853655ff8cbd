package layers

import (
	"github.com/troupe-go/troupe/op"
	tf "github.com/troupe-go/troupe/session"
)

// Hinge is max(1-y·p, 0) for labels y of -1 and 1, the mean over the last dimension. Labels
// of 0 and 1, if a batch has no others, mean -1 and 1.
type Hinge struct{}

// Labels are float32, of the output's shape.
func (Hinge) Labels(output tf.Output) (tf.DataType, tf.Shape) { return tf.Float, output.Shape() }

// Losses adds the losses of the examples.
func (Hinge) Losses(s *op.Scope, labels, output tf.Output) tf.Output {
	return last(s, op.Mean, margin(s, labels, output))
}

// SquaredHinge is the square of what [Hinge] is, the mean over the last dimension.
type SquaredHinge struct{}

// Labels are float32, of the output's shape.
func (SquaredHinge) Labels(output tf.Output) (tf.DataType, tf.Shape) {
	return tf.Float, output.Shape()
}

// Losses adds the losses of the examples.
func (SquaredHinge) Losses(s *op.Scope, labels, output tf.Output) tf.Output {
	return last(s, op.Mean, op.Square(s, margin(s, labels, output)))
}

// margin is max(1-y·p, 0), with labels 0 as -1 if all are 0 and 1.
func margin(s *op.Scope, labels, output tf.Output) tf.Output {
	flat := op.Reshape(s, labels, integers(s, -1))
	one := number(s, 1)
	binary := op.All(s, op.LogicalOr(s, op.Equal(s, flat, number(s, 0)), op.Equal(s, flat, one)), integers(s, 0))
	labels = op.SelectV2(s, binary, op.Sub(s, op.AddV2(s, labels, labels), one), labels)
	return op.Relu(s, op.Sub(s, one, op.Mul(s, labels, output)))
}

// CategoricalHinge is max(n-p+1, 0) for the output p of the class that the label says, and
// the greatest output n of the others.
type CategoricalHinge struct{}

// Labels are float32, of the output's shape.
func (CategoricalHinge) Labels(output tf.Output) (tf.DataType, tf.Shape) {
	return tf.Float, output.Shape()
}

// Losses adds the losses of the examples.
func (CategoricalHinge) Losses(s *op.Scope, labels, output tf.Output) tf.Output {
	one := number(s, 1)
	positive := last(s, op.Sum, op.Mul(s, labels, output))
	negative := last(s, op.Max, op.Mul(s, op.Sub(s, one, labels), output))
	return op.Relu(s, op.AddV2(s, op.Sub(s, negative, positive), one))
}
