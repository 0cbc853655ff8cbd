package nn

import (
	"math"

	"github.com/troupe-go/troupe/devices/cpu/vec"
	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/kernel/elementwise"
	"github.com/troupe-go/troupe/shape"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

func init() {
	kernel.ForAll(newBatchNorm, "FusedBatchNorm", "FusedBatchNormV2", "FusedBatchNormGrad", "FusedBatchNormGradV2", "FusedBatchNormGradV3")
	kernel.ForType("FusedBatchNormV3", "U", tensor.Float, newBatchNorm)
}

// A batchNorm is the kernels of FusedBatchNorm and its gradient, with channels
// last. They compute in float32.
type batchNorm struct {
	epsilon, factor float64
	training        bool
	outputs         int
}

func newBatchNorm(c *kernel.Construction) (kernel.Kernel, error) {
	dims := 2
	if len(c.Str("data_format")) == 5 {
		dims = 3
	}
	f, err := shape.FormatOf(c.Str("data_format"), dims)
	if err != nil {
		return nil, err
	}
	k := &batchNorm{epsilon: float64(c.Float("epsilon")), factor: float64(c.Float("exponential_avg_factor")),
		training: c.Bool("is_training"), outputs: len(c.Outputs)}
	if c.Attrs.Find("exponential_avg_factor") == nil {
		return channelsLast(f, kernel.Func(k.gradient), 0), nil
	}
	return channelsLast(f, k, 0), nil
}

// checked reports whether the inputs that have a name have an element for each of
// n channels.
func checked(in []tensor.Value, n int, names ...string) error {
	for i, name := range names {
		if name == "" {
			continue
		}
		if in[i].Rank() != 1 {
			return status.Invalid("%s must be 1-dimensional, got shape %s", name, tensor.FormatDims(in[i].Dims()))
		}
		if in[i].NumElements() != n {
			return status.Invalid("%s must have the same number of elements as the channels of x, got %d and %d", name, in[i].NumElements(), n)
		}
	}
	return nil
}

func (k *batchNorm) Run(ctx *kernel.Context, in, out []tensor.Value) error {
	dims := in[0].Dims()
	if len(dims) != 4 && len(dims) != 5 {
		return status.Invalid("input must be 4-dimensional or 5-dimensional: %s", tensor.FormatDims(dims))
	}
	depth := int(dims[len(dims)-1])
	names := []string{"", "scale", "offset", "estimated_mean", "estimated_variance"}
	if k.training && k.factor == 1 { // those are not looked at
		for i := 3; i < 5; i++ {
			if in[i].Rank() != 1 {
				return status.Invalid("%s must be 1-dimensional, got shape %s", names[i], tensor.FormatDims(in[i].Dims()))
			}
		}
		names = names[:3]
	}
	if err := checked(in, depth, names...); err != nil {
		return err
	}
	var err error
	perChannel := [1]int64{int64(depth)}
	for i := 1; i <= 4; i++ {
		if out[i], err = ctx.AllocZeroed(tensor.Float, perChannel[:]); err != nil {
			return err
		}
	}
	if k.outputs == 6 {
		out[5] = tensor.Scalar(float32(0)) // other devices have a use for it
	}
	if in[0].NumElements() == 0 {
		for i := 1; i <= 2; i++ {
			nan := tensor.Of[float32](&out[i])
			for j := range nan {
				nan[j] = float32(math.NaN())
			}
		}
		out[0], err = ctx.Alloc(in[0].DType(), dims)
		return err
	}
	x, release, err := floatsOf(ctx, &in[0])
	if err != nil {
		return err
	}
	defer release()
	y, err := ctx.Alloc(tensor.Float, dims)
	if err != nil {
		return err
	}
	s := newStretches(len(x), depth)
	scale, offset := tensor.Of[float32](&in[1]), tensor.Of[float32](&in[2])
	mean, variance := tensor.Of[float32](&out[3]), tensor.Of[float32](&out[4])
	if k.training {
		if err := s.moments(ctx, x, mean, variance); err != nil {
			return err
		}
		unbiased := float64(s.rows) / float64(max(s.rows-1, 1))
		newMean, newVariance := tensor.Of[float32](&out[1]), tensor.Of[float32](&out[2])
		for c := range depth {
			newMean[c], newVariance[c] = mean[c], float32(float64(variance[c])*unbiased)
		}
		if k.factor != 1 {
			oldMean, oldVariance := tensor.Of[float32](&in[3]), tensor.Of[float32](&in[4])
			for c := range depth {
				newMean[c] = float32((1-k.factor)*float64(oldMean[c]) + k.factor*float64(newMean[c]))
				newVariance[c] = float32((1-k.factor)*float64(oldVariance[c]) + k.factor*float64(newVariance[c]))
			}
		}
	} else {
		for i := 1; i <= 4; i++ {
			copy(tensor.Of[float32](&out[i]), tensor.Of[float32](&in[4-i%2]))
		}
	}
	rows, err := s.rowsOf(ctx, 3)
	if err != nil {
		return err
	}
	defer ctx.Free(rows)
	means, factors, offsets := s.repeat(&rows, 0, mean), s.row(&rows, 1), s.repeat(&rows, 2, offset)
	normFactors(factors[:depth], scale, variance, k.epsilon)
	s.spread(factors)
	o := tensor.Of[float32](&y)
	s.each(ctx, func(lo, hi int) {
		vec.Normalize(o[lo:hi], x[lo:hi], means, factors, offsets)
	})
	out[0], err = narrowed(ctx, y, in[0].DType())
	if err != nil {
		return err
	}
	return ctx.Err()
}

// moments computes mean and variance of each channel.
func (s *stretches) moments(ctx *kernel.Context, x, mean, variance []float32) error {
	sums, err := s.sums(ctx, func(acc, _ []float32, lo, hi int) { vec.Add(acc, acc, x[lo:hi]) })
	if err != nil {
		return err
	}
	for c, sum := range sums {
		mean[c] = float32(sum / float64(s.rows))
	}
	rows, err := s.rowsOf(ctx, 1)
	if err != nil {
		return err
	}
	defer ctx.Free(rows)
	means := s.repeat(&rows, 0, mean)
	sums, err = s.sums(ctx, func(acc, tmp []float32, lo, hi int) {
		vec.Sub(tmp, x[lo:hi], means)
		vec.MulAdd(acc, tmp, tmp)
	})
	if err != nil {
		return err
	}
	for c, sum := range sums {
		variance[c] = float32(sum / float64(s.rows))
	}
	return nil
}

// gradient computes from dy, x, scale and the mean and variance that the
// operation put aside.
func (k *batchNorm) gradient(ctx *kernel.Context, in, out []tensor.Value) error {
	dims := in[1].Dims()
	if len(dims) != 4 && len(dims) != 5 {
		return status.Invalid("x input must be 4-dimensional or 5-dimensional: %s", tensor.FormatDims(dims))
	}
	if !tensor.SameShape(in[0], in[1]) {
		return status.Invalid("x and y_backprop must have same shape, but x has shape %s and y_backprop has shape %s", tensor.FormatDims(dims), tensor.FormatDims(in[0].Dims()))
	}
	depth := int(dims[len(dims)-1])
	if err := checked(in, depth, "", "", "scale", "reserve_space_1", "reserve_space_2"); err != nil {
		return err
	}
	var err error
	perChannel := [1]int64{int64(depth)}
	for i := 1; i <= 2; i++ {
		if out[i], err = ctx.AllocZeroed(tensor.Float, perChannel[:]); err != nil {
			return err
		}
		if out[i+2], err = ctx.Alloc(tensor.Float, []int64{0}); err != nil {
			return err
		}
	}
	if in[0].NumElements() == 0 {
		out[0], err = ctx.Alloc(in[0].DType(), dims)
		return err
	}
	dy, release, err := floatsOf(ctx, &in[0])
	if err != nil {
		return err
	}
	defer release()
	x, releaseX, err := floatsOf(ctx, &in[1])
	if err != nil {
		return err
	}
	defer releaseX()
	dx, err := ctx.Alloc(tensor.Float, dims)
	if err != nil {
		return err
	}
	scale, mean, variance := tensor.Of[float32](&in[2]), tensor.Of[float32](&in[3]), tensor.Of[float32](&in[4])
	s := newStretches(len(x), depth)
	rows, err := s.rowsOf(ctx, 4)
	if err != nil {
		return err
	}
	defer ctx.Free(rows)
	means := s.repeat(&rows, 0, mean)
	total, err := s.sums(ctx, func(acc, _ []float32, lo, hi int) { vec.Add(acc, acc, dy[lo:hi]) })
	if err != nil {
		return err
	}
	along, err := s.sums(ctx, func(acc, tmp []float32, lo, hi int) {
		vec.Sub(tmp, x[lo:hi], means)
		vec.MulAdd(acc, tmp, dy[lo:hi])
	})
	if err != nil {
		return err
	}
	// dx = factor·(dy + slope·(x - mean) + shift), the latter two in training only
	factors, slopes, shifts := s.row(&rows, 1), s.row(&rows, 2), s.row(&rows, 3)
	dScale, dOffset := tensor.Of[float32](&out[1]), tensor.Of[float32](&out[2])
	for i := range depth {
		v := float64(variance[i]) + k.epsilon
		dScale[i], dOffset[i] = float32(along[i]/math.Sqrt(v)), float32(total[i])
		factors[i] = float32(float64(scale[i]) / math.Sqrt(v))
		slopes[i], shifts[i] = float32(-along[i]/(float64(s.rows)*v)), float32(-total[i]/float64(s.rows))
	}
	s.spread(factors)
	s.spread(slopes)
	s.spread(shifts)
	o := tensor.Of[float32](&dx)
	s.each(ctx, func(lo, hi int) {
		to := o[lo:hi]
		if !k.training {
			vec.Mul(to, dy[lo:hi], factors)
			return
		}
		vec.Sub(to, x[lo:hi], means)
		vec.Mul(to, to, slopes)
		vec.Add(to, to, dy[lo:hi])
		vec.Add(to, to, shifts)
		vec.Mul(to, to, factors)
	})
	if out[0], err = narrowed(ctx, dx, in[0].DType()); err != nil {
		return err
	}
	return ctx.Err()
}

// floatsOf returns the elements of v as float32; release gives back the memory that
// this may have taken.
func floatsOf(ctx *kernel.Context, v *tensor.Value) (x []float32, release func(), err error) {
	if v.DType() == tensor.Float {
		return tensor.Of[float32](v), func() {}, nil
	}
	w, err := ctx.Alloc(tensor.Float, v.Dims())
	if err != nil {
		return nil, nil, err
	}
	x = tensor.Of[float32](&w)
	elementwise.FromNarrow(x, v, 0)
	return x, func() { ctx.Free(w) }, nil
}

// narrowed is v, of float32, as dt, in place of v.
func narrowed(ctx *kernel.Context, v tensor.Value, dt tensor.DType) (tensor.Value, error) {
	if dt == tensor.Float {
		return v, nil
	}
	w, err := ctx.Alloc(dt, v.Dims())
	if err != nil {
		return w, err
	}
	elementwise.ToNarrow(&w, 0, tensor.Of[float32](&v))
	ctx.Free(v)
	return w, nil
}

// Stretches are how work on rows of channels is cut: into whole rows of which
// each stretch has several, so that vector functions have something to do.
type stretches struct {
	rows, depth, width int // width is a stretch's
}

func newStretches(elements, depth int) *stretches {
	rows := elements / depth
	return &stretches{rows: rows, depth: depth, width: depth * max(1, min(chunkSize/depth, rows))}
}

// rowsOf is memory for n rows as long as a stretch, to be freed.
func (s *stretches) rowsOf(ctx *kernel.Context, n int) (tensor.Value, error) {
	return ctx.Alloc(tensor.Float, []int64{int64(n), int64(s.width)})
}

// row is row i of v.
func (s *stretches) row(v *tensor.Value, i int) []float32 {
	return tensor.Of[float32](v)[i*s.width:][:s.width]
}

// repeat makes row i of v the channels' numbers, as often as a stretch has them.
func (s *stretches) repeat(v *tensor.Value, i int, channels []float32) []float32 {
	row := s.row(v, i)
	copy(row, channels)
	s.spread(row)
	return row
}

// spread repeats a row's first channels.
func (s *stretches) spread(row []float32) {
	for n := s.depth; n < len(row); n *= 2 {
		copy(row[n:], row[:n])
	}
}

// each calls f for every stretch: elements lo to hi.
func (s *stretches) each(ctx *kernel.Context, f func(lo, hi int)) {
	n := s.rows * s.depth
	ctx.Parallel((n-1)/s.width+1, max(1, elementwise.Grain/s.width), func(lo, hi int) {
		for i := lo; i < hi && ctx.Err() == nil; i++ {
			f(i*s.width, min((i+1)*s.width, n))
		}
	})
}

// sums adds up what f adds to acc for every stretch, channel by channel. tmp
// and acc are as long as the stretch. The order does not depend on who
// computes what.
func (s *stretches) sums(ctx *kernel.Context, f func(acc, tmp []float32, lo, hi int)) ([]float64, error) {
	n := s.rows * s.depth
	count := (n-1)/s.width + 1
	shares := min(count, maxShares)
	scratch, err := ctx.AllocZeroed(tensor.Float, []int64{int64(shares), 2, int64(s.width)})
	if err != nil {
		return nil, err
	}
	defer ctx.Free(scratch)
	all := tensor.Of[float32](&scratch)
	ctx.Parallel(shares, 1, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			acc, tmp := all[2*i*s.width:][:s.width], all[(2*i+1)*s.width:][:s.width]
			for j := i * count / shares; j < (i+1)*count/shares && ctx.Err() == nil; j++ {
				lo, hi := j*s.width, min((j+1)*s.width, n)
				f(acc[:hi-lo], tmp[:hi-lo], lo, hi)
			}
		}
	})
	totals := make([]float64, s.depth)
	for i := range shares {
		for j, x := range all[2*i*s.width:][:s.width] {
			totals[j%s.depth] += float64(x)
		}
	}
	return totals, ctx.Err()
}
