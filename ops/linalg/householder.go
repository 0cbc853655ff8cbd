package linalg

import (
	"math"

	"github.com/troupe-go/troupe/kernel"
)

// reflect finds H = 1 - tau·v·vᴴ that takes x to (beta, 0, 0, ...) with a real
// beta, of the sign that x[0] does not have. x becomes v; v[0] is 1. If x is so
// already, H is 1. Golub and Van Loan, Matrix Computations, 5.1.
func reflect[T wide](ctx *kernel.Context, x []T) (tau T, beta float64) {
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
func reflectRows[T wide](ctx *kernel.Context, a matrix[T], first, from int, v []T, tau T) {
	if tau == 0 {
		return
	}
	w := make([]T, a.cols-from) // vᴴ·a
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
}

// add appends the adjoint of 1 - tau·v·vᴴ. It keeps v.
func (r *reflections[T]) add(v []T, tau T) {
	r.v = append(r.v, v)
	r.tau = append(r.tau, conj(tau))
}

// applyTo replaces a by the product times a.
func (r *reflections[T]) applyTo(ctx *kernel.Context, a matrix[T]) {
	for i := len(r.v) - 1; i >= 0; i-- {
		ctx.Ask()
		reflectRows(ctx, a, i+r.shift, 0, r.v[i], r.tau[i])
	}
}

// triangularize replaces a by R of A = Q·R and gives Q.
func triangularize[T wide](ctx *kernel.Context, a matrix[T]) (q reflections[T]) {
	for k := range min(a.rows, a.cols) {
		ctx.Ask()
		v := make([]T, a.rows-k)
		for lo, hi := range ctx.Ranges(len(v), 1<<15) {
			for i := lo; i < hi; i++ {
				v[i] = a.at(k+i, k)
			}
		}
		tau, beta := reflect(ctx, v)
		reflectRows(ctx, a, k, k+1, v, tau)
		for lo, hi := range ctx.Ranges(len(v), 1<<15) {
			for i := lo; i < hi; i++ {
				a.set(k+i, k, 0)
			}
		}
		a.set(k, k, of[T](beta))
		q.add(v, tau)
	}
	return q
}

// columns returns the first n columns of the product, of m rows.
func (r *reflections[T]) columns(ctx *kernel.Context, m, n int) matrix[T] {
	q := newMatrix[T](m, n)
	for i := range min(m, n) {
		q.set(i, i, 1)
	}
	r.applyTo(ctx, q)
	return q
}
