package linalg

import (
	"math"
)

// cholesky replaces the lower triangle of a, which it takes for that of a
// positive definite matrix, by L of A = L·Lᴴ. It is false if it meets a pivot
// that is not positive. It goes by panels of columns, from which those before them are
// subtracted by one product.
func cholesky[T scalar](ctx *context, a matrix[T]) bool {
	n := a.rows
	defer ctx.release(ctx.mark())
	columns := temporary[T](ctx, min(n, block)*n) // of a panel, one after the other
	minus := temporary[T](ctx, min(n, block)*n)   // its rows of L before it, conjugated
	for first := 0; first < n; first += block {
		width, rows := min(n-first, block), n-first
		column := func(j int) []T { return columns[j*rows:][:rows] }
		ctx.Ask()
		for i := range rows {
			for j, x := range a.row(first + i)[first:][:min(width, i+1)] {
				columns[j*rows+i] = x
			}
		}
		for i := range width {
			negated(minus[i*first:][:first], a.row(first+i))
		}
		conjugate(ctx, minus[:width*first])
		addProduct(ctx, false, true, width, rows, first, minus, first, a.data[first*n:], n, columns, rows)
		for j := range width {
			ctx.Ask()
			c := column(j)
			for i := range j {
				left := column(i)
				addTo(c[j:], -conj(left[j]), left[j:])
			}
			pivot := realPart(c[j])
			if pivot <= 0 {
				return false
			}
			d := of[T](math.Sqrt(pivot))
			c[j] = d
			divide(c[j+1:], d)
		}
		ctx.Ask()
		for i := range rows {
			row := a.row(first + i)[first:][:min(width, i+1)]
			for j := range row {
				row[j] = columns[j*rows+i]
			}
		}
	}
	return true
}

// clearUpper sets what is above the diagonal to 0.
func clearUpper[T scalar](ctx *context, a matrix[T]) {
	for lo, hi := range ctx.Ranges(a.rows, 64) {
		for i := lo; i < hi; i++ {
			clear(a.row(i)[i+1:])
		}
	}
}

// choleskyGradient returns the gradient of A that follows from grad, that of L, of
// which the lower triangle counts: I. Murray, Differentiation of the Cholesky
// decomposition, 2016, equation 8.
func choleskyGradient[T scalar](ctx *context, l, grad matrix[T]) matrix[T] {
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
