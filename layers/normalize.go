package layers

import (
	"github.com/troupe-go/troupe/op"
	tf "github.com/troupe-go/troupe/session"
	"github.com/troupe-go/troupe/train"
)

// BatchNormalization brings each channel, the last dimension, to mean 0 and variance 1: in
// training those of the batch, of which moving averages are kept, and in inference the
// averages.
//
// Variables: gamma, beta, moving_mean, moving_variance [channels].
type BatchNormalization struct {
	Name              string
	Momentum          float64 // of the averages: 0.99
	Epsilon           float64 // added to the variance: 0.001
	NoCenter, NoScale bool    // without beta, without gamma
}

// Label is the layer's name or kind.
func (l *BatchNormalization) Label() (name, kind string) { return l.Name, "batch_normalization" }

// Call adds the layer.
func (l *BatchNormalization) Call(c *Context, in []tf.Output) tf.Output {
	x, ok := c.one(in)
	if !ok {
		return x
	}
	s := c.Scope
	n := dim(x, -1)
	scale, offset := tf.Output{}, tf.Output{}
	if !l.NoScale {
		scale = c.Variable("gamma", train.Ones, n).Value
	}
	if !l.NoCenter {
		offset = c.Variable("beta", train.Zeros, n).Value
	}
	mean, variance := c.State("moving_mean", train.Zeros, n), c.State("moving_variance", train.Ones, n)
	if s.Err() != nil {
		return x
	}
	if l.NoScale {
		scale = op.Fill(s, integers(s, int32(n)), number(s, 1))
	}
	if l.NoCenter {
		offset = op.Fill(s, integers(s, int32(n)), number(s, 0))
	}
	eps := or(l.Epsilon, 0.001)
	rank := x.Shape().NumDimensions()
	if !c.Training {
		if rank == 4 {
			y, _, _, _, _, _ := op.FusedBatchNormV3(s, x, scale, offset, mean.Value, variance.Value,
				op.FusedBatchNormV3Epsilon(float32(eps)), op.FusedBatchNormV3IsTraining(false))
			return y
		}
		return normalized(s, x, mean.Value, variance.Value, scale, offset, eps)
	}
	var y, batchMean, batchVariance tf.Output
	if rank == 4 {
		none := op.Const(s, []float32{})
		var unbiased tf.Output
		y, batchMean, unbiased, _, _, _ = op.FusedBatchNormV3(s, x, scale, offset, none, none, op.FusedBatchNormV3Epsilon(float32(eps)))
		// The operation divides by one less than the number of elements.
		whole := op.Shape(s, x)
		elements := op.Cast(s, op.Prod(s, op.StridedSlice(s, whole, integers(s, 0), integers(s, 3), integers(s, 1)), integers(s, 0)), tf.Float)
		one := number(s, 1)
		batchVariance = op.Mul(s, unbiased, op.Div(s, op.Maximum(s, op.Sub(s, elements, one), one), elements))
	} else {
		axes := make([]int32, rank-1)
		for i := range axes {
			axes[i] = int32(i)
		}
		batchMean = op.Mean(s, x, integers(s, axes...))
		batchVariance = op.Mean(s, op.SquaredDifference(s, x, batchMean), integers(s, axes...))
		y = normalized(s, x, batchMean, batchVariance, scale, offset, eps)
	}
	share := number(s, 1-or(l.Momentum, 0.99))
	c.Assign(mean, op.Sub(s, mean.Value, op.Mul(s, op.Sub(s, mean.Value, batchMean), share)))
	c.Assign(variance, op.Sub(s, variance.Value, op.Mul(s, op.Sub(s, variance.Value, batchVariance), share)))
	return y
}

// normalized is (x-mean)/√(variance+eps)·scale + offset.
func normalized(s *op.Scope, x, mean, variance, scale, offset tf.Output, eps float64) tf.Output {
	factor := op.Mul(s, op.Rsqrt(s, op.AddV2(s, variance, number(s, eps))), scale)
	return op.AddV2(s, op.Mul(s, x, factor), op.Sub(s, offset, op.Mul(s, mean, factor)))
}

// LayerNormalization brings the last dimension of each example to mean 0 and variance 1.
//
// Variables: gamma, beta [channels].
type LayerNormalization struct {
	Name              string
	Epsilon           float64 // added to the variance: 0.001
	NoCenter, NoScale bool    // without beta, without gamma
}

// Label is the layer's name or kind.
func (l *LayerNormalization) Label() (name, kind string) { return l.Name, "layer_normalization" }

// Call adds the layer.
func (l *LayerNormalization) Call(c *Context, in []tf.Output) tf.Output {
	x, ok := c.one(in)
	if !ok {
		return x
	}
	s := c.Scope
	n := dim(x, -1)
	axis := integers(s, -1)
	mean := op.Mean(s, x, axis, op.MeanKeepDims(true))
	centered := op.Sub(s, x, mean)
	variance := op.Mean(s, op.Square(s, centered), axis, op.MeanKeepDims(true))
	y := op.Mul(s, centered, op.Rsqrt(s, op.AddV2(s, variance, number(s, or(l.Epsilon, 0.001)))))
	if !l.NoScale {
		y = op.Mul(s, y, c.Variable("gamma", train.Ones, n).Value)
	}
	if !l.NoCenter {
		y = op.AddV2(s, y, c.Variable("beta", train.Zeros, n).Value)
	}
	return y
}
