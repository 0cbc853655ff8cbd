package image

import (
	"math"

	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/kernel/elementwise"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

func init() {
	kernel.ForAll(func(c *kernel.Construction) (kernel.Kernel, error) {
		s, err := newSampling(c)
		return kernel.Func(s.nearest), err
	}, "ResizeNearestNeighbor")
	kernel.ForAll(newNearestGradient, "ResizeNearestNeighborGrad")
}

// nearests are the pixels of in that are nearest to each of out.
func (s *sampling) nearests(ctx *kernel.Context, in, out int) ([]int, error) {
	scale := s.scale(in, out)
	return tableOf(ctx, out, func(i int) int {
		x := float32(i) * scale
		if s.half {
			x = (float32(i) + 0.5) * scale
		}
		at := math.Floor(float64(x))
		if s.corners {
			at = math.Round(float64(x))
		}
		return max(min(int(at), in-1), 0)
	})
}

func (s *sampling) nearest(ctx *kernel.Context, in, out []tensor.Value) error {
	from, err := batchOf(&in[0], "input")
	if err != nil {
		return err
	}
	to := from
	if to.height, to.width, err = sizeOf(&in[1], "shape_t"); err != nil {
		return err
	}
	if from.height == 0 || from.width == 0 {
		return status.Invalid("input image must be of non-zero size")
	}
	if from.depth == 0 {
		return status.Invalid("image must have at least one channel")
	}
	if out[0], err = ctx.Alloc(in[0].DType(), to.dims()); err != nil {
		return err
	}
	if out[0].NumElements() == 0 {
		return nil
	}
	defer ctx.UnreserveTo(ctx.Reserved())
	ys, xs, err := tables(ctx, from, to, s.nearests)
	if err != nil {
		return err
	}
	x, o, pixel := tensor.Bytes(&in[0]), tensor.Bytes(&out[0]), from.depth*in[0].DType().Size()
	return to.lines(ctx, func(n, y int) {
		line := x[(n*from.height+ys[y])*from.width*pixel:]
		row := o[(n*to.height+y)*to.width*pixel:]
		for i, at := range xs {
			if i%tablePart == tablePart-1 {
				ctx.Ask()
			}
			copy(row[i*pixel:][:pixel], line[at*pixel:])
		}
	})
}

func newNearestGradient(c *kernel.Construction) (kernel.Kernel, error) {
	s, err := newSampling(c)
	if err != nil {
		return nil, err
	}
	switch dt := c.Type("T"); dt {
	case tensor.Uint8, tensor.Int8:
		return elementwise.WidenIntegers(dt, nearestGradient[int32](s, tensor.Int32), 0), nil
	case tensor.Int32:
		return nearestGradient[int32](s, dt), nil
	case tensor.Float:
		return nearestGradient[float32](s, dt), nil
	case tensor.Double:
		return nearestGradient[float64](s, dt), nil
	default:
		return elementwise.Widen(dt, nearestGradient[float32](s, tensor.Float)), nil
	}
}

// nearestGradient makes the kernel that gives each pixel of the gradient to the
// one that it was.
func nearestGradient[T elementwise.Real](s *sampling, dt tensor.DType) kernel.Kernel {
	return kernel.Func(func(ctx *kernel.Context, in, out []tensor.Value) error {
		from, err := batchOf(&in[0], "input")
		if err != nil {
			return err
		}
		to := from
		if to.height, to.width, err = sizeOf(&in[1], "shape_t"); err != nil {
			return err
		}
		if out[0], err = ctx.AllocZeroed(dt, to.dims()); err != nil {
			return err
		}
		if out[0].NumElements() == 0 || in[0].NumElements() == 0 {
			return nil
		}
		defer ctx.UnreserveTo(ctx.Reserved())
		ys, xs, err := tables(ctx, to, from, s.nearests)
		if err != nil {
			return err
		}
		depth := to.depth
		grad, o := tensor.Of[T](&in[0]), tensor.Of[T](&out[0])
		ctx.Parallel(from.n, 1, func(lo, hi int) {
			for n := lo; n < hi; n++ {
				for y := 0; y < from.height && ctx.Err() == nil; y++ {
					line := o[(n*to.height+ys[y])*to.width*depth:]
					for i, at := range xs {
						pixel := line[at*depth:][:depth]
						for c, g := range grad[((n*from.height+y)*from.width+i)*depth:][:depth] {
							pixel[c] += g
						}
					}
				}
			}
		})
		return ctx.Err()
	})
}
