package elementwise

import (
	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/tensor"
)

// Unary computes out[0], of dtype rt and in[0]'s shape, with the inner loop l,
// which may be given the same memory for both.
func Unary(ctx *kernel.Context, in, out []tensor.Value, rt tensor.DType, l Each) error {
	x := in[0].Memory()
	w, err := ctx.ReuseOrAlloc(in, 0, rt, in[0].Dims())
	if err != nil {
		return err
	}
	out[0] = w
	o, n := out[0].Memory(), x.Len()
	if alone(l, n) { // it costs no closure
		l.Each(o, x, 0, 0, n)
		return nil
	}
	return blocks(ctx, n, grainOf(l), func(lo, hi int) { l.Each(o, x, lo, lo, hi-lo) })
}
