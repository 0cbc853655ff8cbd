package quant

import (
	"math"

	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/kernel/elementwise"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

func init() {
	kernel.ForAll(func(c *kernel.Construction) (kernel.Kernel, error) {
		switch c.Type("T") {
		case tensor.Qint8:
			return newQuantize[int8](c)
		case tensor.Quint8:
			return newQuantize[uint8](c)
		case tensor.Qint16:
			return newQuantize[int16](c)
		case tensor.Quint16:
			return newQuantize[uint16](c)
		default:
			return newQuantize[int32](c)
		}
	}, "QuantizeV2")
	kernel.ForAll(func(c *kernel.Construction) (kernel.Kernel, error) {
		switch c.Type("T") {
		case tensor.Qint8:
			return newDequantize[int8](c)
		case tensor.Quint8:
			return newDequantize[uint8](c)
		case tensor.Qint16:
			return newDequantize[int16](c)
		case tensor.Quint16:
			return newDequantize[uint16](c)
		default:
			return newDequantize[int32](c)
		}
	}, "Dequantize")
}

// An integer is the element of a quantized type.
type integer interface {
	int8 | uint8 | int16 | uint16 | int32
}

// limits are the least and the greatest number of a type.
func limits[T integer]() (least, most float64) {
	var z T
	switch any(z).(type) {
	case int8:
		return math.MinInt8, math.MaxInt8
	case uint8:
		return 0, math.MaxUint8
	case int16:
		return math.MinInt16, math.MaxInt16
	case uint16:
		return 0, math.MaxUint16
	}
	return math.MinInt32, math.MaxInt32
}

// A scheme is what attributes say of how numbers become integers.
type scheme struct {
	mode   string
	even   bool // halves go to the even integer, not away from zero
	narrow bool
	axis   int64
	apart  float32 // how far the ends of a range must be from each other
	types  tensor.DType
}

func newScheme(c *kernel.Construction) *scheme {
	return &scheme{c.Str("mode"), c.Str("round_mode") == "HALF_TO_EVEN", c.Bool("narrow_range"), c.Int("axis"), c.Float("ensure_minimum_range"), c.Type("T")}
}

// check refuses attributes that do not go together.
func (s *scheme) check(c *kernel.Construction, rounding bool) error {
	if s.mode != "SCALED" && rounding && s.even {
		return c.Errorf("Round mode 'HALF_TO_EVEN' only supported for mode 'SCALED', but mode is '%s'.", s.mode)
	}
	if s.axis < -1 {
		return c.Errorf("Axis must be at least -1. Found %d", s.axis)
	}
	return nil
}

func newQuantize[T integer](c *kernel.Construction) (kernel.Kernel, error) {
	s := newScheme(c)
	return &quantize[T]{s}, s.check(c, true)
}

// A quantize is the kernel of QuantizeV2.
type quantize[T integer] struct{ *scheme }

func (k *quantize[T]) Run(ctx *kernel.Context, in, out []tensor.Value) error {
	s, err := slicingOf(in[0].Dims(), k.axis)
	if err != nil {
		return err
	}
	if err := s.ranges(&in[1], &in[2], k.axis); err != nil {
		return err
	}
	if out[0], err = ctx.Alloc(k.types, in[0].Dims()); err != nil {
		return err
	}
	for i := 1; i <= 2; i++ {
		dims := in[i].Dims()
		if k.axis == -1 {
			dims = nil
		}
		if out[i], err = ctx.Alloc(tensor.Float, dims); err != nil {
			return err
		}
	}
	low, high := tensor.Of[float32](&out[1]), tensor.Of[float32](&out[2])
	givenLow, givenHigh := tensor.Of[float32](&in[1]), tensor.Of[float32](&in[2])
	steps := make([]func(float32) float64, s.n)
	for i := range steps {
		if givenLow[i] > givenHigh[i] {
			return status.Invalid("max_range must be larger than min_range.")
		}
		low[i] = min(0, givenLow[i])
		apart := max(1, float32(math.Abs(float64(givenLow[i]))), float32(math.Abs(float64(givenHigh[i])))) * k.apart
		high[i] = max(0, givenHigh[i], low[i]+apart)
		steps[i] = k.step(&low[i], &high[i])
	}
	x, o := tensor.Of[float32](&in[0]), tensor.Of[T](&out[0])
	least, most := limits[T]()
	s.each(ctx, func(i, from, to int) {
		for j := from; j < to; j++ {
			o[j] = T(min(max(steps[i](x[j]), least), most))
		}
	})
	return ctx.Err()
}

// step returns the function that quantizes over a range, which it may widen so that
// zero is an integer.
func (k *quantize[T]) step(low, high *float32) func(float32) float64 {
	least, most := limits[T]()
	lo, hi := *low, *high
	switch k.mode {
	case "MIN_COMBINED":
		scale := float32(most-least) / (hi - lo)
		if least < 0 {
			half := float32((most - least + 1) / 2)
			return func(x float32) float64 {
				return math.Round(float64((min(max(x, lo), hi)-lo)*scale - half))
			}
		}
		return func(x float32) float64 { return math.Floor(float64((min(max(x, lo), hi)-lo)*scale + 0.5)) }
	case "MIN_FIRST":
		steps := most - least + 1
		span := float64(hi-lo) * (steps / (steps - 1))
		scale := 0.0
		if span != 0 {
			scale = steps / span
		}
		first := math.Round(float64(lo) * scale)
		return func(x float32) float64 { return math.Round(float64(x)*scale) - (first - least) }
	}
	if k.narrow {
		least++
	}
	scale := float32(math.MaxFloat32)
	if float32(least)*lo > 0 {
		scale = float32(least) / lo
	}
	if float32(most)*hi > 0 {
		scale = min(scale, float32(most)/hi)
	}
	lo, hi = float32(least)/scale, float32(most)/scale
	*low, *high = lo, hi
	round := math.Round
	if k.even {
		round = math.RoundToEven
	}
	return func(x float32) float64 { return round(float64(min(max(x, lo), hi) * scale)) }
}

func newDequantize[T integer](c *kernel.Construction) (kernel.Kernel, error) {
	s := newScheme(c)
	return &dequantize[T]{s, c.Type("dtype")}, s.check(c, false)
}

// A dequantize is the kernel of Dequantize.
type dequantize[T integer] struct {
	*scheme
	to tensor.DType
}

func (k *dequantize[T]) Run(ctx *kernel.Context, in, out []tensor.Value) error {
	s, err := slicingOf(in[0].Dims(), k.axis)
	if err != nil {
		return err
	}
	if err := s.ranges(&in[1], &in[2], k.axis); err != nil {
		return err
	}
	v, err := ctx.Alloc(tensor.Float, in[0].Dims())
	if err != nil {
		return err
	}
	x, o := tensor.Of[T](&in[0]), tensor.Of[float32](&v)
	low, high := tensor.Of[float32](&in[1]), tensor.Of[float32](&in[2])
	s.each(ctx, func(i, from, to int) {
		scale, shift := k.line(low[i], high[i])
		for j := from; j < to; j++ {
			o[j] = (float32(x[j])+shift.before)*scale + shift.behind
		}
	})
	out[0] = v
	if k.to == tensor.Bfloat16 {
		w, err := ctx.Alloc(tensor.Bfloat16, in[0].Dims())
		if err != nil {
			return err
		}
		elementwise.ToNarrow(&w, 0, o)
		ctx.Free(v)
		out[0] = w
	}
	return ctx.Err()
}

// A shift is what is added before and behind a multiplication.
type shift struct{ before, behind float32 }

// line returns the straight line from integers to floats over a range.
func (k *dequantize[T]) line(low, high float32) (scale float32, s shift) {
	least, most := limits[T]()
	switch k.mode {
	case "MIN_COMBINED":
		if least < 0 {
			s.before = float32((most - least + 1) / 2)
		}
		s.behind = low
		return (high - low) / float32(most-least), s
	case "MIN_FIRST":
		scale = (high - low) / float32(most-least)
		s = shift{float32(-least), low}
		if high != low {
			s.behind = float32(math.Round(float64(low/scale))) * scale
		}
		return scale, s
	}
	if least == 0 {
		return high / float32(most), s
	}
	if k.narrow {
		least++
	}
	return max(low/float32(least), high/float32(most)), s
}
