package nn

import (
	"github.com/troupe-go/troupe/devices/cpu/vec"
	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/kernel/elementwise"
	"github.com/troupe-go/troupe/shape"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

func init() {
	for _, dt := range elementwise.Floats {
		kernel.ForType("AvgPool", "T", dt, newAveragePool(2))
		kernel.ForType("AvgPoolGrad", "T", dt, newAveragePool(2))
	}
	for _, dt := range []tensor.DType{tensor.Float, tensor.Bfloat16} {
		kernel.ForType("AvgPool3D", "T", dt, newAveragePool(3))
		kernel.ForType("AvgPool3DGrad", "T", dt, newAveragePool(3))
	}
}

//go:noinline
func newAveragePool(dims int) kernel.Factory {
	return func(c *kernel.Construction) (kernel.Kernel, error) {
		p, err := newPooling(c, dims)
		if err != nil {
			return nil, err
		}
		if !p.flat() {
			return nil, status.Errorf(status.Unimplemented, "AvgPooling is not yet supported on the depth dimension.")
		}
		f, err := shape.FormatOf(c.Str("data_format"), dims)
		if err != nil {
			return nil, err
		}
		switch dt := c.Type("T"); dt {
		case tensor.Float:
			return averagePoolOf[float32](c.Op.Name, dt, p, f), nil
		case tensor.Double:
			return averagePoolOf[float64](c.Op.Name, dt, p, f), nil
		default:
			return elementwise.Widen(dt, averagePoolOf[float32](c.Op.Name, tensor.Float, p, f)), nil
		}
	}
}

func averagePoolOf[T elementwise.Float](op string, dt tensor.DType, p *pooling, f shape.Format) kernel.Kernel {
	k := &averagePool[T]{p, dt, lastPerm(f)}
	if op == "AvgPool" || op == "AvgPool3D" {
		return channelsLast(f, k, 0)
	}
	return channelsLast(f, kernel.Func(k.gradient), 0)
}

// An averagePool is the kernel of average poolings with channels last. What
// lies beyond the edges does not count.
type averagePool[T elementwise.Float] struct {
	*pooling
	dt   tensor.DType
	perm []int // from the format of shapes that are inputs
}

func (k *averagePool[T]) Run(ctx *kernel.Context, in, out []tensor.Value) error {
	p, err := k.plan(in[0].Dims())
	if err != nil {
		return err
	}
	if out[0], err = ctx.Alloc(k.dt, p.out); err != nil {
		return err
	}
	if p.empty() {
		return nil
	}
	if dst, ok := any(tensor.Of[T](&out[0])).([]float32); ok && p.axes[0].in == 1 && p.axes[0].out == 1 {
		return averageLines(ctx, &p, dst, tensor.Of[float32](&in[0]))
	}
	src, dst := tensor.Of[T](&in[0]), tensor.Of[T](&out[0])
	ctx.Parallel(len(dst)/p.depth, max(1, elementwise.Grain/(p.depth*p.taps())), func(lo, hi int) {
		for r := lo; r < hi && ctx.Err() == nil; r++ {
			ox, oy, oz, b := p.place(r)
			from, to, n := src[b*p.image():], dst[r*p.depth:][:p.depth], 0
			clear(to)
			p.visit(ctx, oz, oy, ox, func(at int) {
				add(to, from[at:at+p.depth])
				n++
			})
			for c := range to {
				to[c] /= T(n)
			}
		}
	})
	return ctx.Err()
}

// averageLines computes the result of two dimensions, line by line: windows are sums
// with weights of 1, divided by their size.
func averageLines(ctx *kernel.Context, p *plan, dst, src []float32) error {
	y, x := &p.axes[1], &p.axes[2]
	line := x.out * p.depth
	weights, err := ctx.Alloc(tensor.Float, []int64{int64(p.ones())})
	if err != nil {
		return err
	}
	defer ctx.Free(weights)
	ones := tensor.Of[float32](&weights)
	for i := range ones {
		ones[i] = 1
	}
	ctx.Parallel(p.batch*y.out, max(1, elementwise.Grain/(line*p.taps())), func(lo, hi int) {
		for r := lo; r < hi && ctx.Err() == nil; r++ {
			averageLine(ctx, p, dst[r*line:][:line], src[r/y.out*p.image():], ones, r%y.out)
		}
	})
	return ctx.Err()
}

// ones returns how many weights of 1 there are for a line of a window.
func (p *plan) ones() int { return min(p.axes[2].size, p.axes[2].in) * p.depth }

// averageLine computes a line of the result of two dimensions.
func averageLine(ctx *kernel.Context, p *plan, dst, src, ones []float32, oy int) {
	y, x := &p.axes[1], &p.axes[2]
	all := vec.Taps{Channels: p.depth, Next: y.dilation * x.in * p.depth, Column: x.dilation * p.depth, Step: x.stride * p.depth}
	alongLine(ctx, x, y, oy, p.depth, func(q, end, left, right, top, bottom int) {
		to := dst[q*p.depth : end*p.depth]
		if top >= bottom || left >= right {
			clear(to)
			vec.DivScalar(to, to, 0)
			return
		}
		t := all
		t.Lines, t.Columns, t.Pixels = bottom-top, right-left, end-q
		iy, ix := oy*y.stride-y.before+top*y.dilation, q*x.stride-x.before+left*x.dilation
		t.Multiply(to, src[(iy*x.in+ix)*p.depth:], ones)
		vec.DivScalar(to, to, float32(t.Lines*t.Columns))
	})
}

// place returns where position r of all examples is.
func (p *plan) place(r int) (ox, oy, oz, b int) {
	ox, r = r%p.axes[2].out, r/p.axes[2].out
	oy, r = r%p.axes[1].out, r/p.axes[1].out
	return ox, oy, r % p.axes[0].out, r / p.axes[0].out
}

func add[T elementwise.Float](o, x []T) {
	if o, ok := any(o).([]float32); ok {
		vec.Add(o, o, any(x).([]float32))
		return
	}
	for i, v := range x {
		o[i] += v
	}
}

// gradient shares each number of the gradient out among the elements of its
// window.
func (k *averagePool[T]) gradient(ctx *kernel.Context, in, out []tensor.Value) error {
	rank := k.m.format.Rank()
	if in[0].Rank() != 1 || in[0].NumElements() != rank {
		return status.Invalid("out_backprop must be %d-dimensional: orig_input_shape has shape %s", rank, tensor.FormatDims(in[0].Dims()))
	}
	given, err := kernel.Dims(&in[0], "orig_input_shape")
	if err != nil {
		return err
	}
	dims := make([]int64, rank)
	for i, p := range k.perm {
		dims[i] = given[p]
	}
	p, err := k.plan(dims)
	if err != nil {
		return err
	}
	if err := expect(&in[1], "grad", p.out); err != nil {
		return err
	}
	if out[0], err = ctx.AllocZeroed(k.dt, dims); err != nil {
		return err
	}
	if p.empty() {
		return nil
	}
	grad, dst := tensor.Of[T](&in[1]), tensor.Of[T](&out[0])
	n, m := p.image(), p.results()
	ctx.Parallel(p.batch, max(1, elementwise.Grain/(m*p.taps())), func(lo, hi int) {
		share := make([]T, p.depth)
		for b := lo; b < hi && ctx.Err() == nil; b++ {
			p.positions(ctx, func(oz, oy, ox, o int) {
				count := 0
				p.visit(ctx, oz, oy, ox, func(int) { count++ })
				scale := 1 / T(count)
				for c, g := range grad[b*m+o:][:p.depth] {
					share[c] = g * scale
				}
				p.visit(ctx, oz, oy, ox, func(at int) { add(dst[b*n+at:][:p.depth], share) })
			})
		}
	})
	return ctx.Err()
}
