package linalg

import (
	"cmp"
	"math"
	"slices"

	"github.com/troupe-go/troupe/devices/cpu/vec"
	"github.com/troupe-go/troupe/sorted"
)

// singular finds the singular values of a, from the largest, and as columns of
// u and v the vectors, if they are wanted: as many as there are values, or, if full, all. Elements
// that are not finite make everything NaN. It overwrites a.
//
// The columns of the triangle of a, or of its adjoint, whichever is not broader
// than high, are rotated in pairs until all are orthogonal: M. Hestenes,
// Inversion of matrices by biorthogonalization, 1958; Golub and Van Loan, 8.6.3.
// Small singular values are as exact, relatively, as the columns allow, unless the
// rotations begin at eigenvectors (see precondition): then all are as exact as the
// greatest one. Vectors are orthogonal up to tolerance.
func singular[T wide](ctx *context, a matrix[T], wanted, full bool, tolerance float64) (s []float64, u, v matrix[T]) {
	if a.rows < a.cols {
		s, v, u = singular(ctx, a.adjoint(ctx), wanted, full, tolerance)
		return s, u, v
	}
	m, n := a.rows, a.cols
	width := n
	if full {
		width = m
	}
	if !a.finite(ctx) {
		u, v = newMatrix[T](ctx, m, width), newMatrix[T](ctx, n, n)
		u.fill(ctx, of[T](math.NaN()))
		v.fill(ctx, of[T](math.NaN()))
		s = temporary[float64](ctx, n)
		for i := range s {
			s[i] = math.NaN()
		}
		return s, u, v
	}
	size := a.largest(ctx)
	if size < 0x1p-1000 {
		size = 1 // its inverse would overflow
	}
	scale(ctx, a.data, of[T](1/size))
	if data, ok := any(a.data).([]float64); ok && !wanted && tolerance >= 0x1p-30 {
		if s = singularNumbers(ctx, matrix[float64]{m, n, data}); s != nil {
			for i := range s {
				s[i] *= size
			}
			return s, u, v
		}
	}
	var q reflections[T]
	if m > n {
		q = triangularize(ctx, a)
		a = matrix[T]{n, n, a.data[:n*n]}
	}
	conjugate(ctx, a.data)
	columns := a.adjoint(ctx) // one a row
	right := identity[T](ctx, n)
	done := false
	if data, ok := any(columns.data).([]float64); ok {
		done = precondition(ctx, matrix[float64]{n, n, data}, matrix[float64]{n, n, any(right.data).([]float64)}, tolerance)
	}
	if !done {
		orthogonalize(ctx, columns, right, tolerance)
	}
	s = temporary[float64](ctx, n)
	order := temporary[int](ctx, n)
	for j := range n {
		s[j], order[j] = math.Sqrt(squares(ctx, columns.row(j))), j
	}
	sorted.Stably(order, func(i, j int) int { return cmp.Compare(s[j], s[i]) })

	values := temporary[float64](ctx, n)
	u, v = newMatrix[T](ctx, m, width), newMatrix[T](ctx, n, n)
	rank := 0
	for to, j := range order {
		ctx.Ask()
		values[to] = s[j] * size
		for i, x := range right.row(j) {
			v.set(i, to, x)
		}
		if s[j] > 0 {
			rank++
			for i, x := range columns.row(j) {
				u.set(i, to, x/of[T](s[j]))
			}
		}
	}
	q.applyTo(ctx, u, func(int) int { return 0 })
	complete(ctx, u, rank)
	return values, u, v
}

// singularNumbers returns the singular values of a real matrix to 2⁻³⁰ of the greatest: the
// roots of the eigenvalues of the product of the matrix with itself; nil if they are not so
// exact, or few.
func singularNumbers(ctx *context, a matrix[float64]) (s []float64) {
	if a.cols < fewest || a.cols > 1<<7 {
		return nil
	}
	gram := gramian(ctx, a.transpose(ctx))
	if gram.data == nil {
		return nil
	}
	_, squares, ok := hermitianRows(ctx, gram, false)
	// The error of a square is that of the greatest times 2⁻⁵² and a.cols at most, and what it
	// does to the root the less the larger this is.
	if !ok || !(squares[0] > 0x1p-34*squares[a.cols-1]) {
		return nil
	}
	slices.Reverse(squares)
	for i, x := range squares {
		squares[i] = math.Sqrt(x)
	}
	return squares
}

