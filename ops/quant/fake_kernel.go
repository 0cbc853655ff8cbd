package quant

import (
	"math"
	"unsafe"

	"github.com/troupe-go/troupe/devices/cpu/vec"
	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/kernel/elementwise"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

func init() {
	kernel.ForAll(newFake, "FakeQuantWithMinMaxArgs", "FakeQuantWithMinMaxArgsGradient", "FakeQuantWithMinMaxVars",
		"FakeQuantWithMinMaxVarsGradient", "FakeQuantWithMinMaxVarsPerChannel", "FakeQuantWithMinMaxVarsPerChannelGradient")
}

// A fake is the kernels of the FakeQuant operations: least and most are the
// integers that there are.
type fake struct {
	least, most float32
	low, high   float32 // the range, where attributes give it
	perChannel  bool
	divides     bool // FakeQuantWithMinMaxVars divides by the scale, the others multiply by its inverse
}

func newFake(c *kernel.Construction) (kernel.Kernel, error) {
	bits := c.Int("num_bits")
	if bits < 2 || bits > 16 {
		return nil, c.Errorf("num_bits must be between 2 and 16, inclusive")
	}
	k := &fake{most: float32(int(1)<<bits - 1), low: c.Float("min"), high: c.Float("max")}
	if c.Bool("narrow_range") {
		k.least = 1
	}
	args := c.Attrs.Find("min") != nil
	if args && !(k.low < k.high) {
		return nil, c.Errorf("min has to be smaller than max, was: %v >= %v", k.low, k.high)
	}
	switch c.Op.Name {
	case "FakeQuantWithMinMaxVars":
		k.divides = true
		return kernel.Func(k.forward), nil
	case "FakeQuantWithMinMaxArgs":
		return kernel.Func(k.forward), nil
	case "FakeQuantWithMinMaxVarsPerChannel":
		k.perChannel = true
		return kernel.Func(k.forward), nil
	case "FakeQuantWithMinMaxVarsPerChannelGradient":
		k.perChannel = true
	}
	return kernel.Func(k.gradient), nil
}

// A nudged range has zero among the numbers that the integers stand for.
type nudged struct {
	low, high float32
	scale     float32
	inverse   float32 // of scale; 0 if numbers are divided by it
	zero      float32 // the whole steps from low to zero
	none      bool    // both ends were 0
}

// steps returns how many steps of the scale there are in x.
func (r *nudged) steps(x float32) float32 {
	if r.inverse != 0 {
		return x * r.inverse
	}
	return x / r.scale
}

func (k *fake) nudge(low, high float32) nudged {
	if low == 0 && high == 0 {
		return nudged{none: true}
	}
	scale, inverse := (high-low)/(k.most-k.least), float32(0)
	if !k.divides {
		inverse = (k.most - k.least) / (high - low)
	}
	zero := k.least - low/scale
	switch {
	case zero < k.least:
		zero = k.least
	case zero > k.most:
		zero = k.most
	default:
		zero = float32(math.Round(float64(zero)))
	}
	r := nudged{low: (k.least - zero) * scale, high: (k.most - zero) * scale, scale: scale, inverse: inverse}
	r.zero = float32(math.Round(float64(r.steps(-r.low))))
	return r
}

// nudges are the ranges of the channels, or the one range, that inputs at and
// at+1, if there are any, or attributes give.
func (k *fake) nudges(ctx *kernel.Context, x []int64, in []tensor.Value, at int) ([]nudged, error) {
	if at >= len(in) {
		return []nudged{k.nudge(k.low, k.high)}, nil
	}
	n := 1
	for i, v := range in[at : at+2] {
		name := []string{"min", "max"}[i]
		switch {
		case !k.perChannel:
			if v.Rank() != 0 {
				return nil, status.Invalid("`%s` must be rank 0 but is rank %d", name, v.Rank())
			}
		case len(x) == 0:
			return nil, status.Invalid("inputs must have at least one dimension")
		default:
			n = int(x[len(x)-1])
			if v.Rank() != 1 {
				return nil, status.Invalid("`%s` must be rank 1 but is rank %d", name, v.Rank())
			}
			if v.NumElements() != n {
				return nil, status.Invalid("%s has incorrect size, expected %d was %d", name, n, v.NumElements())
			}
		}
	}
	if err := ctx.Reserve(n * int(unsafe.Sizeof(nudged{}))); err != nil {
		return nil, err
	}
	all, low, high := make([]nudged, n), tensor.Of[float32](&in[at]), tensor.Of[float32](&in[at+1])
	for lo, hi := range ctx.Ranges(n, 1<<13) {
		for i := lo; i < hi; i++ {
			all[i] = k.nudge(low[i], high[i])
		}
	}
	return all, nil
}

func (k *fake) forward(ctx *kernel.Context, in, out []tensor.Value) error {
	defer ctx.UnreserveTo(ctx.Reserved())
	ranges, err := k.nudges(ctx, in[0].Dims(), in, 1)
	if err != nil {
		return err
	}
	if out[0], err = ctx.Alloc(tensor.Float, in[0].Dims()); err != nil {
		return err
	}
	x, o := tensor.Of[float32](&in[0]), tensor.Of[float32](&out[0])
	ctx.Parallel(len(x), elementwise.Grain, func(lo, hi int) {
		if ctx.Err() != nil {
			return
		}
		if len(ranges) == 1 {
			ranges[0].all(o[lo:hi], x[lo:hi])
			return
		}
		at := lo % len(ranges)
		for i := lo; i < hi; i++ {
			o[i] = ranges[at].one(x[i])
			if at++; at == len(ranges) {
				at = 0
			}
		}
	})
	return ctx.Err()
}

// one is what an integer can stand for near x.
func (r *nudged) one(x float32) float32 {
	if r.none {
		return 0
	}
	v := r.steps(max(min(x, r.high), r.low)-r.low) - r.zero
	return float32(math.Floor(float64(v+0.5))) * r.scale
}

// all sets o to what [nudged.one] makes of each of x.
func (r *nudged) all(o, x []float32) {
	if r.none {
		clear(o)
		return
	}
	const block = 4 << 10 // which the nearest cache holds
	for len(x) > 0 {
		n := min(block, len(x))
		to := o[:n]
		vec.MinScalar(to, x[:n], r.high)
		vec.MaxScalar(to, to, r.low)
		vec.SubScalar(to, to, r.low)
		if r.inverse != 0 {
			vec.MulScalar(to, to, r.inverse)
		} else {
			vec.DivScalar(to, to, r.scale)
		}
		vec.SubScalar(to, to, r.zero)
		vec.AddScalar(to, to, 0.5)
		vec.Floor(to, to)
		vec.MulScalar(to, to, r.scale)
		x, o = x[n:], o[n:]
	}
}

// gradient passes on what is inside the range; what is below or above is added
// up for the ends, where these are inputs.
func (k *fake) gradient(ctx *kernel.Context, in, out []tensor.Value) error {
	if !tensor.SameShape(in[0], in[1]) {
		return status.Invalid("gradient and input must be the same size")
	}
	defer ctx.UnreserveTo(ctx.Reserved())
	ranges, err := k.nudges(ctx, in[1].Dims(), in, 2)
	if err != nil {
		return err
	}
	if out[0], err = ctx.Alloc(tensor.Float, in[0].Dims()); err != nil {
		return err
	}
	if err := ctx.Reserve(16 * len(ranges)); err != nil {
		return err
	}
	below, above := make([]float64, len(ranges)), make([]float64, len(ranges))
	g, x, o := tensor.Of[float32](&in[0]), tensor.Of[float32](&in[1]), tensor.Of[float32](&out[0])
	for i, v := range x {
		if i%elementwise.Grain == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		at := i % len(ranges)
		r := &ranges[at]
		if r.none || v >= r.low && v <= r.high {
			o[i] = g[i]
			continue
		}
		o[i] = g[i] * 0 // NaN of what is not finite
		if v < r.low {
			below[at] += float64(g[i])
		}
		if v > r.high { // as well as below, where the ends are in the wrong order
			above[at] += float64(g[i])
		}
	}
	if len(out) == 1 {
		return nil
	}
	for i, sums := range [][]float64{below, above} {
		if out[1+i], err = ctx.Alloc(tensor.Float, in[2].Dims()); err != nil {
			return err
		}
		o := tensor.Of[float32](&out[1+i])
		for j := range o {
			o[j] = float32(sums[j])
		}
	}
	return nil
}
