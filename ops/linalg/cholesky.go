package linalg

import (
	"math"

	"github.com/troupe-go/troupe/kernel"
)

// cholesky replaces the lower triangle of a, which it takes for that of a
// positive definite matrix, by L of A = L·Lᴴ. It is false if it meets a pivot
// that is not positive.
func cholesky[T scalar](ctx *kernel.Context, a matrix[T]) bool {
	left := make([]T, a.rows) // the row of L, conjugated
	for j := range a.rows {
		ctx.Ask()
		row := a.row(j)
		copy(left, row[:j])
		conjugate(ctx, left[:j])
		pivot := realPart(row[j] - dot(row[:j], left[:j]))
		if pivot <= 0 {
			return false
		}
		d := of[T](math.Sqrt(pivot))
		row[j] = d
		each := 1 << 16 / (j + 1)
		for i := j + 1; i < a.rows; i++ {
			if (i-j)%(each+1) == 0 {
				ctx.Ask()
			}
			below := a.row(i)
			below[j] = (below[j] - dot(below[:j], left[:j])) / d
		}
	}
	return true
}

// clearUpper sets what is above the diagonal to 0.
func clearUpper[T scalar](ctx *kernel.Context, a matrix[T]) {
	for lo, hi := range ctx.Ranges(a.rows, 64) {
		for i := lo; i < hi; i++ {
			clear(a.row(i)[i+1:])
		}
	}
}

// choleskyGradient returns the gradient of A that follows from grad, that of L, of
// which the lower triangle counts: I. Murray, Differentiation of the Cholesky
// decomposition, 2016, equation 8.
func choleskyGradient[T scalar](ctx *kernel.Context, l, grad matrix[T]) matrix[T] {
	n := l.rows
	clearUpper(ctx, l)
	clearUpper(ctx, grad)
	adjoint := l.adjoint(ctx)
	s := adjoint.times(ctx, grad)
	for i := range n { // the lower half of s, mirrored
		ctx.Ask()
		for j := range i {
			s.set(j, i, conj(s.at(i, j)))
		}
	}
	// L⁻ᴴ·S·L⁻¹ / 2, one side after the other; s is its own adjoint.
	substitute(ctx, adjoint, s, false, false)
	g := s.adjoint(ctx)
	substitute(ctx, adjoint, g, false, false)
	for lo, hi := range ctx.Ranges(len(g.data), 1<<16) {
		scale(ctx, g.data[lo:hi], 0.5)
	}
	return g
}
