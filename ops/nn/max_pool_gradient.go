package nn

import (
	"github.com/troupe-go/troupe/devices/cpu/vec"
	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/kernel/elementwise"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

// planned returns the plan of a gradient, whose inputs are those of the pooling, its
// result and a gradient of the shape that gradient says.
func (k *maxPool[T]) planned(in []tensor.Value, gradient func(p *plan) []int64) (plan, error) {
	if !k.flat() {
		return plan{}, status.Errorf(status.Unimplemented, "MaxPoolingGrad is not yet supported on the depth dimension.")
	}
	p, err := k.plan(in[0].Dims())
	if err != nil {
		return p, err
	}
	if err := expect(&in[1], "orig_output", p.out); err != nil {
		return p, err
	}
	return p, expect(&in[2], "grad", gradient(&p))
}

// argmax sets o to the greatest number of each channel in one window and at to
// the first place in the example that has it.
func argmax[T elementwise.Real](ctx *kernel.Context, p *plan, o []T, at []int, from []T, oz, oy, ox int) {
	first := true
	p.visit(ctx, oz, oy, ox, func(pixel int) {
		for c, v := range from[pixel : pixel+len(o)] {
			if first || o[c] < v {
				o[c], at[c] = v, pixel+c
			}
		}
		first = false
	})
}

// gradient returns each number of the gradient to the first of the greatest
// elements in its window.
func (k *maxPool[T]) gradient(ctx *kernel.Context, in, out []tensor.Value) error {
	p, err := k.planned(in, func(p *plan) []int64 { return p.out })
	if err != nil {
		return err
	}
	return k.scatter(ctx, &p, in, out, func(b int, from, to, grad []T) {
		if from, ok := any(from).([]float32); ok {
			toFirst(ctx, &p, from, any(to).([]float32), any(grad).([]float32))
			return
		}
		best, at := make([]T, p.depth), make([]int, p.depth)
		p.positions(ctx, func(oz, oy, ox, o int) {
			argmax(ctx, &p, best, at, from, oz, oy, ox)
			for c, g := range grad[o : o+p.depth] {
				to[at[c]] += g
			}
		})
	})
}

// toFirst is gradient of one example, by vectors of channels.
func toFirst(ctx *kernel.Context, p *plan, from, to, grad []float32) {
	z, y, x := &p.axes[0], &p.axes[1], &p.axes[2]
	if z.in > 1 || z.out > 1 {
		windowsToFirst(ctx, p, from, to, grad)
		return
	}
	all := vec.Taps{Channels: p.depth, Next: y.dilation * x.in * p.depth, Column: x.dilation * p.depth, Step: x.stride * p.depth}
	for oy := range y.out {
		g := grad[oy*x.out*p.depth:]
		alongLine(ctx, x, y, oy, p.depth, func(q, end, left, right, top, bottom int) {
			if top >= bottom || left >= right {
				return
			}
			t := all
			t.Lines, t.Columns, t.Pixels = bottom-top, right-left, end-q
			at := ((oy*y.stride-y.before+top*y.dilation)*x.in + q*x.stride - x.before + left*x.dilation) * p.depth
			t.Claim(to[at:], g[q*p.depth:end*p.depth], from[at:])
		})
	}
}

// windowsToFirst is toFirst window by window, of three dimensions.
func windowsToFirst(ctx *kernel.Context, p *plan, from, to, grad []float32) {
	desk := make([]float32, 2*p.depth)
	best, rest := desk[:p.depth], desk[p.depth:]
	p.positions(ctx, func(oz, oy, ox, o int) {
		copy(rest, grad[o:o+p.depth])
		first := -1
		p.visit(ctx, oz, oy, ox, func(at int) {
			if first < 0 {
				first = at
				copy(best, from[at:at+p.depth])
				return
			}
			vec.AtLeast(best, best, from[at:])
		})
		p.visit(ctx, oz, oy, ox, func(at int) {
			if at == first {
				vec.ClaimFirst(to[at:at+p.depth], rest, from[at:], best)
				return
			}
			vec.Claim(to[at:at+p.depth], rest, from[at:], best)
		})
	})
}

// gradientOfEqual returns each number of the gradient to all elements in its
// window that equal the result.
func (k *maxPool[T]) gradientOfEqual(ctx *kernel.Context, in, out []tensor.Value) error {
	p, err := k.planned(in, func(p *plan) []int64 { return p.out })
	if err != nil {
		return err
	}
	most := tensor.Of[T](&in[1])
	return k.scatter(ctx, &p, in, out, func(b int, from, to, grad []T) {
		most := most[b*p.results():][:p.results()]
		p.positions(ctx, func(oz, oy, ox, o int) {
			p.visit(ctx, oz, oy, ox, func(at int) {
				for c := range p.depth {
					if from[at+c] == most[o+c] {
						to[at+c] += grad[o+c]
					}
				}
			})
		})
	})
}

// clearedAtOnce is how many elements are cleared without asking whether the step has ended.
const clearedAtOnce = 1 << 18

// scatter calls f for each example, with its part of the input, of the result,
// which is zero and has the input's shape, and of the gradient. The result is cleared example by
// example, so that it is still in the cache.
func (k *maxPool[T]) scatter(ctx *kernel.Context, p *plan, in, out []tensor.Value, f func(b int, from, to, grad []T)) error {
	var err error
	if out[0], err = ctx.Alloc(k.dt, in[0].Dims()); err != nil {
		return err
	}
	src, grad, dst := tensor.Of[T](&in[0]), tensor.Of[T](&in[2]), tensor.Of[T](&out[0])
	if p.empty() {
		clear(dst)
		return nil
	}
	n, m := p.image(), p.results()
	ctx.Parallel(p.batch, max(1, elementwise.Grain/(m*p.taps())), func(lo, hi int) {
		for b := lo; b < hi && ctx.Err() == nil; b++ {
			for from, end := range ctx.Ranges(n, clearedAtOnce) {
				clear(dst[b*n+from : b*n+end])
			}
			f(b, src[b*n:][:n], dst[b*n:][:n], grad[b*m:][:m])
		}
	})
	return ctx.Err()
}

// gradGrad takes from each window the number where the first element is that
// equals the result; zero where none does.
func (k *maxPool[T]) gradGrad(ctx *kernel.Context, in, out []tensor.Value) error {
	p, err := k.planned(in, func(*plan) []int64 { return in[0].Dims() })
	if err != nil {
		return err
	}
	if out[0], err = ctx.AllocZeroed(k.dt, p.out); err != nil {
		return err
	}
	if p.empty() {
		return nil
	}
	src, most, grad, dst := tensor.Of[T](&in[0]), tensor.Of[T](&in[1]), tensor.Of[T](&in[2]), tensor.Of[T](&out[0])
	ctx.Parallel(p.batch, max(1, elementwise.Grain/(p.results()*p.taps())), func(lo, hi int) {
		found := make([]bool, p.depth)
		for b := lo; b < hi && ctx.Err() == nil; b++ {
			from, g := src[b*p.image():], grad[b*p.image():]
			to, most := dst[b*p.results():], most[b*p.results():]
			p.positions(ctx, func(oz, oy, ox, o int) {
				clear(found)
				p.visit(ctx, oz, oy, ox, func(at int) {
					for c := range p.depth {
						if !found[c] && from[at+c] == most[o+c] {
							to[o+c], found[c] = g[at+c], true
						}
					}
				})
			})
		}
	})
	return ctx.Err()
}

// An argmaxPool is the kernel of MaxPoolWithArgmax.
type argmaxPool[T elementwise.Real] struct {
	*maxPool[T]
	places tensor.DType
	batch  bool // places count through the whole batch
}

func (k *argmaxPool[T]) Run(ctx *kernel.Context, in, out []tensor.Value) error {
	if !k.flat() {
		return status.Errorf(status.Unimplemented, "MaxPoolWithArgmax is not yet supported on the depth dimension.")
	}
	p, err := k.plan(in[0].Dims())
	if err != nil {
		return err
	}
	if in[0].NumElements() == 0 {
		return status.Invalid("tensor_in must not be empty (2)")
	}
	if out[0], err = ctx.Alloc(k.dt, p.out); err != nil {
		return err
	}
	if out[1], err = ctx.Alloc(k.places, p.out); err != nil {
		return err
	}
	if p.empty() {
		return nil
	}
	src, dst := tensor.Of[T](&in[0]), tensor.Of[T](&out[0])
	var wide []int64
	var narrow []int32
	if k.places == tensor.Int64 {
		wide = tensor.Of[int64](&out[1])
	} else {
		narrow = tensor.Of[int32](&out[1])
	}
	n, m := p.image(), p.results()
	ctx.Parallel(p.batch, max(1, elementwise.Grain/(m*p.taps())), func(lo, hi int) {
		at := make([]int, p.depth)
		for b := lo; b < hi && ctx.Err() == nil; b++ {
			base := 0
			if k.batch {
				base = b * n
			}
			p.positions(ctx, func(oz, oy, ox, o int) {
				o += b * m
				argmax(ctx, &p, dst[o:o+p.depth], at, src[b*n:][:n], oz, oy, ox)
				for c, i := range at {
					if wide != nil {
						wide[o+c] = int64(base + i)
					} else {
						narrow[o+c] = int32(base + i)
					}
				}
			})
		}
	})
	return ctx.Err()
}

// gradientAt is MaxPoolGradWithArgmax: it adds each number of the gradient to
// the place that it came from, as the pooling told it.
func gradientAt[T elementwise.Real](ctx *kernel.Context, dt tensor.DType, batch bool, in, out []tensor.Value) error {
	x, grad := in[0].Dims(), in[1].Dims()
	if len(x) != 4 {
		return status.Invalid("tensor_in must be 4-dimensional: %s", tensor.FormatDims(x))
	}
	if len(grad) != 4 || grad[0] != x[0] {
		return status.Invalid("grad_in must be 4-dimensional, of the batch of tensor_in: %s", tensor.FormatDims(grad))
	}
	if err := expect(&in[2], "argmax", grad); err != nil {
		return err
	}
	var err error
	if out[0], err = ctx.AllocZeroed(dt, x); err != nil {
		return err
	}
	g, at, dst := tensor.Of[T](&in[1]), tensor.Of[int64](&in[2]), tensor.Of[T](&out[0])
	if len(g) == 0 {
		return nil
	}
	image, results := len(dst)/int(x[0]), len(g)/int(x[0])
	for i, v := range g {
		place, limit, base := at[i], image, i/results*image
		if batch {
			limit, base = len(dst), 0
		}
		if place < 0 || place >= int64(limit) {
			return status.Invalid("Invalid output index: %d, outside [0, %d)", place, limit)
		}
		dst[base+int(place)] += v
	}
	return nil
}
