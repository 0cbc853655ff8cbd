package elementwise

import (
	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/tensor"
)

// PrepareUnary is what [Unary] does, for [kernel.Preparer].
func PrepareUnary[T, R tensor.Element](in []tensor.Value, rt tensor.DType, v func(o []R, x []T)) (kernel.Prepared, bool) {
	return kernel.OneOut(rt, in[0].Dims(), func(_ *kernel.Context, in, out []tensor.Value) {
		v(tensor.Of[R](&out[0]), tensor.Of[T](&in[0]))
	})
}

// PrepareBinary is what [Binary] does, for [kernel.Preparer], where it needs at
// most a loop over rows.
func PrepareBinary[T, R tensor.Element](in []tensor.Value, rt tensor.DType, l Loops[T, R]) (kernel.Prepared, bool) {
	x, y := in[0], in[1]
	switch n := y.NumElements(); {
	case tensor.SameShape(x, y):
		return kernel.OneOut(rt, x.Dims(), func(_ *kernel.Context, in, out []tensor.Value) {
			l.VV(tensor.Of[R](&out[0]), tensor.Of[T](&in[0]), tensor.Of[T](&in[1]))
		})
	case n == 1 && y.Rank() <= x.Rank():
		return kernel.OneOut(rt, x.Dims(), func(_ *kernel.Context, in, out []tensor.Value) {
			l.VS(tensor.Of[R](&out[0]), tensor.Of[T](&in[0]), tensor.At0[T](&in[1]))
		})
	case x.NumElements() == 1 && x.Rank() <= y.Rank():
		return kernel.OneOut(rt, y.Dims(), func(_ *kernel.Context, in, out []tensor.Value) {
			l.SV(tensor.Of[R](&out[0]), tensor.At0[T](&in[0]), tensor.Of[T](&in[1]))
		})
	case n > 0 && isSuffix(y.Dims(), x.Dims()):
		return kernel.OneOut(rt, x.Dims(), func(_ *kernel.Context, in, out []tensor.Value) {
			o, x, y := tensor.Of[R](&out[0]), tensor.Of[T](&in[0]), tensor.Of[T](&in[1])
			for lo := 0; lo < len(o); lo += n {
				l.VV(o[lo:lo+n], x[lo:lo+n], y)
			}
		})
	}
	return kernel.Prepared{}, false
}

// Prepare makes a Map ready.
func (m *Map[T, R]) Prepare(in []tensor.Value, _ uint64) (kernel.Prepared, bool) {
	if m.Vector != nil {
		return PrepareUnary(in, m.Out, m.Vector)
	}
	return PrepareUnary(in, m.Out, m.each)
}

// Prepare makes a Zip ready that refuses nothing.
func (z *Zip[T, R]) Prepare(in []tensor.Value, _ uint64) (kernel.Prepared, bool) {
	if z.Check != nil {
		return kernel.Prepared{}, false
	}
	return PrepareBinary[T, R](in, z.Out, z)
}
