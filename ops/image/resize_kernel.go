package image

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
		s, err := newSampling(c)
		return bilinear{s}, err
	}, "ResizeBilinear")
	kernel.ForAll(func(c *kernel.Construction) (kernel.Kernel, error) {
		s, err := newSampling(c)
		return kernel.Func(s.bicubic), err
	}, "ResizeBicubic")
	kernel.ForAll(func(c *kernel.Construction) (kernel.Kernel, error) {
		s, err := newSampling(c)
		return kernel.Func(s.area), err
	}, "ResizeArea")
	for _, dt := range []tensor.DType{tensor.Float, tensor.Double} {
		kernel.ForType("ResizeBicubicGrad", "T", dt, func(c *kernel.Construction) (kernel.Kernel, error) {
			s, err := newSampling(c)
			if dt == tensor.Double {
				return bicubicGradient[float64](s, dt), err
			}
			return bicubicGradient[float32](s, dt), err
		})
	}
	for _, dt := range elementwise.Floats {
		kernel.ForType("ResizeBilinearGrad", "T", dt, func(c *kernel.Construction) (kernel.Kernel, error) {
			s, err := newSampling(c)
			switch dt {
			case tensor.Float:
				return bilinearGradient[float32](s, dt), err
			case tensor.Double:
				return bilinearGradient[float64](s, dt), err
			}
			return elementwise.Widen(dt, bilinearGradient[float32](s, tensor.Float)), err
		})
	}
}

// A sampling is where a resized image takes its pixels from.
type sampling struct{ corners, half bool }

func newSampling(c *kernel.Construction) (*sampling, error) {
	s := &sampling{c.Bool("align_corners"), c.Bool("half_pixel_centers")}
	if s.corners && s.half {
		return nil, c.Errorf("If half_pixel_centers is True, align_corners must be False.")
	}
	return s, nil
}

// scale returns how many of in pixels go to one of out; a single one is shared out.
func (s *sampling) scale(in, out int) float32 {
	if s.corners && out > 1 && in > 1 {
		return float32(in-1) / float32(out-1)
	}
	return float32(in) / float32(out)
}

// at returns the place in the input of pixel i of the result.
func (s *sampling) at(i int, scale float32) float32 {
	if s.half {
		return (float32(i)+0.5)*scale - 0.5
	}
	return float32(i) * scale
}

// A blend is a pixel between two: how far it is from the lower to the upper.
type blend struct {
	lower, upper int
	lerp         float32
}

// tablePart is how many entries of a table are made without asking.
const tablePart = 1 << 14

// linePart is how many elements of a line are added up without asking.
const linePart = 1 << 18

// tableOf makes a table, which has an entry for each pixel along a dimension of the
// result, in memory of the step: a wide image's tables take many times as much as its
// pixels.
func tableOf[T any](ctx *kernel.Context, out int, entry func(i int) T) ([]T, error) {
	all, err := kernel.Scratch[T](ctx, out)
	if err != nil {
		return nil, err
	}
	for lo, hi := range ctx.Ranges(out, tablePart) {
		for i := lo; i < hi; i++ {
			all[i] = entry(i)
		}
	}
	return all, nil
}

// tables makes the tables of both dimensions with make.
func tables[T any](ctx *kernel.Context, from, to batch, make func(ctx *kernel.Context, in, out int) (T, error)) (ys, xs T, err error) {
	if ys, err = make(ctx, from.height, to.height); err == nil {
		xs, err = make(ctx, from.width, to.width)
	}
	return ys, xs, err
}

// blends are those of all out pixels over in.
func (s *sampling) blends(ctx *kernel.Context, in, out int) ([]blend, error) {
	scale := s.scale(in, out)
	return tableOf(ctx, out, func(i int) blend { return s.blend(i, in, scale) })
}

// blend is that of pixel i over in.
func (s *sampling) blend(i, in int, scale float32) blend {
	x := s.at(i, scale)
	floor := float32(math.Floor(float64(x)))
	return blend{max(int(floor), 0), min(int(math.Ceil(float64(x))), in-1), x - floor}
}

// resized makes the result, of float32, of images that are resized to what the
// second input says, and gives their elements.
func resized(ctx *kernel.Context, in, out []tensor.Value) (from, to batch, x, o []float32, release func(), err error) {
	if from, err = batchOf(&in[0], "input"); err != nil {
		return
	}
	to = from
	if to.height, to.width, err = sizeOf(&in[1], "shape_t"); err != nil {
		return
	}
	if from.height == 0 || from.width == 0 {
		err = status.Invalid("input image must be of non-zero size")
		return
	}
	if from.depth == 0 {
		err = status.Invalid("image must have at least one channel")
		return
	}
	if out[0], err = ctx.Alloc(tensor.Float, to.dims()); err != nil {
		return
	}
	o = tensor.Of[float32](&out[0])
	x, release, err = floatsOf(ctx, &in[0])
	return
}

