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