// precondition replaces a by b·a for an orthogonal matrix b, the identity before, so that the
// rows are nearly orthogonal, the longest first. Where the product of lengths is small against
// the square of the largest they may be far from it. Rows that are rounding errors of the
// longest become 0.
//
// It does nothing for few rows, or such as differ much in length: then the short ones may
// be exact, and stay so only if long ones are not added to them and subtracted again.
// orthogonal reports whether nothing is left to do.
func precondition(ctx *context, a, b matrix[float64], tolerance float64) (orthogonal bool) {
	n := a.rows
	if n < fewest {
		return false
	}
	defer ctx.release(ctx.mark())
	gram := gramian(ctx, a)
	if gram.data == nil {
		return false
	}
	rows, _, ok := hermitianRows(ctx, gram, true)
	if !ok {
		return false
	}
	for i := range n { // in descending order
		copy(b.row(i), rows.row(n-1-i))
	}
	copy(a.data, b.times(ctx, a).data)
	vec.Gemm(ctx.Pool(), false, true, n, n, a.cols, a.data, a.cols, a.data, a.cols, gram.data, n)
	ctx.Ask()
	lengths := temporary[float64](ctx, n)
	least := 0.0
	for i := range n {
		lengths[i] = math.Sqrt(gram.at(i, i))
		if least = max(least, lengths[i]*0x1p-52*float64(n)); lengths[i] <= least {
			lengths[i] = 0
			clear(a.row(i))
		}
	}
	for i := range n {
		if i%32 == 31 {
			ctx.Ask()
		}
		limit := tolerance * lengths[i]
		for j, x := range gram.row(i)[:i] {
			if math.Abs(x) > limit*lengths[j] && lengths[i] > 0 && lengths[j] > 0 {
				return false
			}
		}
	}
	return true
}

// fewest is of how many rows at least rotations begin at eigenvectors.
const fewest = 12

// gramian returns the products of all rows, unless the lengths of these differ much.
func gramian(ctx *context, a matrix[float64]) matrix[float64] {
	const different = 1 << 20 // squared
	n := a.rows
	gram := newMatrix[float64](ctx, n, n)
	vec.Gemm(ctx.Pool(), false, true, n, n, a.cols, a.data, a.cols, a.data, a.cols, gram.data, n)
	ctx.Ask()
	least, most := math.Inf(1), 0.0
	for i := range n {
		least, most = min(least, gram.at(i, i)), max(most, gram.at(i, i))
	}
	if !(most < different*least) {
		return matrix[float64]{}
	}
	return gram
}

// orthogonalize rotates the rows of a, and with them those of b, until the cosines of all
// pairs are at most the tolerance.
func orthogonalize[T wide](ctx *context, a, b matrix[T], tolerance float64) {
	if data, ok := any(a.data).([]float64); ok {
		orthogonalizeReal(ctx, matrix[float64]{a.rows, a.cols, data}, matrix[float64]{b.rows, b.cols, any(b.data).([]float64)}, tolerance)
		return
	}
	defer ctx.release(ctx.mark())
	norms := temporary[float64](ctx, a.rows) // squared, of the rows
	each := max(1, 1<<15/max(1, a.cols))
	for sweep, again := 0, true; again && sweep < 60; sweep++ {
		again = false
		for i := range norms {
			norms[i] = squares(ctx, a.row(i))
		}
		for i := range a.rows {
			for j := i + 1; j < a.rows; j++ {
				if (j-i)%each == 0 {
					ctx.Ask()
				}
				g := inner(a.row(i), a.row(j))
				size := abs(g)
				if size <= tolerance*math.Sqrt(norms[i])*math.Sqrt(norms[j]) || size < 0x1p-1000 {
					continue
				}
				again = true
				phase := conj(g / of[T](size)) // of row j, against row i
				zeta := (norms[j] - norms[i]) / (2 * size)
				t := math.Copysign(1/(math.Abs(zeta)+math.Hypot(1, zeta)), zeta)
				c := 1 / math.Hypot(1, t)
				rotate(a.row(i), a.row(j), of[T](c), of[T](c*t), phase)
				rotate(b.row(i), b.row(j), of[T](c), of[T](c*t), phase)
				norms[i] = max(0, norms[i]-t*size)
				norms[j] = max(0, norms[j]+t*size)
			}
		}
	}
}