func (s *sampling) bilinear(ctx *kernel.Context, in, out []tensor.Value) error {
	from, to, x, o, release, err := resized(ctx, in, out)
	if err != nil {
		return err
	}
	defer release()
	if len(o) == 0 {
		return nil
	}
	defer ctx.UnreserveTo(ctx.Reserved())
	ys, xs, err := tables(ctx, from, to, s.blends)
	if err != nil {
		return err
	}
	depth, size := from.depth, to.width*from.depth
	row := blendedRow{blends: xs, depth: depth}
	factors, err := ctx.Alloc(tensor.Float, []int64{int64(size)})
	if err != nil {
		return err
	}
	defer ctx.Free(factors)
	row.factors = tensor.Of[float32](&factors)
	for i := range row.factors {
		row.factors[i] = row.blends[i/depth].lerp
	}
	lines := to.n * to.height
	desk, err := kernel.NewDesk[float32](ctx, tensor.Float, min(lines, ctx.Step.Pool.Workers()), 2*size)
	if err != nil {
		return err
	}
	defer desk.Free(ctx)
	ctx.Parallel(lines, max(1, grain/size), func(lo, hi int) {
		memory := desk.Take()
		defer desk.GiveBack(memory)
		b := blender{row: &row, width: from.width * depth, above: memory[:size], below: memory[size:], top: -1, bottom: -1}
		for i := lo; i < hi && ctx.Err() == nil; i++ {
			v, first := ys[i%to.height], i/to.height*from.height
			v.lower, v.upper = first+v.lower, first+v.upper
			b.line(o[i*size:][:size], x, v)
		}
	})
	return ctx.Err()
}

// A blender makes lines of a result one after another.
type blender struct {
	row          *blendedRow
	width        int       // elements of a line of the image
	above, below []float32 // lines of the image, made as wide as the result
	top, bottom  int       // which they are; -1: none
}

// line sets dst to a line that lies between two of x.
func (b *blender) line(dst, x []float32, v blend) {
	if v.lower == b.bottom {
		b.above, b.below, b.top, b.bottom = b.below, b.above, b.bottom, b.top
	}
	if v.lower != b.top {
		b.top = v.lower
		b.row.of(b.above, dst, x[b.top*b.width:])
	}
	if v.upper != b.bottom {
		b.bottom = v.upper
		b.row.of(b.below, dst, x[b.bottom*b.width:])
	}
	vec.Sub(dst, b.below, b.above)
	vec.MulScalar(dst, dst, v.lerp)
	vec.Add(dst, b.above, dst)
}

// A blendedRow says how rows of pixels are made of those of an image.
type blendedRow struct {
	blends  []blend
	depth   int
	factors []float32 // the blends', one for each element
}

// of sets o to the row made of x; tmp is as long as o.
func (r *blendedRow) of(o, tmp, x []float32) {
	switch r.depth {
	case 1:
		for i, h := range r.blends {
			o[i], tmp[i] = x[h.lower], x[h.upper]
		}
	case 3:
		for i, h := range r.blends {
			left, right := x[h.lower*3:][:3], x[h.upper*3:][:3]
			a, b := o[i*3:][:3], tmp[i*3:][:3]
			a[0], a[1], a[2] = left[0], left[1], left[2]
			b[0], b[1], b[2] = right[0], right[1], right[2]
		}
	default:
		for i, h := range r.blends {
			copy(o[i*r.depth:][:r.depth], x[h.lower*r.depth:])
			copy(tmp[i*r.depth:][:r.depth], x[h.upper*r.depth:])
		}
	}
	vec.Sub(tmp, tmp, o)
	vec.Mul(tmp, tmp, r.factors)
	vec.Add(o, o, tmp)
}

// resizedBack makes the gradient of images, zeros, and gives the elements of that of
// the resized ones as float32; nil if either has none.
func resizedBack(ctx *kernel.Context, dt tensor.DType, in, out []tensor.Value) (from, to batch, grad []float32, release func(), err error) {
	if from, err = batchOf(&in[0], "input_grad"); err != nil {
		return
	}
	if to, err = batchOf(&in[1], "original_image"); err != nil {
		return
	}
	if to.height == 0 || to.width == 0 {
		err = status.Invalid("original dimensions must be positive")
		return
	}
	if from.n != to.n || from.depth != to.depth {
		err = status.Invalid("grads and original_image must have the same batch and channels: %s, %s", tensor.FormatDims(from.dims()), tensor.FormatDims(to.dims()))
		return
	}
	if out[0], err = ctx.AllocZeroed(dt, to.dims()); err != nil {
		return
	}
	if out[0].NumElements() > 0 && in[0].NumElements() > 0 {
		grad, release, err = floatsOf(ctx, &in[0])
	}
	return
}

