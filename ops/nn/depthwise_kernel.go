package nn

import (
	"github.com/troupe-go/troupe/devices/cpu/vec"
	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/kernel/elementwise"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

func init() {
	for _, op := range []string{"DepthwiseConv2dNative", "DepthwiseConv2dNativeBackpropInput", "DepthwiseConv2dNativeBackpropFilter"} {
		for _, dt := range elementwise.Floats {
			kernel.ForType(op, "T", dt, newDepthwise)
		}
	}
}

// chunkSize is how many numbers of a line depthwise convolutions work on at a
// time: several such stretches fit into a core's first cache.
const chunkSize = 1 << 10

func newDepthwise(c *kernel.Construction) (kernel.Kernel, error) {
	m, err := newMotion(c, 2)
	if err != nil {
		return nil, err
	}
	if err := m.depthStrides(); err != nil {
		return nil, err
	}
	switch dt := c.Type("T"); dt {
	case tensor.Float:
		return depthwiseOf[float32](dt, m), nil
	case tensor.Double:
		return depthwiseOf[float64](dt, m), nil
	default:
		return elementwise.Widen(dt, depthwiseOf[float32](tensor.Float, m)), nil
	}
}

func depthwiseOf[T elementwise.Float](dt tensor.DType, m *motion) kernel.Kernel {
	last := *m
	turn(&last)
	d := depthwise[T]{&last, dt}
	switch m.op {
	case "DepthwiseConv2dNativeBackpropInput":
		return channelsLast(m.format, &depthwiseInput[T]{d, lastPerm(m.format)}, 1<<0|1<<1)
	case "DepthwiseConv2dNativeBackpropFilter":
		return channelsLast(m.format, &depthwiseFilter[T]{d}, 1<<1|1<<3)
	}
	return channelsLast(m.format, &d, 1<<1)
}

// A depthwise is the kernel of DepthwiseConv2dNative with channels last. It
// works on whole stretches of a line of pixels, of which all channels are
// multiplied by a tap's weights at once; the weights are repeated for as many
// pixels.
type depthwise[T elementwise.Float] struct {
	m  *motion
	dt tensor.DType
}

// A depthSizes is what the shapes of a depthwise convolution come to.
type depthSizes struct {
	y, x                axis
	batch, in, out, per int      // channels, and how many of the result each makes
	pixels              int      // of a stretch
	then                epilogue // of the result; nil: none
}

func (k *depthwise[T]) sizes(x, filter []int64) (s depthSizes, err error) {
	if len(x) != 4 {
		return s, status.Invalid("input must be 4-dimensional%s", tensor.FormatDims(x))
	}
	if len(filter) != 4 {
		return s, status.Invalid("filter must be 4-dimensional: %s", tensor.FormatDims(filter))
	}
	if x[3] != filter[2] {
		return s, status.Invalid("input depth must be evenly divisible by filter depth: %d vs %d", x[3], filter[2])
	}
	axes, err := k.m.axes(x, filter[:2])
	if err != nil {
		return s, err
	}
	s = depthSizes{y: axes[1], x: axes[2], batch: int(x[0]), in: int(x[3]), per: int(filter[3]), out: int(filter[2] * filter[3])}
	s.pixels = s.stretch()
	return s, nil
}

// stretch returns how many pixels of a line are worked on at a time.
func (s *depthSizes) stretch() int { return max(1, min(chunkSize/max(s.out, 1), s.x.out)) }

func (s *depthSizes) taps() int { return s.y.size * s.x.size }

// repeated returns the weights of every tap, for all pixels of a stretch.
func repeated[T elementwise.Float](ctx *kernel.Context, s *depthSizes, w []T) (tensor.Value, error) {
	v, err := ctx.Alloc(tensor.DTypeOf[T](), []int64{int64(s.taps()), int64(s.pixels), int64(s.out)})
	if err != nil {
		return v, err
	}
	all := tensor.Of[T](&v)
	for i := 0; i < len(all); i += s.out {
		copy(all[i:], w[i/(s.pixels*s.out)*s.out:][:s.out])
	}
	return v, nil
}

// inside returns those positions of [q, end) at which tap k of an axis lies inside.
func (a *axis) inside(k, q, end int) (lo, hi int) {
	first := a.before - k*a.dilation // the least o·stride that is inside
	lo, hi = q, end
	if first > 0 {
		lo = max(lo, (first+a.stride-1)/a.stride)
	}
	if last := first + a.in - 1; last < 0 {
		hi = lo
	} else {
		hi = min(hi, last/a.stride+1)
	}
	return lo, max(lo, hi)
}

// stretch returns the input's pixels under tap k at positions lo to hi of a line,
// each channel repeated as the result has it: in place, or in tmp.
func stretch[T elementwise.Float](s *depthSizes, line []T, k, lo, hi int, tmp []T) []T {
	at := lo*s.x.stride - s.x.before + k*s.x.dilation
	if s.x.stride == 1 && s.per == 1 {
		return line[at*s.in:][:(hi-lo)*s.in]
	}
	to := tmp
	for q := lo; q < hi; q++ {
		pixel := line[at*s.in:][:s.in]
		if s.per == 1 {
			copy(to, pixel)
			to = to[s.in:]
		} else {
			for _, x := range pixel {
				for j := range s.per {
					to[j] = x
				}
				to = to[s.per:]
			}
		}
		at += s.x.stride
	}
	return tmp[:(hi-lo)*s.out]
}

// mulAdd adds x·w to o.
func mulAdd[T elementwise.Float](o, x, w []T) {
	if o, ok := any(o).([]float32); ok {
		vec.MulAdd(o, any(x).([]float32), any(w).([]float32))
		return
	}
	x, w = x[:len(o)], w[:len(o)]
	for i := range o {
		o[i] += x[i] * w[i]
	}
}

func (k *depthwise[T]) Run(ctx *kernel.Context, in, out []tensor.Value) error {
	return k.runThen(ctx, in, out, nil)
}

// runThen is Run with an epilogue, which need not be begun.
func (k *depthwise[T]) runThen(ctx *kernel.Context, in, out []tensor.Value, then epilogue) error {
	s, err := k.sizes(in[0].Dims(), in[1].Dims())
	if err != nil {
		return err
	}
	dims := [4]int64{int64(s.batch), int64(s.y.out), int64(s.x.out), int64(s.out)}
	if out[0], err = ctx.Alloc(k.dt, dims[:]); err != nil {
		return err
	}
	s.then = then
	return depthwiseForward(ctx, &s, tensor.Of[T](&in[0]), tensor.Of[T](&in[1]), tensor.Of[T](&out[0]))
}

// depthwiseFloats is depthwiseForward by vectors, for which each channel must make one of the
// result: where it makes more it is repeated first.
func depthwiseFloats(ctx *kernel.Context, s *depthSizes, src, w, dst []float32) error {
	if s.per == 1 {
		return depthwiseTaps(ctx, s, src, w, dst)
	}
	v, err := ctx.Alloc(tensor.Float, []int64{int64(s.batch), int64(s.y.in), int64(s.x.in), int64(s.out)})
	if err != nil {
		return err
	}
	defer ctx.Free(v)
	all := tensor.Of[float32](&v)
	ctx.Parallel(len(src), elementwise.Grain, func(lo, hi int) {
		if ctx.Err() == nil {
			repeatEach(all[lo*s.per:hi*s.per], src[lo:hi], s.per)
		}
	})
	if err := ctx.Err(); err != nil {
		return err
	}
	alike := *s
	alike.in, alike.per = s.out, 1
	return depthwiseTaps(ctx, &alike, all, w, dst)
}

// repeatEach sets dst to the elements of src, each so many times.
func repeatEach(dst, src []float32, times int) {
	if times == 2 {
		for i, x := range src {
			dst[2*i], dst[2*i+1] = x, x
		}
		return
	}
	for _, x := range src {
		for j := range times {
			dst[j] = x
		}
		dst = dst[times:]
	}
}

// depthwiseForward sets dst to the convolution of src with w.
func depthwiseForward[T elementwise.Float](ctx *kernel.Context, s *depthSizes, src, w, dst []T) error {
	if len(dst) == 0 {
		return nil
	}
	if dst, ok := any(dst).([]float32); ok {
		return depthwiseFloats(ctx, s, any(src).([]float32), any(w).([]float32), dst)
	}
	weights, err := repeated(ctx, s, w)
	if err != nil {
		return err
	}
	defer ctx.Free(weights)
	w = tensor.Of[T](&weights)
	size := s.pixels * s.out
	return inRows(ctx, tensor.DTypeOf[T](), s.batch*s.y.out, s.x.out*s.out*s.taps(), size, func(r int, tmp []T) {
		b, oy := r/s.y.out, r%s.y.out
		for q := 0; q < s.x.out; q += s.pixels {
			end := min(q+s.pixels, s.x.out)
			to := dst[(r*s.x.out+q)*s.out:][:(end-q)*s.out]
			clear(to)
			for ky := range s.y.size {
				iy := oy*s.y.stride - s.y.before + ky*s.y.dilation
				if iy < 0 || iy >= s.y.in {
					continue
				}
				line := src[(b*s.y.in+iy)*s.x.in*s.in:]
				for kx := range s.x.size {
					if lo, hi := s.x.inside(kx, q, end); lo < hi {
						x := stretch(s, line, kx, lo, hi, tmp)
						mulAdd(to[(lo-q)*s.out:(hi-q)*s.out], x, w[(ky*s.x.size+kx)*size:])
					}
				}
			}
		}
	})
}

// depthwiseTaps computes pixels of which each channel makes one of the result.
func depthwiseTaps(ctx *kernel.Context, s *depthSizes, src, w, dst []float32) error {
	if t := s.tapLine(); t.Fits() {
		return depthwiseLines(ctx, s, t, src, w, dst)
	}
	then := s.then
	if then != nil {
		begun, err := then.begin(ctx)
		if err != nil {
			return err
		}
		if !begun {
			then = nil
		}
	}
	ctx.Parallel(s.batch*s.y.out, s.lineGrain(ctx), func(lo, hi int) {
		for r := lo; r < hi && ctx.Err() == nil; r++ {
			s.line(ctx, r, src, w, dst)
			if then != nil {
				then.part(r*s.x.out*s.out, (r+1)*s.x.out*s.out)
			}
		}
	})
	return ctx.Err()
}

// lineGrain returns how many lines are given out at a time: as many as are worth sharing, or down to
// half of them where workers have as many each then.
func (s *depthSizes) lineGrain(ctx *kernel.Context) int {
	lines, grain := s.batch*s.y.out, max(1, elementwise.Grain*4/(s.x.out*s.out*s.taps()))
	if lines <= grain {
		return grain
	}
	return evenly(lines, grain, ctx.Step.Pool.Workers())
}

// line computes line r of all images, if each channel makes one of the result.
func (s *depthSizes) line(ctx *kernel.Context, r int, src, w, dst []float32) {
	all := vec.Taps{Channels: s.in, Next: s.y.dilation * s.x.in * s.in, Column: s.x.dilation * s.in, WeightLine: s.x.size * s.in, Step: s.x.stride * s.in}
	b, oy := r/s.y.out, r%s.y.out
	line := dst[r*s.x.out*s.out:][:s.x.out*s.out]
	alongLine(ctx, &s.x, &s.y, oy, s.out, func(q, end, left, right, top, bottom int) {
		to := line[q*s.out : end*s.out]
		if top >= bottom || left >= right {
			clear(to)
			return
		}
		t := all
		t.Lines, t.Columns, t.Pixels = bottom-top, right-left, end-q
		iy, ix := oy*s.y.stride-s.y.before+top*s.y.dilation, q*s.x.stride-s.x.before+left*s.x.dilation
		t.Multiply(to, src[((b*s.y.in+iy)*s.x.in+ix)*s.in:], w[(top*s.x.size+left)*s.in:])
	})
}

// alongLine calls f for positions q to end of the line of a result at oy, of whose
// windows the columns left to right and the lines top to bottom lie inside: for many
// of those with all columns at once, and for each of the others, until the step ends.
func alongLine(ctx *kernel.Context, x, y *axis, oy, depth int, f func(q, end, left, right, top, bottom int)) {
	top, bottom := y.tapsInside(oy)
	first, end := x.whole()
	var credit kernel.Credit
	single := func(q int) bool {
		left, right := x.tapsInside(q)
		f(q, q+1, left, right, top, bottom)
		return credit.Spend(ctx, (right-left)*(bottom-top)*depth)
	}
	for q := range first {
		if !single(q) {
			return
		}
	}
	cost := max(1, x.size*(bottom-top)*depth)
	some := max(1, alongMost/cost)
	for q := first; q < end; q += some {
		to := min(q+some, end)
		if f(q, to, 0, x.size, top, bottom); !credit.Spend(ctx, (to-q)*cost) {
			return
		}
	}
	for q := max(first, end); q < x.out; q++ {
		if !single(q) {
			return
		}
	}
}

// alongMost is how many operations alongLine does at once.
const alongMost = 1 << 24

// tapsInside is which taps of the window at position o lie inside.
func (a *axis) tapsInside(o int) (lo, hi int) {
	at := o*a.stride - a.before // of tap 0
	if at < 0 {
		lo = min((-at+a.dilation-1)/a.dilation, a.size)
	}
	if at < a.in {
		hi = min((a.in-1-at)/a.dilation+1, a.size)
	}
	return lo, max(lo, hi)
}

// whole returns the positions, first to end, whose windows lie inside with all taps.
func (a *axis) whole() (first, end int) {
	first = min((a.before+a.stride-1)/a.stride, a.out)
	if last := a.in - 1 - (a.size-1)*a.dilation + a.before; last >= 0 { // the greatest o·stride
		end = min(last/a.stride+1, a.out)
	}
	return first, max(first, end)
}

// inRows calls f for each of n rows that cost that many operations each, with
// some memory.
func inRows[T elementwise.Float](ctx *kernel.Context, dt tensor.DType, n, cost, size int, f func(r int, tmp []T)) error {
	desk, err := kernel.NewDesk[T](ctx, dt, max(1, min(n, ctx.Step.Pool.Workers())), size)
	if err != nil {
		return err
	}
	defer desk.Free(ctx)
	ctx.Parallel(n, max(1, elementwise.Grain/max(cost, 1)), func(lo, hi int) {
		tmp := desk.Take()
		for r := lo; r < hi && ctx.Err() == nil; r++ {
			f(r, tmp)
		}
		desk.GiveBack(tmp)
	})
	return ctx.Err()
}
