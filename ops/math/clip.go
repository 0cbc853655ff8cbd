package math

import (
	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/kernel/elementwise"
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

func init() {
	registry.Define("ClipByValue").
		Input("t: T").Input("clip_value_min: T").Input("clip_value_max: T").Output("output: T").
		Attr("T: numbertype").
		Doc(`Limits elements to a range; NaN stays NaN.

clip_value_min: The lower limit: a scalar, or of the shape of t.
clip_value_max: The upper limit, likewise.`)

	kernel.ForTypes("ClipByValue", "T", newClip, elementwise.Reals...)
}

func newClip(dt tensor.DType) kernel.Kernel {
	switch dt {
	case tensor.Float:
		return kernel.Func(clip[float32])
	case tensor.Double:
		return kernel.Func(clip[float64])
	case tensor.Half, tensor.Bfloat16:
		return elementwise.Widen(dt, kernel.Func(clip[float32]))
	case tensor.Int8:
		return kernel.Func(clip[int8])
	case tensor.Int16:
		return kernel.Func(clip[int16])
	case tensor.Int32:
		return kernel.Func(clip[int32])
	case tensor.Int64:
		return kernel.Func(clip[int64])
	case tensor.Uint8:
		return kernel.Func(clip[uint8])
	case tensor.Uint16:
		return kernel.Func(clip[uint16])
	case tensor.Uint32:
		return kernel.Func(clip[uint32])
	case tensor.Uint64:
		return kernel.Func(clip[uint64])
	}
	return nil
}

// clip takes the smaller of an element and the upper limit, and then the larger
// of that and the lower limit.
func clip[T elementwise.Real](ctx *kernel.Context, in, out []tensor.Value) error {
	for i, name := range []string{"clip_value_min", "clip_value_max"} {
		if limit := in[i+1]; limit.NumElements() != 1 && !tensor.SameShape(limit, in[0]) {
			return status.Invalid("%s must be either of the same shape as input, or a scalar: %s vs. %s", name,
				tensor.FormatDims(limit.Dims()), tensor.FormatDims(in[0].Dims()))
		}
	}
	x, low, high := tensor.Of[T](&in[0]), tensor.Of[T](&in[1]), tensor.Of[T](&in[2])
	v, err := ctx.ReuseOrAlloc(in, 0, in[0].DType(), in[0].Dims())
	if err != nil {
		return err
	}
	out[0] = v
	o := tensor.Of[T](&out[0])
	ctx.Parallel(len(o), elementwise.Grain, func(first, last int) {
		if ctx.Err() != nil {
			return
		}
		for i := first; i < last; i++ {
			l, h := low[0], high[0]
			if len(low) > 1 {
				l = low[i]
			}
			if len(high) > 1 {
				h = high[i]
			}
			o[i] = max(min(x[i], h), l)
		}
	})
	return ctx.Err()
}
