package linalg

import (
	"math"
)

// reflect finds H = 1 - tau·v·vᴴ that takes x to (beta, 0, 0, ...) with a real
// beta, of the sign that x[0] does not have. x becomes v; v[0] is 1. If x is so
// already, H is 1. Golub and Van Loan, Matrix Computations, 5.1.
func reflect[T wide](ctx *context, x []T) (tau T, beta float64) {
	tail := squares(ctx, x[1:])
	first := x[0]
	if tail == 0 && first == of[T](realPart(first)) {
		x[0] = 1
		return 0, realPart(first)
	}
	beta = math.Sqrt(squares(ctx, x))
	if realPart(first) >= 0 {
		beta = -beta
	}
	scale(ctx, x[1:], 1/(first-of[T](beta)))
	x[0] = 1
	return conj((of[T](beta) - first) / of[T](beta)), beta
}

// reflectRows applies 1 - tau·v·vᴴ to the columns of a from the given one on,
// whose rows from first on are as many as v.
func reflectRows[T wide](ctx *context, a matrix[T], first, from int, v []T, tau T) {
	if tau == 0 {
		return
	}
	defer ctx.release(ctx.mark())
	w := temporary[T](ctx, a.cols-from) // vᴴ·a
	each := max(1, 1<<17/max(1, len(w)))
	for lo, hi := range ctx.Ranges(len(v), each) {
		for i, x := range v[lo:hi] {
			addTo(w, conj(x), a.row(first + lo + i)[from:])
		}
	}
	for lo, hi := range ctx.Ranges(len(v), each) {
		for i, x := range v[lo:hi] {
			addTo(a.row(first + lo + i)[from:], -tau*x, w)
		}
	}
}

// A reflections is the product H₀·H₁·…, of which reflection i leaves the first
// i+shift coordinates alone.
type reflections[T wide] struct {
	shift int
	v     [][]T
	tau   []T
	parts []compact[T] // of the first blocks, where they are known
}

// add appends the adjoint of 1 - tau·v·vᴴ. It keeps v.
func (r *reflections[T]) add(v []T, tau T) {
	r.v = append(r.v, v)
	r.tau = append(r.tau, conj(tau))
}

// applyTo replaces a by the product times a, in which columns before from are 0 where
// reflections change them.
func (r *reflections[T]) applyTo(ctx *context, a matrix[T], from func(first int) int) {
	for hi := len(r.v); hi > 0; {
		lo := (hi - 1) / block * block
		ctx.Ask()
		mark := ctx.mark()
		var w compact[T]
		if i := lo / block; i < len(r.parts) {
			w = r.parts[i]
		} else {
			w = r.compact(ctx, lo, hi)
		}
		w.applyTo(ctx, a, lo+r.shift, from(lo+r.shift), false)
		ctx.release(mark)
		hi = lo
	}
}

// A compact is the product 1 - Vᵀ·T·conj(V) of reflections: R. Schreiber and C. Van Loan,
// A storage-efficient WY representation for products of Householder transformations, 1989.
type compact[T wide] struct{ v, t matrix[T] }

// compact returns the product of reflections lo to hi, of what the first one leaves alone.
func (r *reflections[T]) compact(ctx *context, lo, hi int) (w compact[T]) {
	w.v, w.t = newMatrix[T](ctx, hi-lo, len(r.v[lo])), newMatrix[T](ctx, hi-lo, hi-lo)
	for i := range hi - lo {
		copy(w.v.row(i)[i:], r.v[lo+i])
	}
	defer ctx.release(ctx.mark())
	products := newMatrix[T](ctx, hi-lo, hi-lo) // of vectors with conjugated ones
	addProduct(ctx, false, true, hi-lo, hi-lo, w.v.cols, w.v.data, w.v.cols, w.conjugated(ctx), w.v.cols, products.data, hi-lo)
	for i := range hi - lo {
		ctx.Ask()
		tau := r.tau[lo+i]
		for j := range i {
			var sum T
			for k := j; k < i; k++ {
				sum += w.t.at(j, k) * products.at(i, k)
			}
			w.t.set(j, i, -tau*sum)
		}
		w.t.set(i, i, tau)
	}
	return w
}

// conjugated is conj(V).
func (w *compact[T]) conjugated(ctx *context) []T {
	if !isComplex[T]() {
		return w.v.data
	}
	v := w.v.clone(ctx)
	conjugate(ctx, v.data)
	return v.data
}

// applyTo replaces the columns of a from one on by the product, or its adjoint, times
// these, whose rows from first on it changes.
func (w *compact[T]) applyTo(ctx *context, a matrix[T], first, from int, adjoint bool) {
	count, cols := w.t.rows, a.cols-from
	if cols <= 0 {
		return
	}
	defer ctx.release(ctx.mark())
	left := w.conjugated(ctx)
	part := a.data[first*a.cols+from:]
	sums := newMatrix[T](ctx, count, cols)
	addProduct(ctx, false, false, count, cols, w.v.cols, left, w.v.cols, part, a.cols, sums.data, cols)
	t := newMatrix[T](ctx, count, count)
	for i := range count {
		for j := i; j < count; j++ {
			if adjoint {
				t.set(j, i, -conj(w.t.at(i, j)))
			} else {
				t.set(i, j, -w.t.at(i, j))
			}
		}
	}
	addProduct(ctx, true, false, w.v.cols, cols, count, w.v.data, w.v.cols, t.times(ctx, sums).data, cols, part, a.cols)
}

// triangularize replaces a by R of A = Q·R and gives Q. A panel of columns is reflected by
// itself, then all that is right of it by products.
func triangularize[T wide](ctx *context, a matrix[T]) (q reflections[T]) {
	for first := 0; first < min(a.rows, a.cols); first += block {
		width, rows := min(min(a.rows, a.cols)-first, block), a.rows-first
		columns := newMatrix[T](ctx, width, rows) // the panel's
		for lo, hi := range ctx.Ranges(rows, 1<<10) {
			for i := lo; i < hi; i++ {
				for j, x := range a.row(first + i)[first:][:width] {
					columns.data[j*rows+i] = x
				}
			}
		}
		for j := range width {
			ctx.Ask()
			v := columns.row(j)[j:]
			tau, beta := reflect(ctx, v)
			for i := j + 1; i < width && tau != 0; i++ {
				c := columns.row(i)[j:]
				if i*len(v) > 1<<17 {
					ctx.Ask()
				}
				addTo(c, -tau*inner(v, c), v)
			}
			for i, x := range columns.row(j)[:j] {
				a.set(first+i, first+j, x)
			}
			a.set(first+j, first+j, of[T](beta))
			for lo, hi := range ctx.Ranges(len(v)-1, 1<<15) {
				for i := lo; i < hi; i++ {
					a.set(first+j+1+i, first+j, 0)
				}
			}
			q.add(v, tau)
		}
		if from := first + width; from < a.cols {
			w := q.compact(ctx, first, from)
			w.applyTo(ctx, a, first, from, true)
			q.parts = append(q.parts, w)
		}
	}
	return q
}

// columns returns the first n columns of the product, of m rows.
func (r *reflections[T]) columns(ctx *context, m, n int) matrix[T] {
	q := newMatrix[T](ctx, m, n)
	for i := range min(m, n) {
		q.set(i, i, 1)
	}
	r.applyTo(ctx, q, func(first int) int { return first }) // still those of the identity
	return q
}
