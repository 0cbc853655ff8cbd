package layers

import (
	"math"

	"github.com/troupe-go/troupe/op"
	tf "github.com/troupe-go/troupe/session"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
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
	c.KeepMask()
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
		average := func(x tf.Output) tf.Output { return op.Mean(s, x, integers(s, axes...)) }
		if mask, ok := c.Mask(0); ok && rank == 3 { // of the steps that count
			counts := op.Cast(s, steps(s, mask), tf.Float)
			all := op.AddV2(s, op.Sum(s, counts, integers(s, 0, 1)), number(s, epsilon))
			average = func(x tf.Output) tf.Output { return op.Div(s, op.Sum(s, op.Mul(s, x, counts), integers(s, 0, 1)), all) }
		}
		batchMean = average(x)
		batchVariance = average(op.SquaredDifference(s, x, batchMean))
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
	c.KeepMask()
	x, ok := c.one(in)
	if !ok {
		return x
	}
	s := c.Scope
	n := dim(x, -1)
	y := standardized(s, x, integers(s, -1), or(l.Epsilon, 0.001))
	return c.scaled(y, n, l.NoScale, l.NoCenter)
}

// GroupNormalization brings groups of channels of each example to mean 0 and variance 1.
// (Wu and He, 2018.)
//
// Variables: gamma, beta [channels].
type GroupNormalization struct {
	Name              string
	Groups            int64   // 32; -1 makes a group of each channel
	Epsilon           float64 // added to the variance: 0.001
	NoCenter, NoScale bool    // without beta, without gamma
}

// Label is the layer's name or kind.
func (l *GroupNormalization) Label() (name, kind string) { return l.Name, "group_normalization" }

// Call adds the layer.
func (l *GroupNormalization) Call(c *Context, in []tf.Output) tf.Output {
	c.KeepMask()
	x, ok := c.one(in)
	if !ok {
		return x
	}
	n, groups, rank := dim(x, -1), or(l.Groups, 32), x.Shape().NumDimensions()
	if groups == -1 {
		groups = n
	}
	if rank < 2 || groups < 1 || n < 1 || n%groups != 0 {
		c.Fail("an input of shape %v has no channels that can be divided into %d groups", x.Shape(), groups)
		return x
	}
	s := c.Scope
	parts, axes := make([]tf.Output, 0, rank+1), make([]int32, 0, rank)
	for i := range rank - 1 {
		parts = append(parts, dimension(s, x, i))
		if i > 0 {
			axes = append(axes, int32(i))
		}
	}
	parts = append(parts, op.Const(s, int32(groups)), op.Const(s, int32(n/groups)))
	grouped := op.Reshape(s, x, op.Pack(s, parts))
	y := op.Reshape(s, standardized(s, grouped, integers(s, append(axes, int32(rank))...), or(l.Epsilon, 0.001)), op.Shape(s, x))
	return c.scaled(y, n, l.NoScale, l.NoCenter)
}

// standardized is x with mean 0 and variance 1 over axes.
func standardized(s *op.Scope, x, axes tf.Output, eps float64) tf.Output {
	mean := op.Mean(s, x, axes, op.MeanKeepDims(true))
	centered := op.Sub(s, x, mean)
	variance := op.Mean(s, op.Square(s, centered), axes, op.MeanKeepDims(true))
	return op.Mul(s, centered, op.Rsqrt(s, op.AddV2(s, variance, number(s, eps))))
}

// scaled is y·gamma + beta, with n channels.
func (c *Context) scaled(y tf.Output, n int64, noScale, noCenter bool) tf.Output {
	if !noScale {
		y = op.Mul(c.Scope, y, c.Variable("gamma", train.Ones, n).Value)
	}
	if !noCenter {
		y = op.AddV2(c.Scope, y, c.Variable("beta", train.Zeros, n).Value)
	}
	return y
}

// RMSNormalization divides the last dimension of each example by the root of its mean
// square, and multiplies it by a scale. (Zhang and Sennrich, 2019.)
//
// Variables: scale [channels].
type RMSNormalization struct {
	Name    string
	Epsilon float64 // added to the mean square: 1e-6
}

// Label is the layer's name or kind.
func (l *RMSNormalization) Label() (name, kind string) { return l.Name, "rms_normalization" }

// Call adds the layer.
func (l *RMSNormalization) Call(c *Context, in []tf.Output) tf.Output {
	x, ok := c.one(in)
	if !ok {
		return x
	}
	s := c.Scope
	square := op.Mean(s, op.Square(s, x), integers(s, -1), op.MeanKeepDims(true))
	y := op.Mul(s, x, op.Rsqrt(s, op.AddV2(s, square, number(s, or(l.Epsilon, 1e-6)))))
	return op.Mul(s, y, c.Variable("scale", train.Ones, dim(x, -1)).Value)
}

// UnitNormalization divides the last dimension of each example by its Euclidean norm.
type UnitNormalization struct{ Name string }

// Label is the layer's name or kind.
func (l *UnitNormalization) Label() (name, kind string) { return l.Name, "unit_normalization" }

// Call adds the layer.
func (l *UnitNormalization) Call(c *Context, in []tf.Output) tf.Output {
	c.KeepMask()
	x, ok := c.one(in)
	if !ok {
		return x
	}
	return unit(c.Scope, x)
}

// unit is x with vectors of length 1 in the last dimension.
func unit(s *op.Scope, x tf.Output) tf.Output {
	square := op.Sum(s, op.Square(s, x), integers(s, -1), op.SumKeepDims(true))
	return op.Mul(s, x, op.Rsqrt(s, op.Maximum(s, square, number(s, 1e-12))))
}

// Normalization is (x-Mean)/√Variance, for each element of the last dimension;
// [Standardize] computes both of data. It has no variables.
type Normalization struct {
	Name           string
	Mean, Variance []float32
}

// Label is the layer's name or kind.
func (l *Normalization) Label() (name, kind string) { return l.Name, "normalization" }

// Call adds the layer.
func (l *Normalization) Call(c *Context, in []tf.Output) tf.Output {
	c.KeepMask()
	x, ok := c.one(in)
	if !ok {
		return x
	}
	if n := dim(x, -1); n >= 0 && (int64(len(l.Mean)) != n || int64(len(l.Variance)) != n) {
		c.Fail("there are %d means and %d variances for an input of shape %v", len(l.Mean), len(l.Variance), x.Shape())
		return x
	}
	deviation := make([]float32, len(l.Variance))
	for i, v := range l.Variance {
		deviation[i] = max(float32(math.Sqrt(float64(v))), epsilon)
	}
	s := c.Scope
	return op.Div(s, op.Sub(s, asFloat(s, x), op.Const(s, l.Mean)), op.Const(s, deviation))
}

// Standardize is a [Normalization] after which each element of the last dimension of the
// examples x, of a type of numbers, has mean 0 and variance 1.
func Standardize(x *tf.Tensor) (*Normalization, error) {
	v := tensor.ValueOf(x)
	list, err := floats(&v)
	if err != nil {
		return nil, err
	}
	dims := x.Dims()
	if len(dims) < 2 || len(list) == 0 {
		return nil, status.Invalid("a tensor of shape %v has no examples with channels", dims)
	}
	n := int(dims[len(dims)-1])
	rows := float64(len(list) / n)
	mean, variance := make([]float64, n), make([]float64, n)
	for i, x := range list {
		mean[i%n] += x / rows
	}
	for i, x := range list {
		variance[i%n] += (x - mean[i%n]) * (x - mean[i%n]) / rows
	}
	return &Normalization{Mean: converted[float32](mean), Variance: converted[float32](variance)}, nil
}