// bilinearGradient makes the kernel that gives each pixel of the gradient to
// the four it was blended of.
func bilinearGradient[T elementwise.Float](s *sampling, dt tensor.DType) kernel.Kernel {
	return kernel.Func(func(ctx *kernel.Context, in, out []tensor.Value) error {
		from, to, grad, release, err := resizedBack(ctx, dt, in, out)
		if err != nil || grad == nil {
			return err
		}
		defer release()
		defer ctx.UnreserveTo(ctx.Reserved())
		ys, xs, err := tables(ctx, to, from, s.blends)
		if err != nil {
			return err
		}
		o, depth := tensor.Of[T](&out[0]), to.depth
		ctx.Parallel(from.n, 1, func(lo, hi int) {
			for n := lo; n < hi; n++ {
				for y := 0; y < from.height && ctx.Err() == nil; y++ {
					v := ys[y]
					top, bottom := o[(n*to.height+v.lower)*to.width*depth:], o[(n*to.height+v.upper)*to.width*depth:]
					for i, h := range xs {
						for c, g := range grad[((n*from.height+y)*from.width+i)*depth:][:depth] {
							l, r := h.lower*depth+c, h.upper*depth+c
							top[l] += T(g * (1 - v.lerp) * (1 - h.lerp))
							top[r] += T(g * (1 - v.lerp) * h.lerp)
							bottom[l] += T(g * v.lerp * (1 - h.lerp))
							bottom[r] += T(g * v.lerp * h.lerp)
						}
					}
				}
			}
		})
		return ctx.Err()
	})
}

// A cover is a pixel of the input with the share of it that a pixel of the
// result covers.
type cover struct {
	at    int
	share float32
}

// covers are, for each pixel of the result, what it covers of the input.
type covers struct {
	first []int // where a pixel's begin in all; one more for the end
	all   []cover
}

// of returns what pixel i covers.
func (c *covers) of(i int) []cover { return c.all[c.first[i]:c.first[i+1]] }

// covers makes those of out pixels over in.
func (s *sampling) covers(ctx *kernel.Context, in, out int) (c covers, err error) {
	scale := s.scale(in, out)
	span := func(i int) (lo, hi float32, first, end int) {
		lo, hi = float32(i)*scale, float32(i+1)*scale
		return lo, hi, int(math.Floor(float64(lo))), int(math.Ceil(float64(hi)))
	}
	n := 0
	if c.first, err = tableOf(ctx, out+1, func(i int) int {
		at := n
		_, _, first, end := span(i)
		n += max(end-first, 0)
		return at
	}); err != nil {
		return c, err
	}
	if c.all, err = kernel.Scratch[cover](ctx, c.first[out]); err != nil {
		return c, err
	}
	var credit kernel.Credit
	for i := range out {
		lo, hi, first, end := span(i)
		if !credit.Spend(ctx, pixelWork+end-first) {
			return c, ctx.Err()
		}
		for k := first; k < end; k++ {
			share := min(float32(k+1), hi) - max(float32(k), lo)
			if float32(k) < lo && float32(k+1) > hi {
				share = scale
			}
			c.all[c.first[i]+k-first] = cover{min(max(k, 0), in-1), share}
		}
	}
	return c, nil
}

func (s *sampling) area(ctx *kernel.Context, in, out []tensor.Value) error {
	from, to, x, o, release, err := resized(ctx, in, out)
	if err != nil {
		return err
	}
	defer release()
	if len(o) == 0 {
		return nil
	}
	defer ctx.UnreserveTo(ctx.Reserved())
	ys, xs, err := tables(ctx, from, to, s.covers)
	if err != nil {
		return err
	}
	depth := from.depth
	scale := 1 / (s.scale(from.height, to.height) * s.scale(from.width, to.width))
	return to.lines(ctx, func(n, y int) {
		row := o[(n*to.height+y)*to.width*depth:][:to.width*depth]
		clear(row)
		for _, v := range ys.of(y) {
			line := x[(n*from.height+v.at)*from.width*depth:]
			for i := range to.width {
				if i%tablePart == tablePart-1 {
					ctx.Ask()
				}
				pixel := row[i*depth:][:depth]
				for _, h := range xs.of(i) {
					for c, p := range line[h.at*depth:][:depth] {
						pixel[c] += p * v.share * h.share * scale
					}
				}
			}
		}
	})
}
