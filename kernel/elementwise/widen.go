package elementwise

import (
	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/tensor"
)

// Widen makes a kernel on dt, half or bfloat16, of one on float32: its inputs
// of dtype dt are converted, and its outputs of float32 are rounded.
func Widen(dt tensor.DType, k kernel.Kernel) kernel.Kernel { return widened{dt, k} }

type widened struct {
	dt tensor.DType
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
		v, err := ctx.Alloc(tensor.Float, in[i].Dims())
		if err != nil {
			return err
		}
		wide[i] = v
		ctx.Parallel(in[i].NumElements(), Grain, func(lo, hi int) { FromNarrow(tensor.Of[float32](&wide[i])[lo:hi], &in[i], lo) })
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
		if out[i].DType() != tensor.Float {
			continue
		}
		v, err := ctx.Alloc(w.dt, out[i].Dims())
		if err != nil {
			return err
		}
		ctx.Parallel(v.NumElements(), Grain, func(lo, hi int) { ToNarrow(&v, lo, tensor.Of[float32](&out[i])[lo:hi]) })
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
