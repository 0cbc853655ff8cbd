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
	steps := make([]steps[T], s.n)
	for i := range steps {
		if givenLow[i] > givenHigh[i] {
			return status.Invalid("max_range must be larger than min_range.")
		}
		low[i] = min(0, givenLow[i])
		apart := max(1, float32(math.Abs(float64(givenLow[i]))), float32(math.Abs(float64(givenHigh[i])))) * k.apart
		high[i] = max(0, givenHigh[i], low[i]+apart)
		steps[i] = k.steps(&low[i], &high[i])
	}
	x, o := tensor.Of[float32](&in[0]), tensor.Of[T](&out[0])
	s.spread(ctx, func(i, from, to int) { steps[i].quantize(o[from:to], x[from:to]) })
	return ctx.Err()
}

// steps quantize over a range: they clamp to it, count from the origin in steps, of which
// there are scale in 1, add shift, round, and count from first.
type steps[T integer] struct {
	low, high   float32
	origin      float32
	scale       float32
	shift       float32
	round       rounding
	first       float32 // MIN_FIRST: the whole steps at the least integer
	least, most float64 // integers
}

// steps returns the steps over a range, which it may widen so that zero is an integer.
func (k *quantize[T]) steps(low, high *float32) steps[T] {
	least, most := limits[T]()
	s := steps[T]{low: *low, high: *high, least: least, most: most}
	switch k.mode {
	case "MIN_COMBINED":
		s.origin = s.low
		s.scale = float32(most-least) / (s.high - s.low)
		s.shift, s.round = 0.5, down
		if least < 0 {
			s.shift, s.round = -float32((most-least+1)/2), away
		}
		return s
	case "MIN_FIRST":
		s.low, s.high = float32(math.Inf(-1)), float32(math.Inf(1)) // integers are clamped, not numbers
		if span := *high - *low; span != 0 {
			s.scale = float32((most - least) / float64(span))
		}
		s.first = float32(math.Round(float64(*low*s.scale)) - least)
		s.round = away
		return s
	}
	if k.narrow {
		least++
	}
	s.scale = float32(math.MaxFloat32)
	if float32(least)*s.low > 0 {
		s.scale = float32(least) / s.low
	}
	if float32(most)*s.high > 0 {
		s.scale = min(s.scale, float32(most)/s.high)
	}
	s.low, s.high = float32(least)/s.scale, float32(most)/s.scale
	*low, *high = s.low, s.high
	s.round = away
	if k.even {
		s.round = even
	}
	return s
}

// quantize sets o to the integers of x.
func (s *steps[T]) quantize(o []T, x []float32) {
	const block = 512
	var room [block]float32
	for len(x) > 0 {
		n := min(block, len(x))
		b := room[:n]
		vec.MaxScalar(b, x[:n], s.low)
		vec.MinScalar(b, b, s.high)
		vec.SubScalar(b, b, s.origin)
		vec.MulScalar(b, b, s.scale)
		vec.AddScalar(b, b, s.shift)
		s.round.all(b)
		vec.SubScalar(b, b, s.first)
		if s.most > 1<<24 { // which floats may round up
			for i, v := range b {
				o[i] = T(min(max(float64(v), s.least), s.most))
			}
		} else {
			vec.MaxScalar(b, b, float32(s.least))
			vec.MinScalar(b, b, float32(s.most))
			for i, v := range b {
				o[i] = T(v)
			}
		}
		x, o = x[n:], o[n:]
	}
}

// A rounding is a way to round to whole numbers.
type rounding byte

const (
	down rounding = iota
	away          // to the nearest, halves away from zero
	even          // to the nearest, halves to even
)

// all rounds all of x.
func (r rounding) all(x []float32) {
	switch r {
	case down:
		vec.Floor(x, x)
	case away:
		vec.Round(x, x)
	case even:
		vec.RoundToEven(x, x)
	}
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
	s.spread(ctx, func(i, from, to int) {
		scale, shift := k.line(low[i], high[i])
		o := o[from:to]
		for j, x := range x[from:to] {
			o[j] = (float32(x)+shift.before)*scale + shift.behind
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
