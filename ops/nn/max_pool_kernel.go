package nn

import (
	"math"
	"strings"

	"github.com/troupe-go/troupe/devices/cpu/vec"
	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/kernel/elementwise"
	"github.com/troupe-go/troupe/shape"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

func init() {
	for _, op := range []string{"MaxPool", "MaxPoolV2"} {
		for _, dt := range elementwise.Reals {
			if dt != tensor.Uint32 && dt != tensor.Uint64 {
				kernel.ForType(op, "T", dt, newMaxPool(2))
			}
		}
	}
	for _, op := range []string{"MaxPoolGrad", "MaxPoolGradV2", "MaxPoolGradGrad", "MaxPoolGradGradV2", "MaxPoolWithArgmax", "MaxPoolGradWithArgmax"} {
		for _, dt := range elementwise.Reals {
			kernel.ForType(op, "T", dt, newMaxPool(2))
		}
	}
	for _, op := range []string{"MaxPool3D", "MaxPool3DGrad", "MaxPool3DGradGrad"} {
		kernel.ForType(op, "T", tensor.Float, newMaxPool(3))
		kernel.ForType(op, "T", tensor.Bfloat16, newMaxPool(3))
	}
}

// newMaxPool makes the kernels of max poolings over that many spatial
// dimensions and of their gradients.
//
//go:noinline
func newMaxPool(dims int) kernel.Factory {
	return func(c *kernel.Construction) (kernel.Kernel, error) {
		p, err := newPooling(c, dims)
		if err != nil {
			return nil, err
		}
		if c.Str("data_format") == "NCHW_VECT_C" {
			return nil, status.Errorf(status.Unimplemented, "%s: data format NCHW_VECT_C", c.Op.Name)
		}
		f, err := shape.FormatOf(c.Str("data_format"), dims)
		if err != nil {
			return nil, err
		}
		switch dt := c.Type("T"); dt {
		case tensor.Float:
			return maxPoolOf[float32](c, dt, p, f, -math.MaxFloat32), nil
		case tensor.Double:
			return maxPoolOf[float64](c, dt, p, f, -math.MaxFloat64), nil
		case tensor.Half, tensor.Bfloat16:
			return elementwise.Widen(dt, maxPoolOf[float32](c, tensor.Float, p, f, -math.MaxFloat32)), nil
		case tensor.Int8:
			return integerMaxPool(c, dt, p, f, math.MinInt8), nil
		case tensor.Int16:
			return integerMaxPool(c, dt, p, f, math.MinInt16), nil
		case tensor.Int32:
			return integerMaxPool(c, dt, p, f, math.MinInt32), nil
		case tensor.Int64:
			return integerMaxPool(c, dt, p, f, math.MinInt64), nil
		case tensor.Uint8, tensor.Uint16, tensor.Uint32:
			return integerMaxPool(c, dt, p, f, 0), nil
		default:
			return maxPoolOf[uint64](c, dt, p, f, 0), nil
		}
	}
}

// integerMaxPool is maxPoolOf for integers of dt, computed as int64.
func integerMaxPool(c *kernel.Construction, dt tensor.DType, p *pooling, f shape.Format, least int64) kernel.Kernel {
	return elementwise.WidenToInt64(dt, maxPoolOf(c, tensor.Int64, p, f, least), 0)
}

func maxPoolOf[T elementwise.Real](c *kernel.Construction, dt tensor.DType, p *pooling, f shape.Format, least T) kernel.Kernel {
	k := &maxPool[T]{p, dt, least}
	var run kernel.Func
	switch op := c.Op.Name; op {
	case "MaxPool", "MaxPool3D":
		return channelsLast(f, maxPoolForward[T]{k}, 0)
	case "MaxPoolGrad":
		run = k.gradient
	case "MaxPool3DGrad":
		run = k.gradientOfEqual
	case "MaxPoolGradGrad", "MaxPool3DGradGrad":
		run = k.gradGrad
	case "MaxPoolWithArgmax":
		return kernel.Func((&argmaxPool[T]{k, c.Type("Targmax"), c.Bool("include_batch_in_index")}).Run)
	case "MaxPoolGradWithArgmax":
		batch := c.Bool("include_batch_in_index")
		return kernel.Func(func(ctx *kernel.Context, in, out []tensor.Value) error {
			return gradientAt[T](ctx, dt, batch, in, out)
		})
	default: // MaxPoolV2, MaxPoolGradV2, MaxPoolGradGradV2: the window comes as the last two inputs
		format := c.Str("data_format")
		return kernel.Func(func(ctx *kernel.Context, in, out []tensor.Value) error {
			q := &maxPool[T]{&pooling{m: &motion{}}, dt, least}
			*q.m = *p.m
			n := len(in) - 2
			ksize, strides := kernel.AppendFirst(nil, &in[n], 5), kernel.AppendFirst([]int64{}, &in[n+1], 5) // strides are not nil, be there none
			if c := strings.IndexByte(format, 'C'); c < len(ksize) && c < len(strides) && ksize[c] == 1 {
				strides[c] = 1 // a window of one channel does not move over channels
			}
			if err := q.window(format, ksize, strides); err != nil {
				return err
			}
			run := map[string]kernel.Func{
				"MaxPoolV2": q.forward, "MaxPoolGradV2": q.gradient, "MaxPoolGradGradV2": q.gradGrad,
			}[op]
			return channelsLast(f, run, 0).Run(ctx, in[:n], out)
		})
	}
	return channelsLast(f, run, 0)
}

// A maxPool is the kernels of max poolings with channels last. A NaN is never
// the greatest, except that argmax gives a window's first element if nothing is
// greater. The least result is the lowest finite number.
type maxPool[T elementwise.Real] struct {
	*pooling
	dt    tensor.DType
	least T // the result of no elements
}

func (k *maxPool[T]) forward(ctx *kernel.Context, in, out []tensor.Value) error {
	if !k.flat() {
		return k.depthwise(ctx, in, out)
	}
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
	src, dst := tensor.Of[T](&in[0]), tensor.Of[T](&out[0])
	x := &p.axes[2]
	lines, line := p.batch*p.axes[0].out*p.axes[1].out, x.out*p.depth
	ctx.Parallel(lines, max(1, elementwise.Grain/(line*p.taps())), func(lo, hi int) {
		for r := lo; r < hi && ctx.Err() == nil; r++ {
			oy, oz, b := r%p.axes[1].out, r/p.axes[1].out%p.axes[0].out, r/(p.axes[1].out*p.axes[0].out)
			from, to := src[b*p.image():][:p.image()], dst[r*line:][:line]
			if to, ok := any(to).([]float32); ok && p.axes[0].in == 1 && p.axes[0].out == 1 {
				maxLine(ctx, &p, to, any(from).([]float32), oy)
				continue
			}
			var credit kernel.Credit
			for ox := range x.out {
				if greatest(ctx, &p, to[ox*p.depth:][:p.depth], from, oz, oy, ox, k.least); !credit.Spend(ctx, p.taps()*p.depth) {
					return
				}
			}
		}
	})
	return ctx.Err()
}

// maxLine computes a line of the result of two dimensions.
func maxLine(ctx *kernel.Context, p *plan, dst, src []float32, oy int) {
	y, x := &p.axes[1], &p.axes[2]
	all := vec.Taps{Channels: p.depth, Next: y.dilation * x.in * p.depth, Column: x.dilation * p.depth, Step: x.stride * p.depth}
	alongLine(ctx, x, y, oy, p.depth, func(q, end, left, right, top, bottom int) {
		to := dst[q*p.depth : end*p.depth]
		if top >= bottom || left >= right {
			for i := range to {
				to[i] = -math.MaxFloat32
			}
			return
		}
		t := all
		t.Lines, t.Columns, t.Pixels = bottom-top, right-left, end-q
		iy, ix := oy*y.stride-y.before+top*y.dilation, q*x.stride-x.before+left*x.dilation
		t.Largest(to, src[(iy*x.in+ix)*p.depth:])
	})
}

// greatest sets o to the greatest number of each channel in one window.
func greatest[T elementwise.Real](ctx *kernel.Context, p *plan, o, from []T, oz, oy, ox int, least T) {
	for c := range o {
		o[c] = least
	}
	p.visit(ctx, oz, oy, ox, func(at int) {
		for c, v := range from[at : at+len(o)] {
			if v > o[c] {
				o[c] = v
			}
		}
	})
}

// depthwise is for windows of channels of one pixel, side by side.
func (k *maxPool[T]) depthwise(ctx *kernel.Context, in, out []tensor.Value) error {
	x := in[0].Dims()
	rank := k.m.format.Rank()
	if len(x) != rank {
		return status.Invalid("tensor_in must be %d-dimensional: %s", rank, tensor.FormatDims(x))
	}
	size, depth := k.ksize[rank-1], x[rank-1]
	for i := range rank - 1 {
		if k.ksize[i] != 1 || k.m.strides[i] != 1 {
			return status.Errorf(status.Unimplemented, "MaxPooling supports exactly one of pooling across depth or pooling across width/height.")
		}
	}
	if depth%size != 0 {
		return status.Errorf(status.Unimplemented, "Depthwise max pooling requires the depth window to evenly divide the input depth")
	}
	if k.m.strides[rank-1] != size {
		return status.Errorf(status.Unimplemented, "Depthwise max pooling requires the depth window to equal the depth stride")
	}
	dims := append([]int64{}, x...)
	dims[rank-1] = depth / size
	var err error
	if out[0], err = ctx.Alloc(k.dt, dims); err != nil {
		return err
	}
	src, dst := tensor.Of[T](&in[0]), tensor.Of[T](&out[0])
	for i := range dst {
		best := k.least
		for _, v := range src[i*int(size) : (i+1)*int(size)] {
			if v > best {
				best = v
			}
		}
		dst[i] = best
	}
	return nil
}
