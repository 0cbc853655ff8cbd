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
		Doc(`Limits elements to a range; NaN remains NaN.

clip_value_min: The lower limit: a scalar, or of the shape of t.
clip_value_max: The upper limit, likewise.`)

	kernel.ForTypes("ClipByValue", "T", newClip, elementwise.Numbers...)

	gradient.Register(func(c *gradient.Context) {
		if !c.Has(0) {
			return
		}
		x, low, high, dy := c.Input(0), c.Input(1), c.Input(2), c.Dy(0)
		zero := c.Scalar(dy, 0)
		below, above := c.Apply("Less", x, low), c.Apply("Greater", x, high)
		c.Set(0, c.Select(c.Apply("LogicalOr", below, above), zero, dy))
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
		return clips{clipFloats}
	case tensor.Double:
		return clipping[float64]()
	case tensor.Half, tensor.Bfloat16:
		return elementwise.Widen(dt, clipping[float32]())
	case tensor.Int32:
		return clipping[int32]()
	case tensor.Int64:
		return clipping[int64]()
	case tensor.Uint64:
		return clipping[uint64]()
	case tensor.Int8, tensor.Int16, tensor.Uint8, tensor.Uint16, tensor.Uint32:
		return elementwise.WidenIntegers(dt, newClip(elementwise.Wider(dt)), 0)
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

//go:noinline
func clipping[T elementwise.Real]() kernel.Kernel { return clippingBy(limit[T]) }

// clippingBy returns the kernel that limits each element by itself.
//
//go:noinline
func clippingBy[T elementwise.Number](limit func(x, low, high T) T) kernel.Kernel {
	return clips{func(o, x, low, high tensor.Memory, first, last int) {
		results, lows, highs := tensor.Elements[T](o)[first:last], tensor.Elements[T](low), tensor.Elements[T](high)
		l, h := lows[0], highs[0]
		for i, x := range tensor.Elements[T](x)[first:last] {
			if len(lows) > 1 {
				l = lows[first+i]
			}
			if len(highs) > 1 {
				h = highs[first+i]
			}
			results[i] = limit(x, l, h)
		}
	}}
}

// clipFloats is a part of clips by vector loops.
func clipFloats(o, x, low, high tensor.Memory, first, last int) {
	results, lows, highs := tensor.Elements[float32](o)[first:last], tensor.Elements[float32](low), tensor.Elements[float32](high)
	if elements := tensor.Elements[float32](x)[first:last]; len(highs) == 1 {
		vec.AtMostScalar(results, elements, highs[0])
	} else {
		vec.AtMost(results, elements, highs[first:last])
	}
	if len(lows) == 1 {
		vec.AtLeastScalar(results, results, lows[0])
	} else {
		vec.AtLeast(results, results, lows[first:last])
	}
}

// A clips is the kernel of ClipByValue: part limits elements first to last-1 of x, by
// limits of as many elements or of one.
type clips struct {
	part func(o, x, low, high tensor.Memory, first, last int)
}

func (k clips) Run(ctx *kernel.Context, in, out []tensor.Value) error {
	for i, name := range []string{"clip_value_min", "clip_value_max"} {
		if end := in[i+1]; end.Rank() != 0 && !tensor.SameShape(end, in[0]) {
			return status.Invalid("%s must be either of the same shape as input, or a scalar: %s vs. %s", name,
				tensor.FormatDims(end.Dims()), tensor.FormatDims(in[0].Dims()))
		}
	}
	x, low, high := in[0].Memory(), in[1].Memory(), in[2].Memory()
	v, err := ctx.ReuseOrAlloc(in, 0, in[0].DType(), in[0].Dims())
	if err != nil {
		return err
	}
	out[0] = v
	o := out[0].Memory()
	ctx.Parallel(o.Len(), elementwise.Grain, func(first, last int) {
		if ctx.Err() == nil {
			k.part(o, x, low, high, first, last)
		}
	})
	return ctx.Err()
}