// orthogonalizeReal is orthogonalize for real numbers.
func orthogonalizeReal(ctx *context, a, b matrix[float64], tolerance float64) {
	defer ctx.release(ctx.mark())
	norms := temporary[float64](ctx, a.rows) // squared, of the rows
	each := max(1, 1<<15/max(1, a.cols))
	for sweep, again := 0, true; again && sweep < 60; sweep++ {
		again = false
		for i := range norms {
			norms[i] = vec.Dot(a.row(i), a.row(i))
		}
		for i := range a.rows {
			x := a.row(i)
			for j := i + 1; j < a.rows; j++ {
				if (j-i)%each == 0 {
					ctx.Ask()
				}
				y := a.row(j)
				g := vec.Dot(x, y)
				size := math.Abs(g)
				if size <= tolerance*math.Sqrt(norms[i])*math.Sqrt(norms[j]) || size < 0x1p-1000 {
					continue
				}
				again = true
				t := tangent(norms[j]-norms[i], size)
				c := 1 / math.Sqrt(1+t*t)
				s := math.Copysign(c, g) * t
				vec.Rotate(x, y, c, s)
				vec.Rotate(b.row(i), b.row(j), c, s)
				norms[i] = max(0, norms[i]-t*size)
				norms[j] = max(0, norms[j]+t*size)
			}
		}
	}
}

// tangent returns the smaller solution t of t² + t·difference/size = 1, of the sign of the
// difference.
func tangent(difference, size float64) float64 {
	if square := difference*difference + 4*size*size; square > 0x1p-900 {
		return 2 * size / (difference + math.Copysign(math.Sqrt(square), difference))
	}
	zeta := difference / (2 * size)
	return math.Copysign(1/(math.Abs(zeta)+math.Hypot(1, zeta)), zeta)
}

// rotate makes (x, y) the pair (c·x - s·phase·y, s·x + c·phase·y).
func rotate[T wide](x, y []T, c, s, phase T) {
	cp, sp := c*phase, s*phase
	for i, p := range x {
		q := y[i]
		x[i], y[i] = c*p-sp*q, s*p+cp*q
	}
}

// inner is Σ conj(x[i])·y[i].
func inner[T wide](x, y []T) T {
	switch x := any(x).(type) {
	case []complex128:
		y := any(y).([]complex128)
		var re, im float64
		for i, p := range x {
			q := y[i]
			re += real(p)*real(q) + imag(p)*imag(q)
			im += real(p)*imag(q) - imag(p)*real(q)
		}
		return any(complex(re, im)).(T)
	}
	return dot(x, y)
}

// complete fills the columns of u behind the first rank ones, which are
// orthonormal, so that all are.
func complete[T wide](ctx *context, u matrix[T], rank int) {
	if rank == u.cols {
		return
	}
	defer ctx.release(ctx.mark())
	part := newMatrix[T](ctx, u.rows, rank)
	for i := range u.rows {
		copy(part.row(i), u.row(i))
	}
	q := triangularize(ctx, part)
	all := q.columns(ctx, u.rows, u.cols)
	for i := range u.rows {
		copy(u.row(i)[rank:], all.row(i)[rank:])
	}
}
