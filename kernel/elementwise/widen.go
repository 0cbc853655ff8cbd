package elementwise

import (
	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/tensor"
)

// Widen makes a kernel on dt, half or bfloat16, of one on float32: its inputs
// of dtype dt are converted, and its outputs of float32 are rounded.
func Widen(dt tensor.DType, k kernel.Kernel) kernel.Kernel {
	return widened{dt: dt, wide: tensor.Float, outputs: ^uint(0), widen: func(o, x *tensor.Value, lo, hi int) {
		FromNarrow(tensor.Of[float32](o)[lo:hi], x, lo)
	}, narrow: func(o, x *tensor.Value, lo, hi int) {
		ToNarrow(o, lo, tensor.Of[float32](x)[lo:hi])
	}, Kernel: k}
}

// Wider returns the type by way of which kernels on dt may compute ([WidenIntegers]):
// dt itself unless it is an integer type that programs seldom compute with.
func Wider(dt tensor.DType) tensor.DType {
	switch dt {
	case tensor.Int8, tensor.Int16, tensor.Uint8, tensor.Uint16:
		return tensor.Int32
	case tensor.Uint32:
		return tensor.Int64
	}
	return dt
}

// WidenIntegers makes a kernel on dt of one on [Wider](dt), so that fewer types need
// code: its inputs of dtype dt are converted, and so are the outputs of those numbers,
// of which the bits that dt has room for are kept. That changes no result of
// an operation that chooses among elements, or adds and multiplies them; it does where
// sums are divided, or where a result is the least number of the type.
func WidenIntegers(dt tensor.DType, k kernel.Kernel, outputs ...int) kernel.Kernel {
	w := widened{dt: dt, wide: Wider(dt), Kernel: k}
	for _, i := range outputs {
		w.outputs |= 1 << i
	}
	switch dt {
	case tensor.Int8:
		w.widen, w.narrow = convert[int8, int32], convert[int32, int8]
	case tensor.Int16:
		w.widen, w.narrow = convert[int16, int32], convert[int32, int16]
	case tensor.Uint8:
		w.widen, w.narrow = convert[uint8, int32], convert[int32, uint8]
	case tensor.Uint16:
		w.widen, w.narrow = convert[uint16, int32], convert[int32, uint16]
	case tensor.Uint32:
		w.widen, w.narrow = convert[uint32, int64], convert[int64, uint32]
	default:
		return k
	}
	return w
}

// WidenToInt64 is WidenIntegers for a kernel on int64, by way of which all integers of at
// most 32 bits are computed: for operations that programs seldom run on integers.
func WidenToInt64(dt tensor.DType, k kernel.Kernel, outputs ...int) kernel.Kernel {
	w := widened{dt: dt, wide: tensor.Int64, Kernel: k}
	for _, i := range outputs {
		w.outputs |= 1 << i
	}
	switch dt {
	case tensor.Int8:
		w.widen, w.narrow = convert[int8, int64], convert[int64, int8]
	case tensor.Int16:
		w.widen, w.narrow = convert[int16, int64], convert[int64, int16]
	case tensor.Int32:
		w.widen, w.narrow = convert[int32, int64], convert[int64, int32]
	case tensor.Uint8:
		w.widen, w.narrow = convert[uint8, int64], convert[int64, uint8]
	case tensor.Uint16:
		w.widen, w.narrow = convert[uint16, int64], convert[int64, uint16]
	case tensor.Uint32:
		w.widen, w.narrow = convert[uint32, int64], convert[int64, uint32]
	default:
		return k
	}
	return w
}

func convert[S, T Integer](o, x *tensor.Value, lo, hi int) {
	to := tensor.Of[T](o)[lo:hi]
	for i, x := range tensor.Of[S](x)[lo:hi] {
		to[i] = T(x)
	}
}

type widened struct {
	dt, wide      tensor.DType
	outputs       uint // a bit for each that is of dt, if it is of wide now
	widen, narrow func(o, x *tensor.Value, lo, hi int)
	kernel.Kernel
}

func (w widened) Run(ctx *kernel.Context, in, out []tensor.Value) error {
	wide := make([]tensor.Value, len(in))
	defer func() {
		for i := range wide {
			if in[i].DType() == w.dt && !wide[i].IsZero() {
				ctx.Free(wide[i])
			}
		}
	}()
	for i := range in {
		if in[i].DType() != w.dt {
			wide[i] = in[i]
			continue
		}
		v, err := ctx.Alloc(w.wide, in[i].Dims())
		if err != nil {
			return err
		}
		wide[i] = v
		ctx.Parallel(in[i].NumElements(), Grain, func(lo, hi int) { w.widen(&wide[i], &in[i], lo, hi) })
	}
	err := w.Kernel.Run(ctx, wide, out)
	for i := range in {
		if wide[i].IsZero() && in[i].DType() != w.dt {
			in[i] = tensor.Value{} // reused
		}
	}
	if err != nil {
		return err
	}
	for i := range out {
		if out[i].DType() != w.wide || w.outputs>>i&1 == 0 {
			continue
		}
		v, err := ctx.Alloc(w.dt, out[i].Dims())
		if err != nil {
			return err
		}
		ctx.Parallel(v.NumElements(), Grain, func(lo, hi int) { w.narrow(&v, &out[i], lo, hi) })
		passed := false // an input on its way through is freed above
		for j := range wide {
			passed = passed || wide[j] == out[i]
		}
		if !passed {
			ctx.Free(out[i])
		}
		out[i] = v
	}
	return nil
}
