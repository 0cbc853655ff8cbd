package elementwise

import (
	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/tensor"
)

// Unary computes out[0], of dtype rt and in[0]'s shape, with the inner loop v,
// which sets o[i] from x[i] and may be given the same memory for both.
func Unary[T, R tensor.Element](ctx *kernel.Context, in, out []tensor.Value, rt tensor.DType, v func(o []R, x []T)) error {
	return unary(ctx, in, out, rt, Grain, v)
}

// unary is Unary in blocks of so many elements.
func unary[T, R tensor.Element](ctx *kernel.Context, in, out []tensor.Value, rt tensor.DType, grain int, v func(o []R, x []T)) error {
	x := tensor.Of[T](&in[0])
	w, err := ctx.ReuseOrAlloc(in, 0, rt, in[0].Dims())
	if err != nil {
		return err
	}
	out[0] = w
	o := tensor.Of[R](&out[0])
	if len(o) <= Grain {
		v(o, x)
		return nil
	}
	return blocks(ctx, len(o), grain, func(lo, hi int) { v(o[lo:hi], x[lo:hi]) })
}
