package elementwise

import (
	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/tensor"
)

// Grain is the number of elements in a block of cheap arithmetic; a block is
// what one worker takes at a time.
const Grain = 1 << 15

// Loops are the inner loops of an operation on two operands. o has as many
// elements as every vector among the others, and may be one of them.
type Loops[T, R tensor.Element] interface {
	VV(o []R, x, y []T)   // o[i] = x[i] ∘ y[i]
	VS(o []R, x []T, y T) // o[i] = x[i] ∘ y
	SV(o []R, x T, y []T) // o[i] = x ∘ y[i]
}

// Binary computes out[0], of dtype rt, from in[0] and in[1] with broadcasting.
// check, if it is not nil, sees the second operand first, unless the result is
// empty, and refuses what the loops cannot take, such as a zero divisor.
func Binary[T, R tensor.Element](ctx *kernel.Context, in, out []tensor.Value, rt tensor.DType, l Loops[T, R], check func(y []T) error) error {
	x, y := tensor.Of[T](&in[0]), tensor.Of[T](&in[1])
	if tensor.SameShape(in[0], in[1]) {
		if err := refuse(check, y, len(x)); err != nil {
			return err
		}
		v, err := result(ctx, in, rt, in[0].Dims())
		if err != nil {
			return err
		}
		out[0] = v
		return vv(ctx, tensor.Of[R](&out[0]), x, y, l)
	}
	if len(y) == 1 && in[1].Rank() <= in[0].Rank() {
		if err := refuse(check, y, len(x)); err != nil {
			return err
		}
		v, err := ctx.ReuseOrAlloc(in, 0, rt, in[0].Dims())
		if err != nil {
			return err
		}
		out[0] = v
		return vs(ctx, tensor.Of[R](&out[0]), x, y[0], l)
	}
	if len(x) == 1 && in[0].Rank() <= in[1].Rank() {
		if err := refuse(check, y, len(y)); err != nil {
			return err
		}
		v, err := ctx.ReuseOrAlloc(in, 1, rt, in[1].Dims())
		if err != nil {
			return err
		}
		out[0] = v
		return sv(ctx, tensor.Of[R](&out[0]), x[0], y, l)
	}
	if n := len(y); n > 0 && n <= len(x) && len(x) <= Grain && isSuffix(in[1].Dims(), in[0].Dims()) {
		// A vector added to the rows of a small matrix, as a bias is.
		if err := refuse(check, y, len(x)); err != nil {
			return err
		}
		v, err := result(ctx, in, rt, in[0].Dims())
		if err != nil {
			return err
		}
		out[0] = v
		o := tensor.Of[R](&out[0])
		for lo := 0; lo < len(x); lo += n {
			l.VV(o[lo:lo+n], x[lo:lo+n], y)
		}
		return nil
	}
	return broadcast(ctx, in, out, rt, x, y, l, check)
}

// isSuffix reports whether a is what b ends with.
func isSuffix(a, b []int64) bool { return len(a) <= len(b) && equal(a, b[len(b)-len(a):]) }

// broadcast is Binary for shapes that need the whole machinery.
func broadcast[T, R tensor.Element](ctx *kernel.Context, in, out []tensor.Value, rt tensor.DType, x, y []T, l Loops[T, R], check func(y []T) error) error {
	b := Broadcast{rows: 1}
	if err := b.align(in[0].Dims(), in[1].Dims()); err != nil {
		return err
	}
	if err := refuse(check, y, b.rows); err != nil {
		return err
	}
	v, err := result(ctx, in, rt, b.Dims)
	if err != nil {
		return err
	}
	out[0] = v
	return rows(ctx, &b, tensor.Of[R](&out[0]), x, y, l)
}

func refuse[T tensor.Element](check func(y []T) error, y []T, n int) error {
	if check == nil || n == 0 {
		return nil
	}
	return check(y)
}

