package layers

import (
	"math"

	"github.com/troupe-go/troupe/op"
	tf "github.com/troupe-go/troupe/session"
)

// Dropout sets elements to 0 in training with probability Rate, and scales the others.
type Dropout struct {
	Name string
	Rate float64
}

// Label is the layer's name or kind.
func (l *Dropout) Label() (name, kind string) { return l.Name, "dropout" }

// Call adds the layer.
func (l *Dropout) Call(c *Context, in []tf.Output) tf.Output {
	c.KeepMask()
	x, ok := c.one(in)
	if !ok || !c.checkRate(l.Rate) {
		return x
	}
	return c.Dropout(x, l.Rate)
}

// SpatialDropout1D sets whole channels of examples [time, channels] to 0 in training with
// probability Rate, and scales the others.
type SpatialDropout1D struct {
	Name string
	Rate float64
}

// Label is the layer's name or kind.
func (l *SpatialDropout1D) Label() (name, kind string) { return l.Name, "spatial_dropout1d" }

// Call adds the layer.
func (l *SpatialDropout1D) Call(c *Context, in []tf.Output) tf.Output {
	c.KeepMask()
	return dropChannels(c, in, l.Rate, 3)
}

// SpatialDropout2D sets whole channels of examples [height, width, channels] to 0 in
// training with probability Rate, and scales the others.
type SpatialDropout2D struct {
	Name string
	Rate float64
}

// Label is the layer's name or kind.
func (l *SpatialDropout2D) Label() (name, kind string) { return l.Name, "spatial_dropout2d" }

// Call adds the layer.
func (l *SpatialDropout2D) Call(c *Context, in []tf.Output) tf.Output {
	return dropChannels(c, in, l.Rate, 4)
}

func dropChannels(c *Context, in []tf.Output, rate float64, rank int) tf.Output {
	x, ok := c.one(in)
	if !ok || !c.rank(x, rank) || !c.checkRate(rate) || !c.Training || rate == 0 {
		return x
	}
	s := c.Scope
	shape := []tf.Output{dimension(s, x, 0)}
	for range rank - 2 {
		shape = append(shape, op.Const(s, int32(1)))
	}
	shape = append(shape, dimension(s, x, rank-1))
	return op.Mul(s, x, c.Dropout(op.Fill(s, op.Pack(s, shape), number(s, 1)), rate))
}

// GaussianNoise adds numbers of the normal distribution with mean 0 and deviation StdDev
// in training.
type GaussianNoise struct {
	Name   string
	StdDev float64
}

// Label is the layer's name or kind.
func (l *GaussianNoise) Label() (name, kind string) { return l.Name, "gaussian_noise" }

// Call adds the layer.
func (l *GaussianNoise) Call(c *Context, in []tf.Output) tf.Output {
	c.KeepMask()
	x, ok := c.one(in)
	if !ok {
		return x
	}
	if !(l.StdDev >= 0) {
		c.Fail("StdDev is %v, but must not be negative", l.StdDev)
	}
	if !c.Training || l.StdDev == 0 {
		return x
	}
	return op.AddV2(c.Scope, x, op.Mul(c.Scope, c.normal(x), number(c.Scope, l.StdDev)))
}

// GaussianDropout multiplies elements in training by numbers of the normal distribution
// with mean 1 and variance Rate/(1-Rate). (Srivastava et al., 2014.)
type GaussianDropout struct {
	Name string
	Rate float64
}

// Label is the layer's name or kind.
func (l *GaussianDropout) Label() (name, kind string) { return l.Name, "gaussian_dropout" }

// Call adds the layer.
func (l *GaussianDropout) Call(c *Context, in []tf.Output) tf.Output {
	c.KeepMask()
	x, ok := c.one(in)
	if !ok || !c.checkRate(l.Rate) || !c.Training || l.Rate == 0 {
		return x
	}
	s := c.Scope
	factor := op.AddV2(s, op.Mul(s, c.normal(x), number(s, math.Sqrt(l.Rate/(1-l.Rate)))), number(s, 1))
	return op.Mul(s, x, factor)
}

// checkRate fails if the share of what is dropped is out of range.
func (c *Context) checkRate(rate float64) bool {
	if !(rate >= 0 && rate < 1) {
		c.Fail("Rate is %v, but must be in [0, 1)", rate)
	}
	return c.Scope.Err() == nil
}

// normal is numbers of the standard normal distribution in the shape of x, others for each
// update.
func (c *Context) normal(x tf.Output) tf.Output {
	return op.StatelessRandomNormal(c.Scope, op.Shape(c.Scope, x), c.Seed())
}

// uniform is numbers in [r.Lo, r.Hi), others for each update.
func (c *Context) uniform(r Range, shape ...tf.Output) tf.Output {
	s := c.Scope
	draw := op.StatelessRandomUniform(s, op.Pack(s, shape), c.Seed())
	return op.AddV2(s, op.Mul(s, draw, number(s, r.Hi-r.Lo)), number(s, r.Lo))
}

// dimension is a dimension of x when it runs, a scalar int32.
func dimension(s *op.Scope, x tf.Output, i int) tf.Output {
	if d := dim(x, i); d >= 0 {
		return op.Const(s, int32(d))
	}
	return op.GatherV2(s, op.Shape(s, x), op.Const(s, int32(i)), op.Const(s, int32(0)))
}
