package quant

import (
	"math"

	"github.com/troupe-go/troupe/devices/cpu/vec"
	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/kernel/elementwise"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

func init() {
	for _, op := range []string{"QuantizeAndDequantize", "QuantizeAndDequantizeV2", "QuantizeAndDequantizeV3", "QuantizeAndDequantizeV4"} {
		kernel.ForType(op, "T", tensor.Float, newRoundTrip[float32])
		kernel.ForType(op, "T", tensor.Double, newRoundTrip[float64])
	}
	kernel.ForType("QuantizeAndDequantizeV4Grad", "T", tensor.Float, newRoundTripGradient[float32])
	kernel.ForType("QuantizeAndDequantizeV4Grad", "T", tensor.Double, newRoundTripGradient[float64])
}

// A roundTrip is the kernel of the QuantizeAndDequantize operations: floats as
// integers of some bits give them back.
type roundTrip[T elementwise.Float] struct {
	signed, given, up, narrow bool
	bits, axis                int64
	low, high                 T // the range, where attributes give it
}

func newRoundTrip[T elementwise.Float](c *kernel.Construction) (kernel.Kernel, error) {
	k := &roundTrip[T]{signed: c.Bool("signed_input"), given: c.Bool("range_given"), up: c.Str("round_mode") == "HALF_UP",
		narrow: c.Bool("narrow_range"), bits: c.Int("num_bits"), axis: -1, low: T(c.Float("input_min")), high: T(c.Float("input_max"))}
	if c.Attrs.Find("axis") != nil {
		k.axis = c.Int("axis")
	}
	if k.axis < -1 {
		return nil, c.Errorf("Axis must be at least -1. Found %d", k.axis)
	}
	if c.Attrs.Find("num_bits") != nil {
		if err := k.checkBits(k.bits); err != nil {
			return nil, err
		}
	}
	if len(c.Inputs) == 1 && k.given && k.low > k.high {
		return nil, c.Errorf("Invalid range: input_min %v > input_max %v", k.low, k.high)
	}
	return k, nil
}

func (k *roundTrip[T]) checkBits(bits int64) error {
	most := int64(62)
	if k.signed {
		most = 61
	}
	if bits < 1 || bits > most {
		return status.Invalid("num_bits is out of range: %d with signed_input_ %t", bits, k.signed)
	}
	return nil
}

func (k *roundTrip[T]) Run(ctx *kernel.Context, in, out []tensor.Value) error {
	bits := k.bits
	if len(in) > 3 {
		if in[3].Rank() != 0 {
			return status.Invalid("num_bits must be a scalar, got shape %s", tensor.FormatDims(in[3].Dims()))
		}
		if in[0].Rank() == 0 {
			return status.Invalid("Axis requested is larger than input dimensions. Axis: %d Input Dimensions: 0", k.axis)
		}
		bits = int64(tensor.At0[int32](&in[3]))
		if err := k.checkBits(bits); err != nil {
			return err
		}
	}
	dims := in[0].Dims()
	s, err := slicingOf(dims, k.axis)
	if err != nil {
		return err
	}
	low, high := make([]T, s.n), make([]T, s.n)
	switch {
	case k.given && len(in) == 1:
		low[0], high[0] = k.low, k.high
	case k.given:
		if len(in) == 3 && k.axis == -1 {
			if err := bothScalars(&in[1], &in[2]); err != nil {
				return err
			}
		}
		if err := s.ranges(&in[1], &in[2], k.axis); err != nil {
			return err
		}
		copy(low, tensor.Of[T](&in[1]))
		copy(high, tensor.Of[T](&in[2]))
		for i := range low {
			if low[i] > high[i] {
				return status.Invalid("Invalid range: input_min %v > input_max %v", low[i], high[i])
			}
		}
	default:
		x := tensor.Of[T](&in[0])
		for i := range low {
			low[i], high[i] = T(math.Inf(1)), T(math.Inf(-1))
		}
		s.each(ctx, func(i, from, to int) {
			least, most := ends(x[from:to])
			low[i], high[i] = min(low[i], least), max(high[i], most)
		})
	}
	if out[0], err = ctx.Alloc(in[0].DType(), dims); err != nil {
		return err
	}
	x, o := tensor.Of[T](&in[0]), tensor.Of[T](&out[0])
	scales := make([]T, 2*s.n)
	for i := range low {
		scales[2*i], scales[2*i+1] = k.scale(&low[i], &high[i], bits)
	}
	s.spread(ctx, func(i, from, to int) {
		k.trip(o[from:to], x[from:to], low[i], high[i], scales[2*i], scales[2*i+1])
	})
	return ctx.Err()
}

// trip sets o to what integers give back of x.
func (k *roundTrip[T]) trip(o, x []T, low, high, scale, inverse T) {
	if to, ok := any(o).([]float32); ok && len(x) >= 16 {
		x := any(x).([]float32)
		const block = 4 << 10 // which the nearest cache holds
		for len(x) > 0 {
			n := min(block, len(x))
			b, v := to[:n], x[:n]
			if k.given {
				vec.MaxScalar(b, v, float32(low))
				vec.MinScalar(b, b, float32(high))
				v = b
			}
			vec.MulScalar(b, v, float32(scale))
			if k.up {
				vec.AddScalar(b, b, 0.5)
				vec.Floor(b, b)
			} else {
				vec.RoundToEven(b, b)
			}
			vec.MulScalar(b, b, float32(inverse))
			x, to = x[n:], to[n:]
		}
		return
	}
	for j, v := range x {
		if k.given {
			v = min(max(v, low), high)
		}
		if v *= scale; k.up {
			v = T(math.Floor(float64(v + 0.5)))
		} else {
			v = T(math.RoundToEven(float64(v)))
		}
		o[j] = v * inverse
	}
}

// ends are the least and the greatest element.
func ends[T elementwise.Float](x []T) (least, most T) {
	if x, ok := any(x).([]float32); ok {
		return T(vec.Smallest(x)), T(vec.Largest(x))
	}
	least, most = T(math.Inf(1)), T(math.Inf(-1))
	for _, v := range x {
		least, most = min(least, v), max(most, v)
	}
	return least, most
}

// scale returns the factor from floats to integers and its inverse; it widens the
// range on the side that does not decide it.
func (k *roundTrip[T]) scale(low, high *T, bits int64) (scale, inverse T) {
	least, most := T(0), T(uint64(1)<<bits-1)
	if k.signed {
		least, most = -T(uint64(1)<<(bits-1)), T(uint64(1)<<(bits-1)-1)
		if k.narrow {
			least++
		}
	}
	below, above := T(math.MaxFloat32), T(math.MaxFloat32)
	var z T
	if _, wide := any(z).(float64); wide {
		f := math.MaxFloat64
		below, above = T(f), T(f)
	}
	if least**low > 0 {
		below = least / *low
	}
	if most**high > 0 {
		above = most / *high
	}
	if below < above {
		inverse = *low / least
		*high = most * inverse
		return below, inverse
	}
	inverse = *high / most
	*low = least * inverse
	return above, inverse
}

func newRoundTripGradient[T elementwise.Float](c *kernel.Construction) (kernel.Kernel, error) {
	axis := c.Int("axis")
	if axis < -1 {
		return nil, c.Errorf("Axis must be at least -1. Found %d", axis)
	}
	return kernel.Func(func(ctx *kernel.Context, in, out []tensor.Value) error {
		return roundTripGradient[T](ctx, axis, in, out)
	}), nil
}

// roundTripGradient passes on what is inside the range.
func roundTripGradient[T elementwise.Float](ctx *kernel.Context, axis int64, in, out []tensor.Value) error {
	if !tensor.SameShape(in[0], in[1]) {
		return status.Invalid("gradient and input must be the same size")
	}
	s, err := slicingOf(in[1].Dims(), axis)
	if err != nil {
		return err
	}
	for i, v := range in[2:4] {
		name := []string{"input_min", "input_max"}[i]
		if axis == -1 && v.Rank() > 1 || axis != -1 && v.Rank() != 1 {
			return status.Invalid("%s must be a vector or scalar, got shape %s", name, tensor.FormatDims(v.Dims()))
		}
	}
	if axis == -1 {
		if err := bothScalars(&in[2], &in[3]); err != nil {
			return err
		}
	}
	if err := s.ranges(&in[2], &in[3], axis); err != nil {
		return err
	}
	dt := in[0].DType()
	if out[0], err = ctx.AllocZeroed(dt, in[1].Dims()); err != nil {
		return err
	}
	for i := 1; i <= 2; i++ {
		if out[i], err = ctx.AllocZeroed(dt, in[1+i].Dims()); err != nil {
			return err
		}
	}
	g, x, o := tensor.Of[T](&in[0]), tensor.Of[T](&in[1]), tensor.Of[T](&out[0])
	low, high := tensor.Of[T](&in[2]), tensor.Of[T](&in[3])
	s.each(ctx, func(i, from, to int) {
		for j := from; j < to; j++ {
			if x[j] >= low[i] && x[j] <= high[i] {
				o[j] = g[j]
			}
		}
	})
	return ctx.Err()
}
