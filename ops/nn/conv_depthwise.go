package nn

import (
	"github.com/troupe-go/troupe/devices/cpu/vec"
	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/kernel/elementwise"
)

// A convolution over two dimensions of which each channel of the input is a group of its
// own is a depthwise one: its filter, of shape [height, width, 1, channels·filters], has
// the elements of that one's in the same order.

// depthwise returns the sizes of s as those of a depthwise convolution; ok is false if it is
// none.
func (c *forwardConv[T]) depthwise(s *convSizes) (d depthSizes, ok bool) {
	if c.m.format.Dims != 2 || s.perIn != 1 || s.groups == 1 {
		return d, false
	}
	d = depthSizes{y: s.axes[1], x: s.axes[2], batch: s.batch, in: s.in, out: s.out, per: s.out / s.in}
	d.pixels = d.stretch()
	return d, true
}

// A depthKernel is one of the three maps of a depthwise convolution; it adds to result,
// if it is a gradient.
type depthKernel[T elementwise.Float] func(ctx *kernel.Context, s *depthSizes, a, b, result []T) error

// depthwiseConv computes a convolution that is a depthwise one; done is false if it is
// none, or of a type that these do not have.
func depthwiseConv[T vec.Number](ctx *kernel.Context, c *forwardConv[T], s *convSizes, a, b, result []T, f32 depthKernel[float32], f64 depthKernel[float64]) (done bool, err error) {
	d, ok := c.depthwise(s)
	if !ok {
		return false, nil
	}
	switch result := any(result).(type) {
	case []float32:
		return true, f32(ctx, &d, any(a).([]float32), any(b).([]float32), result)
	case []float64:
		return true, f64(ctx, &d, any(a).([]float64), any(b).([]float64), result)
	}
	return false, nil
}
