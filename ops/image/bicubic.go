package image

import (
	"math"

	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/kernel/elementwise"
	"github.com/troupe-go/troupe/tensor"
)

// cubicSteps is how many places between two pixels weights are worked out for.
const cubicSteps = 1024

// A cubic is the four pixels that one of the result is made of, and their
// weights.
type cubic struct {
	at     [4]int
	weight [4]float32
}

// keys returns the weight, after R. Keys, Cubic Convolution Interpolation for
// Digital Image Processing (1981), of a pixel at a distance of at most 2.
func keys(a float64, distance float64) float32 {
	x := distance
	if x <= 1 {
		return float32(((a+2)*x-(a+3))*x*x + 1)
	}
	return float32(((a*x-5*a)*x+8*a)*x - 4*a)
}

// cubics are those of all out pixels over in. With half-pixel centers, pixels
// beyond the edge have no weight; else the one at the edge stands for them.
func (s *sampling) cubics(ctx *kernel.Context, in, out int) ([]cubic, error) {
	scale, a := s.scale(in, out), -0.75
	if s.half {
		a = -0.5
	}
	return tableOf(ctx, out, func(i int) (c cubic) {
		x := s.at(i, scale)
		floor := math.Floor(float64(x))
		step := math.RoundToEven(float64(x-float32(floor)) * cubicSteps)
		sum := float32(0)
		for k := range 4 {
			at := int(floor) + k - 1
			c.at[k] = min(max(at, 0), in-1)
			c.weight[k] = keys(a, math.Abs(step/cubicSteps-float64(k-1)))
			if s.half && c.at[k] != at {
				c.weight[k] = 0
			}
			sum += c.weight[k]
		}
		if s.half && math.Abs(float64(sum)) >= 1000*math.SmallestNonzeroFloat32 {
			for k := range c.weight {
				c.weight[k] /= sum
			}
		}
		return c
	})
}

func (s *sampling) bicubic(ctx *kernel.Context, in, out []tensor.Value) error {
	from, to, x, o, release, err := resized(ctx, in, out)
	if err != nil {
		return err
	}
	defer release()
	if len(o) == 0 {
		return nil
	}
	defer ctx.UnreserveTo(ctx.Reserved())
	ys, xs, err := tables(ctx, from, to, s.cubics)
	if err != nil {
		return err
	}
	depth := from.depth
	line := from.width * depth
	desk, err := kernel.NewDesk[float32](ctx, tensor.Float, min(to.n*to.height, ctx.Step.Pool.Workers()), line)
	if err != nil {
		return err
	}
	defer desk.Free(ctx)
	return to.lines(ctx, func(n, y int) {
		v := &ys[y]
		columns := desk.Take() // of the four lines, weighted
		defer desk.GiveBack(columns)
		clear(columns)
		for k, at := range v.at {
			pixels := x[(n*from.height+at)*line:][:line]
			for lo, hi := range ctx.Ranges(line, linePart) {
				weighted(columns[lo:hi], pixels[lo:hi], v.weight[k])
			}
		}
		row := o[(n*to.height+y)*to.width*depth:][:to.width*depth]
		for i := range xs {
			if i%tablePart == tablePart-1 {
				ctx.Ask()
			}
			h := &xs[i]
			for c := range depth {
				row[c] = columns[h.at[0]*depth+c]*h.weight[0] + columns[h.at[1]*depth+c]*h.weight[1] +
					columns[h.at[2]*depth+c]*h.weight[2] + columns[h.at[3]*depth+c]*h.weight[3]
			}
			row = row[depth:]
		}
	})
}

// weighted adds x times a weight to o, which is as long.
func weighted(o, x []float32, weight float32) {
	for i, p := range x {
		o[i] += weight * p
	}
}

// bicubicGradient makes the kernel that gives each pixel of the gradient to the 16
// that it was made of.
func bicubicGradient[T elementwise.Float](s *sampling, dt tensor.DType) kernel.Kernel {
	return kernel.Func(func(ctx *kernel.Context, in, out []tensor.Value) error {
		from, to, grad, release, err := resizedBack(ctx, dt, in, out)
		if err != nil || grad == nil {
			return err
		}
		defer release()
		defer ctx.UnreserveTo(ctx.Reserved())
		ys, xs, err := tables(ctx, to, from, s.cubics)
		if err != nil {
			return err
		}
		o, depth := tensor.Of[T](&out[0]), to.depth
		ctx.Parallel(from.n, 1, func(lo, hi int) {
			for n := lo; n < hi; n++ {
				for y := 0; y < from.height && ctx.Err() == nil; y++ {
					v := &ys[y]
					for i := range xs {
						h := &xs[i]
						for c, g := range grad[((n*from.height+y)*from.width+i)*depth:][:depth] {
							for k, row := range v.at {
								line := o[(n*to.height+row)*to.width*depth:]
								for l, column := range h.at {
									line[column*depth+c] += T(g * v.weight[k] * h.weight[l])
								}
							}
						}
					}
				}
			}
		})
		return ctx.Err()
	})
}
