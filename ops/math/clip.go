package math

import (
	"github.com/troupe-go/troupe/devices/cpu/vec"
	"github.com/troupe-go/troupe/graph/gradient"
	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/kernel/elementwise"
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

func init() {
	registry.Define("ClipByValue").
		Input("t: T").Input("clip_value_min: T").Input("clip_value_max: T").Output("output: T").
		Traits(registry.Elementwise).
		Attr("T: numbertype").
		Doc(`Limits elements to a range; NaN stays NaN.

clip_value_min: The lower limit: a scalar, or of the shape of t.
clip_value_max: The upper limit, likewise.`)

	kernel.ForTypes("ClipByValue", "T", newClip, elementwise.Numbers...)

	gradient.Register(func(c *gradient.Context) {
		if !c.Has(0) {
			return
		}
		x, low, high, dy := c.Input(0), c.Input(1), c.Input(2), c.Dy(0)
		zero := c.Scalar(dy, 0)
		below, above := c.Op("Less", nil, x, low), c.Op("Greater", nil, x, high)
		c.Set(0, c.Select(c.Op("LogicalOr", nil, below, above), zero, dy))
		if c.Wants(1) {
			c.Set(1, c.SumAs(c.Select(below, dy, zero), c.Output(0), low))
		}
		if c.Wants(2) {
			c.Set(2, c.SumAs(c.Select(above, dy, zero), c.Output(0), high))
		}
	}, "ClipByValue")
}

func newClip(dt tensor.DType) kernel.Kernel {
	switch dt {
	case tensor.Float:
		return kernel.Func(clipFloats)
	case tensor.Double:
		return clipping[float64]()
	case tensor.Half, tensor.Bfloat16:
		return elementwise.Widen(dt, clipping[float32]())
	case tensor.Int8:
		return clipping[int8]()
	case tensor.Int16:
		return clipping[int16]()
	case tensor.Int32:
		return clipping[int32]()
	case tensor.Int64:
		return clipping[int64]()
	case tensor.Uint8:
		return clipping[uint8]()
	case tensor.Uint16:
		return clipping[uint16]()
	case tensor.Uint32:
		return clipping[uint32]()
	case tensor.Uint64:
		return clipping[uint64]()
	case tensor.Complex64:
		return clippingBy(func(x, low, high complex64) complex64 {
			return complex(limit(real(x), real(low), real(high)), limit(imag(x), imag(low), imag(high)))
		})
	case tensor.Complex128:
		return clippingBy(func(x, low, high complex128) complex128 {
			return complex(limit(real(x), real(low), real(high)), limit(imag(x), imag(low), imag(high)))
		})
	}
	return nil
}

// limit takes the smaller of x and the upper limit, and then the larger of that
// and the lower limit; a limit that is NaN is none. Both parts of a complex
// number have limits.
func limit[T elementwise.Real](x, low, high T) T {
	if high < x {
		x = high
	}
	if x < low {
		x = low
	}
	return x
}

func clipping[T elementwise.Real]() kernel.Kernel { return clippingBy(limit[T]) }

func clippingBy[T elementwise.Number](limit func(x, low, high T) T) kernel.Kernel {
	return kernel.Func(func(ctx *kernel.Context, in, out []tensor.Value) error { return clip(ctx, in, out, limit) })
}

// clipFloats is clip with vector loops.
func clipFloats(ctx *kernel.Context, in, out []tensor.Value) error {
	return clipBy(ctx, in, out, func(o, x, low, high []float32) {
		if len(high) == 1 {
			vec.AtMostScalar(o, x, high[0])
		} else {
			vec.AtMost(o, x, high)
		}
		if len(low) == 1 {
			vec.AtLeastScalar(o, o, low[0])
		} else {
			vec.AtLeast(o, o, low)
		}
	})
}

func clip[T elementwise.Number](ctx *kernel.Context, in, out []tensor.Value, limit func(x, low, high T) T) error {
	return clipBy(ctx, in, out, func(o, x, low, high []T) {
		l, h := low[0], high[0]
		for i, x := range x {
			if len(low) > 1 {
				l = low[i]
			}
			if len(high) > 1 {
				h = high[i]
			}
			o[i] = limit(x, l, h)
		}
	})
}

// clipBy checks the limits and calls loop with parts of the result, of the input and of
// the limits, or with one limit.
func clipBy[T elementwise.Number](ctx *kernel.Context, in, out []tensor.Value, loop func(o, x, low, high []T)) error {
	for i, name := range []string{"clip_value_min", "clip_value_max"} {
		if end := in[i+1]; end.Rank() != 0 && !tensor.SameShape(end, in[0]) {
			return status.Invalid("%s must be either of the same shape as input, or a scalar: %s vs. %s", name,
				tensor.FormatDims(end.Dims()), tensor.FormatDims(in[0].Dims()))
		}
	}
	x, low, high := tensor.Of[T](&in[0]), tensor.Of[T](&in[1]), tensor.Of[T](&in[2])
	v, err := ctx.ReuseOrAlloc(in, 0, in[0].DType(), in[0].Dims())
	if err != nil {
		return err
	}
	out[0] = v
	o := tensor.Of[T](&out[0])
	part := func(limit []T, first, last int) []T {
		if len(limit) == 1 {
			return limit
		}
		return limit[first:last]
	}
	ctx.Parallel(len(o), elementwise.Grain, func(first, last int) {
		if ctx.Err() == nil {
			loop(o[first:last], x[first:last], part(low, first, last), part(high, first, last))
		}
	})
	return ctx.Err()
}