// result returns a buffer for the result: that of an operand which has its shape,
// so that every element is read before it is written.
func result(ctx *kernel.Context, in []tensor.Value, rt tensor.DType, dims []int64) (tensor.Value, error) {
	for i := range in[:2] {
		if v := &in[i]; v.DType() == rt && !v.Shared() && equal(v.Dims(), dims) {
			if w, ok := ctx.Reuse(in, i); ok {
				return w, nil
			}
		}
	}
	return ctx.Alloc(rt, dims)
}

func equal(a, b []int64) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return true
}

// The functions below make their closures only when there is more than one
// block: a small result costs no allocation but its own.

func vv[T, R tensor.Element](ctx *kernel.Context, o []R, x, y []T, l Loops[T, R]) error {
	if len(o) <= Grain {
		l.VV(o, x, y)
		return nil
	}
	return blocks(ctx, len(o), grainOf(l), func(lo, hi int) { l.VV(o[lo:hi], x[lo:hi], y[lo:hi]) })
}

func vs[T, R tensor.Element](ctx *kernel.Context, o []R, x []T, y T, l Loops[T, R]) error {
	if len(o) <= Grain {
		l.VS(o, x, y)
		return nil
	}
	return blocks(ctx, len(o), grainOf(l), func(lo, hi int) { l.VS(o[lo:hi], x[lo:hi], y) })
}

func sv[T, R tensor.Element](ctx *kernel.Context, o []R, x T, y []T, l Loops[T, R]) error {
	if len(o) <= Grain {
		l.SV(o, x, y)
		return nil
	}
	return blocks(ctx, len(o), grainOf(l), func(lo, hi int) { l.SV(o[lo:hi], x, y[lo:hi]) })
}

// grainOf is Grain, or less for loops that say so: over functions of which one call may
// take microseconds, a hundred at the worst.
func grainOf[T, R tensor.Element](l Loops[T, R]) int {
	if z, ok := l.(interface{ slow() bool }); ok && z.slow() {
		return Grain / 64
	}
	return Grain
}

// blocks shares out n elements in blocks of so many, and stops early with the step.
func blocks(ctx *kernel.Context, n, grain int, f func(lo, hi int)) error {
	ctx.Parallel(n, grain, func(lo, hi int) { // of many elements these are many blocks
		for at := lo; at < hi && ctx.Err() == nil; at += grain {
			f(at, min(at+grain, hi))
		}
	})
	return ctx.Err()
}

func rows[T, R tensor.Element](ctx *kernel.Context, b *Broadcast, o []R, x, y []T, l Loops[T, R]) error {
	if b.rows*b.inner.n <= Grain {
		runs(b, 0, b.rows, o, x, y, l)
		return nil
	}
	c, grain := *b, grainOf(l)
	if n := c.inner.n; n > grain { // pieces of runs
		per := (n-1)/grain + 1
		ctx.Parallel(c.rows*per, 1, func(lo, hi int) {
			for at := lo; at < hi && ctx.Err() == nil; at++ {
				row, from := at/per, at%per*grain
				piece(&c, row, from, min(n-from, grain), o, x, y, l)
			}
		})
		return ctx.Err()
	}
	some := max(1, grain/c.inner.n)
	ctx.Parallel(c.rows, some, func(lo, hi int) {
		for at := lo; at < hi && ctx.Err() == nil; at += some {
			runs(&c, at, min(at+some, hi), o, x, y, l)
		}
	})
	return ctx.Err()
}

// piece computes n elements of a run, from one on.
func piece[T, R tensor.Element](b *Broadcast, row, from, n int, o []R, x, y []T, l Loops[T, R]) {
	b.each(row, row+1, func(row, xi, yi int) {
		switch o := o[row*b.inner.n+from:][:n]; {
		case b.inner.x == 0:
			l.SV(o, x[xi], y[yi+from:][:n])
		case b.inner.y == 0:
			l.VS(o, x[xi+from:][:n], y[yi])
		default:
			l.VV(o, x[xi+from:][:n], y[yi+from:][:n])
		}
	})
}

// runs computes runs lo to hi-1.
func runs[T, R tensor.Element](b *Broadcast, lo, hi int, o []R, x, y []T, l Loops[T, R]) {
	n := b.inner.n
	b.each(lo, hi, func(row, xi, yi int) {
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
