package nn

import (
	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/kernel/strided"
	"github.com/troupe-go/troupe/shape"
	"github.com/troupe-go/troupe/tensor"
)

// Kernels compute with channels last. Tensors with channels first are turned
// around before and after.

// lastPerm is, for each dimension of a tensor with channels last, the one of
// format f that it is.
func lastPerm(f shape.Format) []int {
	perm := []int{f.Batch}
	for i := range f.Dims {
		perm = append(perm, f.Spatial+i)
	}
	return append(perm, f.Channel)
}

// inverse returns the permutation that undoes perm.
func inverse(perm []int) []int {
	inv := make([]int, len(perm))
	for i, p := range perm {
		inv[p] = i
	}
	return inv
}

// permuted is v with dimension perm[i] in place i, in memory of its own.
func permuted(ctx *kernel.Context, v *tensor.Value, perm []int) (tensor.Value, error) {
	dims := make([]int64, len(perm))
	for i, p := range perm {
		dims[i] = v.Dims()[p]
	}
	w, err := ctx.Alloc(v.DType(), dims)
	if err != nil {
		return w, err
	}
	return w, strided.Copy(ctx, &w, strided.Whole(w), v, strided.Whole(*v).Permute(perm))
}

// channelsLast makes a kernel for tensors in format f of one for tensors with
// channels last: the inputs and outputs that have the rank of f are turned
// around, but for those of whose places, inputs first, fixed has a bit. k must not
// reuse its inputs.
//
//go:noinline
func channelsLast(f shape.Format, k kernel.Kernel, fixed uint) kernel.Kernel {
	if f.Channel == f.Rank()-1 {
		return k
	}
	perm := lastPerm(f)
	return kernel.Func(func(ctx *kernel.Context, in, out []tensor.Value) error {
		turned := make([]tensor.Value, len(in))
		copied := make([]bool, len(in))
		defer func() {
			for i, v := range turned {
				if copied[i] {
					ctx.Free(v)
				}
			}
		}()
		for i := range in {
			turned[i] = in[i]
			if in[i].Rank() != len(perm) || fixed>>i&1 == 1 {
				continue
			}
			v, err := permuted(ctx, &in[i], perm)
			if err != nil {
				return err
			}
			turned[i], copied[i] = v, true
		}
		if err := k.Run(ctx, turned, out); err != nil {
			return err
		}
		for i := range out {
			if out[i].Rank() != len(perm) || fixed>>(len(in)+i)&1 == 1 {
				continue
			}
			v, err := permuted(ctx, &out[i], inverse(perm))
			if err != nil {
				return err
			}
			ctx.Free(out[i])
			out[i] = v
		}
		return nil
	})
}
