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
func PrepareUnary(in []tensor.Value, rt tensor.DType, l Each) (kernel.Prepared, bool) {
	n := in[0].NumElements()
	p, ok := kernel.OneOut(rt, in[0].Dims(), func(_ *kernel.Context, in, out []tensor.Value) {
		l.Each(out[0].Memory(), in[0].Memory(), 0, 0, n)
	})
	if f, isFloat := l.(Loop[float32, float32]); isFloat {
		p.Floats = func(o, x, _ []float32) { f.V(o, x) }
	}
	return p, ok
}

// PrepareBinary returns what [Binary] does, for [kernel.Preparer].
func PrepareBinary(in []tensor.Value, rt tensor.DType, l Pairwise) (kernel.Prepared, bool) {
	x, y := in[0], in[1]
	f, isFloat := l.(Loops[float32, float32])
	switch n := y.NumElements(); {
	case tensor.SameShape(x, y), n == x.NumElements() && isSuffix(y.Dims(), x.Dims()):
		p, ok := preparedPairs(rt, x.Dims(), l, Stretch{N: n})
		if isFloat {
			p.Floats = f.VV
		}
		return p, ok
	case n == 1 && y.Rank() <= x.Rank():
		p, ok := preparedPairs(rt, x.Dims(), l, Stretch{N: x.NumElements(), Repeats: RepeatsY})
		if isFloat {
			p.Floats = func(o, x, y []float32) { f.VS(o, x, y[0]) }
		}
		return p, ok
	case x.NumElements() == 1 && x.Rank() <= y.Rank():
		p, ok := preparedPairs(rt, y.Dims(), l, Stretch{N: n, Repeats: RepeatsX})
		if isFloat {
			p.Floats = func(o, x, y []float32) { f.SV(o, x[0], y) }
		}
		return p, ok
	case n > 0 && isSuffix(y.Dims(), x.Dims()):
		p, ok := kernel.OneOut(rt, x.Dims(), func(_ *kernel.Context, in, out []tensor.Value) {
			o, x, y := out[0].Memory(), in[0].Memory(), in[1].Memory()
			for lo := 0; lo < o.Len(); lo += n {
				l.Pairs(o, x, y, Stretch{O: lo, X: lo, N: n})
			}
		})
		if isFloat {
			p.Floats = func(o, x, y []float32) {
				for lo := 0; lo < len(o); lo += n {
					f.VV(o[lo:lo+n], x[lo:lo+n], y)
				}
			}
		}
		return p, ok
	}
	b, err := NewBroadcast(x.Dims(), y.Dims())
	if err != nil {
		return kernel.Prepared{}, false
	}
	p, ok := kernel.OneOut(rt, b.Dims, func(_ *kernel.Context, in, out []tensor.Value) {
		runs(b, 0, b.rows, out[0].Memory(), in[0].Memory(), in[1].Memory(), l)
	})
	if isFloat {
		p.Floats = func(o, x, y []float32) { runsOf(b, o, x, y, f) }
	}
	return p, ok
}

// preparedPairs returns a result that is one stretch.
func preparedPairs(rt tensor.DType, dims []int64, l Pairwise, s Stretch) (kernel.Prepared, bool) {
	return kernel.OneOut(rt, dims, func(_ *kernel.Context, in, out []tensor.Value) {
		l.Pairs(out[0].Memory(), in[0].Memory(), in[1].Memory(), s)
	})
}

// runsOf is runs on elements at hand.
func runsOf(b *Broadcast, o, x, y []float32, l Loops[float32, float32]) {
	n := b.inner.n
	b.each(0, b.rows, func(row, xi, yi int) {
		switch o := o[row*n : (row+1)*n]; {
		case b.inner.x == 0:
			l.SV(o, x[xi], y[yi:yi+n])
		case b.inner.y == 0:
			l.VS(o, x[xi:xi+n], y[yi])
		default:
			l.VV(o, x[xi:xi+n], y[yi:yi+n])
		}
	})
}

// Prepare makes a Map ready.
func (m *Map[T, R]) Prepare(in []tensor.Value, _ uint64) (kernel.Prepared, bool) {
	p, ok := PrepareUnary(in, m.Out, m)
	if v, isFloat := any(m.Vector).(func(o, x []float32)); isFloat && v != nil {
		p.Floats = func(o, x, _ []float32) { v(o, x) }
	}
	return p, ok
}

// Prepare makes a Zip ready that refuses nothing.
func (z *Zip[T, R]) Prepare(in []tensor.Value, _ uint64) (kernel.Prepared, bool) {
	if z.Check != nil {
		return kernel.Prepared{}, false
	}
	return PrepareBinary(in, z.Out, z)
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
