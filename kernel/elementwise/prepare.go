package elementwise

import (
	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/tensor"
)

// Prepared returns a kernel made ready that sets the elements of its output from those
// of its first and its last input.
func Prepared[T, R tensor.Element](rt tensor.DType, dims []int64, f func(o []R, x, y []T)) (kernel.Prepared, bool) {
	p, ok := kernel.OneOut(rt, dims, func(_ *kernel.Context, in, out []tensor.Value) {
		f(tensor.Of[R](&out[0]), tensor.Of[T](&in[0]), tensor.Of[T](&in[len(in)-1]))
	})
	p.Floats, _ = any(f).(func(o, x, y []float32))
	return p, ok
}

// PrepareUnary returns what [Unary] does, for [kernel.Preparer].
func PrepareUnary[T, R tensor.Element](in []tensor.Value, rt tensor.DType, v func(o []R, x []T)) (kernel.Prepared, bool) {
	return Prepared(rt, in[0].Dims(), func(o []R, x, _ []T) { v(o, x) })
}

// PrepareBinary returns what [Binary] does, for [kernel.Preparer].
func PrepareBinary[T, R tensor.Element](in []tensor.Value, rt tensor.DType, l Loops[T, R]) (kernel.Prepared, bool) {
	x, y := in[0], in[1]
	switch n := y.NumElements(); {
	case tensor.SameShape(x, y), n == x.NumElements() && isSuffix(y.Dims(), x.Dims()):
		return Prepared(rt, x.Dims(), l.VV)
	case n == 1 && y.Rank() <= x.Rank():
		return Prepared(rt, x.Dims(), func(o []R, x, y []T) { l.VS(o, x, y[0]) })
	case x.NumElements() == 1 && x.Rank() <= y.Rank():
		return Prepared(rt, y.Dims(), func(o []R, x, y []T) { l.SV(o, x[0], y) })
	case n > 0 && isSuffix(y.Dims(), x.Dims()):
		return Prepared(rt, x.Dims(), func(o []R, x, y []T) {
			for lo := 0; lo < len(o); lo += n {
				l.VV(o[lo:lo+n], x[lo:lo+n], y)
			}
		})
	}
	b, err := NewBroadcast(x.Dims(), y.Dims())
	if err != nil {
		return kernel.Prepared{}, false
	}
	return Prepared(rt, b.Dims, func(o []R, x, y []T) { runs(b, 0, b.rows, o, x, y, l) })
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

type preparedOfOneSize struct {
	ofOneSize
	kernel kernel.Preparer
}

// Prepare makes the kernel ready for operands of one shape.
func (k preparedOfOneSize) Prepare(in []tensor.Value, constant uint64) (kernel.Prepared, bool) {
	for i := 1; i < len(in); i++ {
		if !tensor.SameShape(in[0], in[i]) {
			return kernel.Prepared{}, false
		}
	}
	return k.kernel.Prepare(in, constant)
}
