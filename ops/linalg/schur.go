package linalg

import (
	"math"
	"math/cmplx"
)

// schur finds the upper triangular T and the unitary U of A = U·T·Uᴴ. It
// overwrites a by T; without wanted there is no U. ok is false if a has elements
// that are not finite, or the iteration does not end.
//
// A is made a Hessenberg matrix by reflections, and triangular by QR steps with
// a shift. Golub and Van Loan, Matrix Computations, 7.4 and 7.5.
func schur(ctx *context, a matrix[complex128], wanted bool) (u matrix[complex128], ok bool) {
	n := a.rows
	if !a.finite(ctx) {
		return u, false
	}
	columns := matrix[complex128]{} // Uᵀ
	if wanted {
		columns = newMatrix[complex128](ctx, n, n)
	}
	mark := ctx.mark()
	q := hessenberg(ctx, a)
	if wanted {
		q.columns(ctx, n, n).transposeTo(ctx, columns)
	}
	ctx.release(mark)
	for steps, end := 0, n-1; end > 0; {
		if negligible(a, end-1) {
			end--
			steps = 0
			continue
		}
		ctx.Ask()
		if steps++; steps > 30*n+30 {
			return u, false
		}
		start := end - 1
		for start > 0 && !negligible(a, start-1) {
			start--
		}
		shift := wilkinson(a, end)
		if steps%10 == 0 {
			shift = complex(math.Abs(real(a.at(end, end-1))), 0)
			if end > 1 {
				shift += complex(math.Abs(real(a.at(end-1, end-2))), 0)
			}
		}
		x, y := a.at(start, start)-shift, a.at(start+1, start)
		for k := start; k < end; k++ {
			if k%32 == 31 {
				ctx.Ask()
			}
			g := newGivens(x, y)
			first := max(k-1, start)
			g.rows(a.row(k)[first:], a.row(k + 1)[first:])
			for i := range min(k+2, end) + 1 {
				row := a.row(i)
				row[k], row[k+1] = g.pair(row[k], row[k+1])
			}
			if wanted {
				for i, p := range columns.row(k) {
					columns.row(k)[i], columns.row(k + 1)[i] = g.pair(p, columns.row(k + 1)[i])
				}
			}
			if k > start {
				a.set(k+1, k-1, 0)
			}
			if k+1 < end {
				x, y = a.at(k+1, k), a.at(k+2, k)
			}
		}
	}
	for i := range n {
		clear(a.row(i)[:i])
	}
	return columns.transpose(ctx), true
}

// hessenberg replaces a by Qᴴ·A·Q, which is 0 below the diagonal under the main
// one.
func hessenberg[T wide](ctx *context, a matrix[T]) (q reflections[T]) {
	n := a.rows
	q.shift = 1
	for k := range n - 2 {
		ctx.Ask()
		v := temporary[T](ctx, n-k-1)
		for i := range v {
			v[i] = a.at(k+1+i, k)
		}
		tau, beta := reflect(ctx, v)
		reflectRows(ctx, a, k+1, k+1, v, tau)
		if tau != 0 { // A·Hᴴ
			for i := range n {
				if i%32 == 31 {
					ctx.Ask()
				}
				row := a.row(i)[k+1:]
				sum := dot(row, v)
				for j, x := range v {
					row[j] -= conj(tau) * sum * conj(x)
				}
			}
		}
		for i := range v {
			a.set(k+1+i, k, 0)
		}
		a.set(k+1, k, of[T](beta))
		q.add(v, tau)
	}
	return q
}

// size1 is |Re x| + |Im x|.
func size1(x complex128) float64 { return math.Abs(real(x)) + math.Abs(imag(x)) }

// negligible reports whether the element under the diagonal in column k counts
// nothing, and if so makes it 0.
func negligible(a matrix[complex128], k int) bool {
	if size1(a.at(k+1, k)) > 0x1p-52*(size1(a.at(k, k))+size1(a.at(k+1, k+1))) {
		return false
	}
	a.set(k+1, k, 0)
	return true
}

// wilkinson returns the eigenvalue of the 2×2 block that ends at (end, end) that is
// closer to its last element.
func wilkinson(a matrix[complex128], end int) complex128 {
	p, q, r, s := a.at(end-1, end-1), a.at(end-1, end), a.at(end, end-1), a.at(end, end)
	size := complex(cmplx.Abs(p)+cmplx.Abs(q)+cmplx.Abs(r)+cmplx.Abs(s), 0)
	if size == 0 {
		return 0
	}
	p, q, r, s = p/size, q/size, r/size, s/size
	root := cmplx.Sqrt((p-s)*(p-s) + 4*q*r)
	x, y := (p+s+root)/2, (p+s-root)/2
	// The smaller one cancels: it is the determinant divided by the other.
	if det := p*s - q*r; size1(x) > size1(y) {
		y = det / x
	} else if y != 0 {
		x = det / y
	}
	if size1(x-s) < size1(y-s) {
		return x * size
	}
	return y * size
}

// A givens is the rotation of a pair that takes (x, y) to (r, 0), with a real
// cosine of the sign of Re x.
type givens struct {
	c float64
	s complex128
}

func newGivens(x, y complex128) givens {
	p, q := cmplx.Abs(x), cmplx.Abs(y)
	switch {
	case q == 0:
		return givens{math.Copysign(1, real(x)), 0}
	case p == 0:
		return givens{0, -y / complex(q, 0)}
	}
	r := math.Copysign(math.Hypot(p, q), real(x))
	return givens{p / r, -y * cmplx.Conj(x) / complex(p*r, 0)}
}

// rows rotates two rows.
func (g givens) rows(x, y []complex128) {
	c, s, t := complex(g.c, 0), g.s, cmplx.Conj(g.s)
	for i, p := range x {
		q := y[i]
		x[i], y[i] = c*p-t*q, s*p+c*q
	}
}

// pair rotates the elements of two columns, by the adjoint.
func (g givens) pair(p, q complex128) (complex128, complex128) {
	c := complex(g.c, 0)
	return c*p - g.s*q, cmplx.Conj(g.s)*p + c*q
}

// eigenvectors returns the eigenvectors of u·t·uᴴ as columns of length 1, where t is
// triangular.
func eigenvectors(ctx *context, t, u matrix[complex128]) matrix[complex128] {
	n := t.rows
	size := t.largest(ctx)
	x := newMatrix[complex128](ctx, n, n) // of t
	for k := n - 1; k >= 0; k-- {
		ctx.Ask()
		x.set(k, k, 1)
		for i := k - 1; i >= 0; i-- {
			if i%32 == 31 {
				ctx.Ask()
			}
			sum := -t.at(i, k)
			for j := i + 1; j < k; j++ {
				sum -= t.at(i, j) * x.at(j, k)
			}
			gap := t.at(i, i) - t.at(k, k)
			if gap == 0 { // of a repeated eigenvalue, moved by a rounding error
				gap = complex(max(0x1p-52*size, 0x1p-1022), 0)
			}
			x.set(i, k, sum/gap)
		}
	}
	v := u.times(ctx, x)
	for k := range n {
		ctx.Ask()
		sum := 0.0
		for i := range n {
			sum = math.Hypot(sum, cmplx.Abs(v.at(i, k)))
		}
		for i := range n {
			v.set(i, k, v.at(i, k)/complex(sum, 0))
		}
	}
	return v
}
