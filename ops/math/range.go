package math

import (
	"math"

	"github.com/troupe-go/troupe/graph/gradient"
	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/kernel/elementwise"
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

func init() {
	registry.Define("Range").
		Input("start: Tidx").Input("limit: Tidx").Input("delta: Tidx").Output("output: Tidx").
		Traits(registry.Cheap).
		Attr("Tidx: {bfloat16, half, float, double, int8, int16, int32, int64, uint16, uint32, uint64} = DT_INT32").
		Doc(`Lists numbers from start on, delta apart, as far as they come before limit.

start: The first number, a scalar.
limit: Where to stop; it is not part of the list.
delta: The step: not 0, and negative to count down. That limit lies in the other direction is an error.`)
	registry.Define("LinSpace").
		Input("start: T").Input("stop: T").Input("num: Tidx").Output("output: T").
		Attr("T: {bfloat16, half, float, double}").
		Attr("Tidx: {int32, int64} = DT_INT32").
		Doc(`Lists num numbers from start to stop, evenly spaced.

num: How many; at least 1, and 1 returns start alone.`)

	kernel.ForTypes("Range", "Tidx", newRange, append(elementwise.Floats[:len(elementwise.Floats):len(elementwise.Floats)], tensor.Int8, tensor.Int16, tensor.Int32, tensor.Int64, tensor.Uint16, tensor.Uint32, tensor.Uint64)...)
	kernel.ForTypes("LinSpace", "T", newLinSpace, elementwise.Floats...)

	gradient.None("Range", "LinSpace")
}

func newRange(dt tensor.DType) kernel.Kernel {
	switch dt {
	case tensor.Float:
		return ranger(dt, floatRangeSize[float32])
	case tensor.Double:
		return ranger(dt, floatRangeSize[float64])
	case tensor.Half, tensor.Bfloat16:
		return elementwise.Widen(dt, ranger(tensor.Float, floatRangeSize[float32]))
	case tensor.Int8, tensor.Int16, tensor.Uint16, tensor.Uint32:
		return elementwise.WidenToInt64(dt, ranger(tensor.Int64, rangeSize[int64]), 0)
	case tensor.Int32:
		return ranger(dt, rangeSize[int32])
	case tensor.Int64:
		return ranger(dt, rangeSize[int64])
	case tensor.Uint64:
		return ranger(dt, rangeSize[uint64])
	}
	return nil
}

// ranger adds delta to start again and again, as TensorFlow does, so that
// rounding errors add up.
//
//go:noinline
func ranger[T elementwise.Real](dt tensor.DType, size func(start, limit, delta T) (uint64, error)) kernel.Kernel {
	return kernel.Func(func(ctx *kernel.Context, in, out []tensor.Value) error {
		var arg [3]T
		for i, name := range []string{"start", "limit", "delta"} {
			if in[i].NumElements() != 1 || in[i].Rank() > 1 {
				return status.Invalid("%s must be a scalar, not shape %s", name, tensor.FormatDims(in[i].Dims()))
			}
			arg[i] = tensor.At0[T](&in[i])
		}
		start, limit, delta := arg[0], arg[1], arg[2]
		if delta == 0 {
			return status.Invalid("Requires delta != 0: %v", delta)
		}
		if delta > 0 && start > limit {
			return status.Invalid("Requires start <= limit when delta > 0: %v/%v", start, limit)
		}
		if delta < 0 && start < limit {
			return status.Invalid("Requires start >= limit when delta < 0: %v/%v", start, limit)
		}
		n, err := size(start, limit, delta)
		if err != nil {
			return err
		}
		if n > math.MaxInt64 {
			return status.Invalid("Requires ((limit - start) / delta) <= %d", int64(math.MaxInt64))
		}
		if out[0], err = ctx.Alloc(dt, []int64{int64(n)}); err != nil {
			return err
		}
		x := start
		o := tensor.Of[T](&out[0])
		for i := range o {
			o[i] = x
			x += delta
		}
		return nil
	})
}

// rangeSize works with the distance as an unsigned number, which cannot overflow.
func rangeSize[T elementwise.Integer](start, limit, delta T) (uint64, error) {
	if start == limit {
		return 0, nil
	}
	d, step := uint64(int64(limit))-uint64(int64(start)), uint64(int64(delta))
	if delta < 0 {
		d, step = -d, -step
	}
	return (d-1)/step + 1, nil
}

func floatRangeSize[T elementwise.Float](start, limit, delta T) (uint64, error) {
	n := math.Ceil(math.Abs(float64((limit - start) / delta)))
	if !(n <= math.MaxInt64/2) {
		return 0, status.Invalid("Requires ((limit - start) / delta) <= %d", int64(math.MaxInt64))
	}
	return uint64(n), nil
}

func newLinSpace(dt tensor.DType) kernel.Kernel {
	switch dt {
	case tensor.Float:
		return linSpace[float32](dt)
	case tensor.Double:
		return linSpace[float64](dt)
	case tensor.Half, tensor.Bfloat16:
		return elementwise.Widen(dt, linSpace[float32](tensor.Float))
	}
	return nil
}

func linSpace[T elementwise.Float](dt tensor.DType) kernel.Kernel {
	return kernel.Func(func(ctx *kernel.Context, in, out []tensor.Value) error {
		for i, name := range []string{"start", "stop", "num"} {
			if in[i].Rank() != 0 {
				return status.Invalid("%s must be a scalar, not shape %s", name, tensor.FormatDims(in[i].Dims()))
			}
		}
		start, stop := tensor.At0[T](&in[0]), tensor.At0[T](&in[1])
		n, err := kernel.Int(&in[2], "num")
		if err != nil {
			return err
		}
		if n <= 0 {
			return status.Invalid("Requires num > 0: %d", n)
		}
		if out[0], err = ctx.Alloc(dt, []int64{n}); err != nil {
			return err
		}
		o := tensor.Of[T](&out[0])
		o[0] = start
		if n > 1 {
			step := (stop - start) / T(n-1)
			for i := int64(1); i < n-1; i++ {
				o[i] = start + step*T(i)
			}
			o[n-1] = stop
		}
		return nil
	})
}
