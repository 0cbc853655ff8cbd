package nn

import (
	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/kernel/elementwise"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

func init() {
	for _, op := range []string{"Dilation2D", "Dilation2DBackpropInput", "Dilation2DBackpropFilter"} {
		for _, dt := range elementwise.Reals {
			kernel.ForType(op, "T", dt, newDilation)
		}
	}
}

func newDilation(c *kernel.Construction) (kernel.Kernel, error) {
	m, err := newMotion(c, 2)
	if err != nil {
		return nil, err
	}
	if err := m.depthStrides(); err != nil {
		return nil, err
	}
	return newDilationOf(c.Type("T"), m), nil
}

func newDilationOf(dt tensor.DType, m *motion) kernel.Kernel {
	switch dt {
	case tensor.Float:
		return dilationOf[float32](dt, m)
	case tensor.Double:
		return dilationOf[float64](dt, m)
	case tensor.Half, tensor.Bfloat16:
		return elementwise.Widen(dt, newDilationOf(tensor.Float, m))
	case tensor.Int8:
		return dilationOf[int8](dt, m)
	case tensor.Int16:
		return dilationOf[int16](dt, m)
	case tensor.Int32:
		return dilationOf[int32](dt, m)
	case tensor.Int64:
		return dilationOf[int64](dt, m)
	case tensor.Uint8:
		return dilationOf[uint8](dt, m)
	case tensor.Uint16:
		return dilationOf[uint16](dt, m)
	case tensor.Uint32:
		return dilationOf[uint32](dt, m)
	default:
		return dilationOf[uint64](dt, m)
	}
}

func dilationOf[T elementwise.Real](dt tensor.DType, m *motion) kernel.Kernel {
	return (&dilation{m, dt, dilate[T], addPlaces[T]}).kernel(m)
}

//go:noinline
func (k *dilation) kernel(m *motion) kernel.Kernel {
	switch m.op {
	case "Dilation2DBackpropInput":
		return kernel.Func(func(ctx *kernel.Context, in, out []tensor.Value) error { return k.gradient(ctx, in, out, 0) })
	case "Dilation2DBackpropFilter":
		return kernel.Func(func(ctx *kernel.Context, in, out []tensor.Value) error { return k.gradient(ctx, in, out, 1) })
	}
	return k
}

// A dilation is the kernel of Dilation2D.
type dilation struct {
	m      *motion
	dt     tensor.DType
	dilate func(o tensor.Memory, first int, at, tap []int, x tensor.Memory, image int, w tensor.Memory, axes *[3]axis, oy, ox int)
	add    func(o, grad tensor.Memory, base, first int, at []int)
}

func (k *dilation) axes(x, filter []int64) (all [3]axis, err error) {
	if len(x) != 4 {
		return all, status.Invalid("input must be 4-dimensional: %s", tensor.FormatDims(x))
	}
	if len(filter) != 3 {
		return all, status.Invalid("filter must be 3-dimensional: %s", tensor.FormatDims(filter))
	}
	if x[3] != filter[2] {
		return all, status.Invalid("input and filter must have the same depth: %d vs %d", x[3], filter[2])
	}
	return k.m.axes(x, filter[:2])
}

func (k *dilation) Run(ctx *kernel.Context, in, out []tensor.Value) error {
	x := in[0].Dims()
	axes, err := k.axes(x, in[1].Dims())
	if err != nil {
		return err
	}
	var buf [4]int64
	if out[0], err = ctx.Alloc(k.dt, k.m.output(buf[:0], x, &axes, x[3])); err != nil {
		return err
	}
	if out[0].NumElements() == 0 {
		return nil
	}
	src, w, dst := in[0].Memory(), in[1].Memory(), out[0].Memory()
	y, depth := &axes[1], int(x[3])
	line := axes[2].out * depth
	ctx.Parallel(int(x[0])*y.out, max(1, elementwise.Grain/(line*y.size*axes[2].size)), func(lo, hi int) {
		best := make([]int, depth)
		var credit kernel.Credit
		for r := lo; r < hi; r++ {
			b, oy := r/y.out, r%y.out
			for ox := range axes[2].out {
				if !credit.Spend(ctx, depth*y.size*axes[2].size) {
					return
				}
				k.dilate(dst, r*line+ox*depth, best, best, src, b*y.in*axes[2].in*depth, w, &axes, oy, ox)
			}
		}
	})
	return ctx.Err()
}

// dilate sets elements of to, from first on, to the greatest sums of a pixel of the image
// and the filter at one position, channel by channel, and at and tap to the first place in
// the image and in the filter that have it. at and tap may be one slice if unused.
func dilate[T elementwise.Real](to tensor.Memory, first int, at, tap []int, src tensor.Memory, start int, filter tensor.Memory, axes *[3]axis, oy, ox int) {
	y, x, depth := &axes[1], &axes[2], len(at)
	o, image, w := tensor.Elements[T](to)[first:][:depth], tensor.Elements[T](src)[start:], tensor.Elements[T](filter)
	for c := range o {
		o[c] = lowest[T]()
		at[c], tap[c] = (max(0, oy*y.stride-y.before)*x.in+max(0, ox*x.stride-x.before))*depth+c, c
	}
	for ky := range y.size {
		iy := oy*y.stride - y.before + ky*y.dilation
		if iy < 0 || iy >= y.in {
			continue
		}
		for kx := range x.size {
			ix := ox*x.stride - x.before + kx*x.dilation
			if ix < 0 || ix >= x.in {
				continue
			}
			p, q := (iy*x.in+ix)*depth, (ky*x.size+kx)*depth
			pixel, weight := image[p:][:depth], w[q:][:depth]
			for c := range o {
				if sum := pixel[c] + weight[c]; sum > o[c] {
					o[c], at[c], tap[c] = sum, p+c, q+c
				}
			}
		}
	}
}

// gradient passes the gradient of each sum to the element of input which that
// was the greatest.
func (k *dilation) gradient(ctx *kernel.Context, in, out []tensor.Value, which int) error {
	x := in[0].Dims()
	axes, err := k.axes(x, in[1].Dims())
	if err != nil {
		return err
	}
	var buf [4]int64
	if want := k.m.output(buf[:0], x, &axes, x[3]); tensor.FormatDims(want) != tensor.FormatDims(in[2].Dims()) {
		return status.Invalid("out_backprop has incompatible size: %s and should be %s", tensor.FormatDims(in[2].Dims()), tensor.FormatDims(want))
	}
	if out[0], err = ctx.AllocZeroed(k.dt, in[which].Dims()); err != nil {
		return err
	}
	if out[0].NumElements() == 0 || in[2].NumElements() == 0 {
		return nil
	}
	src, w, grad, dst := in[0].Memory(), in[1].Memory(), in[2].Memory(), out[0].Memory()
	depth, image := int(x[3]), axes[1].in*axes[2].in*int(x[3])
	var credit kernel.Credit
	sums, err := ctx.Alloc(k.dt, []int64{int64(depth)})
	if err != nil {
		return err
	}
	defer ctx.Free(sums)
	at, tap := make([]int, depth), make([]int, depth)
	for i := 0; i < grad.Len(); i += depth {
		ox, oy, b := i/depth%axes[2].out, i/depth/axes[2].out%axes[1].out, i/depth/axes[2].out/axes[1].out
		if !credit.Spend(ctx, depth*axes[1].size*axes[2].size) {
			return ctx.Err()
		}
		k.dilate(sums.Memory(), 0, at, tap, src, b*image, w, &axes, oy, ox)
		if which == 0 {
			k.add(dst, grad, b*image, i, at)
		} else {
			k.add(dst, grad, 0, i, tap)
		}
	}
	return nil
}

// addPlaces adds elements of a gradient, from first on, to those of o at places that count
// from base.
func addPlaces[T elementwise.Real](o, grad tensor.Memory, base, first int, at []int) {
	to := tensor.Elements[T](o)[base:]
	for c, g := range tensor.Elements[T](grad)[first:][:len(at)] {
		to[at[c]] += g
	}
}
