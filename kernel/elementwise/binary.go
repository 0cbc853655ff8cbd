package elementwise

import (
	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/tensor"
)

// Grain is the number of elements in a block of cheap arithmetic; a block is
// what one worker takes at a time.
const Grain = 1 << 15

// Binary computes out[0], of dtype rt, from in[0] and in[1] with broadcasting.
// check, if it is not nil, sees the second operand first, unless the result is
// empty, and refuses what the loops cannot take, such as a zero divisor.
func Binary(ctx *kernel.Context, in, out []tensor.Value, rt tensor.DType, l Pairwise, check func(y tensor.Memory) error) error {
	x, y := in[0].Memory(), in[1].Memory()
	n, m := x.Len(), y.Len()
	if tensor.SameShape(in[0], in[1]) {
		if err := refuse(check, y, n); err != nil {
			return err
		}
		v, err := result(ctx, in, rt, in[0].Dims())
		if err != nil {
			return err
		}
		out[0] = v
		return stretches(ctx, l, out[0].Memory(), x, y, n, RepeatsNone)
	}
	if m == 1 && in[1].Rank() <= in[0].Rank() {
		if err := refuse(check, y, n); err != nil {
			return err
		}
		v, err := ctx.ReuseOrAlloc(in, 0, rt, in[0].Dims())
		if err != nil {
			return err
		}
		out[0] = v
		return stretches(ctx, l, out[0].Memory(), x, y, n, RepeatsY)
	}
	if n == 1 && in[0].Rank() <= in[1].Rank() {
		if err := refuse(check, y, m); err != nil {
			return err
		}
		v, err := ctx.ReuseOrAlloc(in, 1, rt, in[1].Dims())
		if err != nil {
			return err
		}
		out[0] = v
		return stretches(ctx, l, out[0].Memory(), x, y, m, RepeatsX)
	}
	if m > 0 && m <= n && alone(l, n) && (m >= veryShortRow || n < fewElements) && isSuffix(in[1].Dims(), in[0].Dims()) {
		// A vector added to the rows of a small matrix, as a bias is.
		if err := refuse(check, y, n); err != nil {
			return err
		}
		v, err := result(ctx, in, rt, in[0].Dims())
		if err != nil {
			return err
		}
		out[0] = v
		o := out[0].Memory()
		for lo := 0; lo < n; lo += m {
			l.Pairs(o, x, y, Stretch{O: lo, X: lo, N: m})
		}
		return nil
	}
	return broadcast(ctx, in, out, rt, x, y, l, check)
}

// isSuffix reports whether a is what b ends with.
func isSuffix(a, b []int64) bool { return len(a) <= len(b) && equal(a, b[len(b)-len(a):]) }

// broadcast is Binary for shapes that need the whole machinery.
func broadcast(ctx *kernel.Context, in, out []tensor.Value, rt tensor.DType, x, y tensor.Memory, l Pairwise, check func(y tensor.Memory) error) error {
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
	if i := b.common(); i >= 0 && b.inner.n < veryShortRow && b.rows*b.inner.n >= fewElements && !in[i].DType().HasPointers() {
		return repeated(ctx, &b, out[0].Memory(), x, y, l, i, in[i].DType())
	}
	return rows(ctx, &b, out[0].Memory(), x, y, l)
}

func refuse(check func(y tensor.Memory) error, y tensor.Memory, n int) error {
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

// stretches computes n elements in blocks. It makes a closure only when there is
// more than one block: a small result costs no allocation but its own.
func stretches(ctx *kernel.Context, l Pairwise, o, x, y tensor.Memory, n int, r Repeats) error {
	if alone(l, n) {
		l.Pairs(o, x, y, Stretch{N: n, Repeats: r})
		return nil
	}
	return blocks(ctx, n, grainOf(l), func(lo, hi int) {
		s := Stretch{O: lo, X: lo, Y: lo, N: hi - lo, Repeats: r}
		switch r {
		case RepeatsX:
			s.X = 0
		case RepeatsY:
			s.Y = 0
		}
		l.Pairs(o, x, y, s)
	})
}

// slowGrain is Grain where each element is a call, which may take microseconds.
const slowGrain = Grain / 64

// alone reports whether so few elements are not worth sharing out.
func alone(l any, n int) bool {
	if n <= slowGrain || n > Grain {
		return n <= Grain
	}
	s, ok := l.(interface{ slow() bool })
	return !ok || !s.slow()
}

// grainOf is Grain, or less for loops that say so: over functions of which one call may
// take microseconds, a hundred at the worst.
func grainOf(l any) int {
	if z, ok := l.(interface{ grain() int }); ok {
		return z.grain()
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

func rows(ctx *kernel.Context, b *Broadcast, o, x, y tensor.Memory, l Pairwise) error {
	if alone(l, b.rows*b.inner.n) {
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

// repeats reports which operand the inner runs repeat.
func (b *Broadcast) repeats() Repeats {
	switch {
	case b.inner.x == 0:
		return RepeatsX
	case b.inner.y == 0:
		return RepeatsY
	}
	return RepeatsNone
}

// piece computes n elements of a run, from one on.
func piece(b *Broadcast, row, from, n int, o, x, y tensor.Memory, l Pairwise) {
	r := b.repeats()
	b.each(row, row+1, func(row, xi, yi int) {
		s := Stretch{O: row*b.inner.n + from, X: xi + from, Y: yi + from, N: n, Repeats: r}
		switch r {
		case RepeatsX:
			s.X = xi
		case RepeatsY:
			s.Y = yi
		}
		l.Pairs(o, x, y, s)
	})
}

// runs computes runs lo to hi-1.
func runs(b *Broadcast, lo, hi int, o, x, y tensor.Memory, l Pairwise) {
	n, r := b.inner.n, b.repeats()
	b.each(lo, hi, func(row, xi, yi int) {
		l.Pairs(o, x, y, Stretch{O: row * n, X: xi, Y: yi, N: n, Repeats: r})
	})
}
