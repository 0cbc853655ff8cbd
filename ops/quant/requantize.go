package quant

import (
	"math"

	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

func init() {
	kernel.ForType("RequantizationRange", "Tinput", tensor.Qint32, plain(requantizationRange))
	kernel.Register(kernel.Registration{Op: "Requantize", New: newRequantize, Types: map[string][]tensor.DType{
		"Tinput": {tensor.Qint32}, "out_type": {tensor.Quint8, tensor.Qint8}}})
	kernel.Register(kernel.Registration{Op: "QuantizeDownAndShrinkRange", New: plain(shrink), Types: map[string][]tensor.DType{
		"Tinput": {tensor.Qint32}, "out_type": {tensor.Quint8}}})
}

// scalars reads inputs from i on as scalars.
func scalars(in []tensor.Value, i int, to ...*float32) error {
	for j, p := range to {
		if in[i+j].Rank() != 0 {
			return status.Invalid("the ends of ranges must be scalars, got shape %s", tensor.FormatDims(in[i+j].Dims()))
		}
		*p = tensor.At0[float32](&in[i+j])
	}
	return nil
}

// used returns the part of the range that the numbers of an input take. It reaches
// down to zero at least.
func used(x []int32, low, high float32) (lo, hi float32) {
	least, most := int32(math.MaxInt32), int32(math.MinInt32)
	for _, v := range x {
		least, most = min(least, v), max(most, v)
	}
	return min(0, float32(number(least, low, high))), float32(number(most, low, high))
}

func requantizationRange(ctx *kernel.Context, in, out []tensor.Value) error {
	for i := 1; i <= 2; i++ { // of more elements the first one counts
		if in[i].NumElements() == 0 {
			return status.Invalid("the ends of the range must be scalars, got shape %s", tensor.FormatDims(in[i].Dims()))
		}
	}
	low, high := used(tensor.Of[int32](&in[0]), tensor.At0[float32](&in[1]), tensor.At0[float32](&in[2]))
	out[0], out[1] = tensor.Scalar(low), tensor.Scalar(high)
	return nil
}

// newRequantize makes the kernel of Requantize.
func newRequantize(c *kernel.Construction) (kernel.Kernel, error) {
	to := c.Type("out_type")
	return kernel.Func(func(ctx *kernel.Context, in, out []tensor.Value) error {
		var low, high, newLow, newHigh float32
		if err := scalars(in, 1, &low, &high, &newLow, &newHigh); err != nil {
			return err
		}
		if newLow > 0 {
			return status.Invalid("requested_output_min must be <= 0, but got %v", newLow)
		}
		if newHigh < newLow {
			return status.Invalid("requested_output_max must be >= requested_output_min, but got %v and %v", newHigh, newLow)
		}
		return requantize(ctx, in, out, to, low, high, newLow, newHigh)
	}), nil
}

// shrink is QuantizeDownAndShrinkRange.
func shrink(ctx *kernel.Context, in, out []tensor.Value) error {
	var low, high float32
	if err := scalars(in, 1, &low, &high); err != nil {
		return err
	}
	newLow, newHigh := used(tensor.Of[int32](&in[0]), low, high)
	return requantize(ctx, in, out, tensor.Quint8, low, high, newLow, newHigh)
}

// requantize takes 32-bit integers to a type of 8 bits and another range.
func requantize(ctx *kernel.Context, in, out []tensor.Value, to tensor.DType, low, high, newLow, newHigh float32) (err error) {
	if out[0], err = ctx.Alloc(to, in[0].Dims()); err != nil {
		return err
	}
	out[1], out[2] = tensor.Scalar(newLow), tensor.Scalar(newHigh)
	x := tensor.Of[int32](&in[0])
	if to == tensor.Qint8 {
		o := tensor.Of[int8](&out[0])
		for i, v := range x {
			o[i] = clamped[int8](quantized[int8](float32(number(v, low, high)), newLow, newHigh))
		}
		return ctx.Err()
	}
	o, f := tensor.Of[uint8](&out[0]), newFixed(low, high, newLow, newHigh)
	for i, v := range x {
		o[i] = f.apply(v)
	}
	return ctx.Err()
}

// A fixed is the way from int32 to uint8 in fixed point, with 16 binary digits.
type fixed struct{ scale, before, behind int64 }

func newFixed(low, high, newLow, newHigh float32) fixed {
	span := newHigh - newLow
	if span == 0 {
		return fixed{}
	}
	const one = 1 << 16
	return fixed{
		scale:  int64(255.0 * one * float64(high-low) / float64(span)),
		before: int64((low + high) / 2 * float32(255.0/float64(span)) * one),
		behind: int64(one * (float64(newLow) * 255) / float64(span)),
	}
}

func (f fixed) apply(x int32) uint8 {
	v := (int64(x)*f.scale>>32 + f.before - f.behind + 1<<15) >> 16
	return uint8(min(max(v, 0), 255))
}
