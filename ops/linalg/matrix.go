package linalg

import (
	"iter"
	"math"
	"math/cmplx"

	"github.com/troupe-go/troupe/devices/cpu/vec"
	"github.com/troupe-go/troupe/kernel/elementwise"
)

// A scalar is what matrices are computed in. Halves are computed in float32.
type scalar = elementwise.Field

// A wide scalar is what decompositions by iteration are computed in.
type wide interface{ float64 | complex128 }

// A matrix has its elements row by row.
type matrix[T scalar] struct {
	rows, cols int
	data       []T
}

func (a matrix[T]) row(i int) []T { return a.data[i*a.cols : (i+1)*a.cols] }

func (a matrix[T]) at(i, j int) T { return a.data[i*a.cols+j] }

func (a matrix[T]) set(i, j int, x T) { a.data[i*a.cols+j] = x }

func (a matrix[T]) clone(ctx *context) matrix[T] {
	b := newMatrix[T](ctx, a.rows, a.cols)
	for lo, hi := range ctx.Ranges(len(a.data), 1<<15) {
		copy(b.data[lo:hi], a.data[lo:hi])
	}
	return b
}

func (a matrix[T]) swapRows(i, j int) {
	x, y := a.row(i), a.row(j)
	for k := range x {
		x[k], y[k] = y[k], x[k]
	}
}

// adjoint returns the conjugate transpose.
func (a matrix[T]) adjoint(ctx *context) matrix[T] {
	b := a.transpose(ctx)
	conjugate(ctx, b.data)
	return b
}

// pieces are the elements of x, so many at a time as take some 100 µs; it asks in
// between.
func pieces[T scalar](ctx *context, x []T) iter.Seq[[]T] {
	return func(yield func([]T) bool) {
		for lo, hi := range ctx.Ranges(len(x), 1<<15) {
			if !yield(x[lo:hi]) {
				return
			}
		}
	}
}

func (a matrix[T]) transpose(ctx *context) matrix[T] {
	b := newMatrix[T](ctx, a.cols, a.rows)
	a.transposeTo(ctx, b)
	return b
}

// transposeTo goes by squares, of which both sides stay in the cache.
func (a matrix[T]) transposeTo(ctx *context, b matrix[T]) {
	const side = 32
	for top := 0; top < a.rows; top += side {
		if top > 0 {
			ctx.Ask()
		}
		bottom := min(a.rows-top, side) + top
		for left, right := range ctx.Ranges(a.cols, side<<6) {
			for ; left < right; left += side {
				for i := top; i < bottom; i++ {
					for j, x := range a.row(i)[left : min(right-left, side)+left] {
						b.data[(left+j)*b.cols+i] = x
					}
				}
			}
		}
	}
}

// times is a·b.
func (a matrix[T]) times(ctx *context, b matrix[T]) matrix[T] {
	c := newMatrix[T](ctx, a.rows, b.cols)
	a.multiply(ctx, b, c)
	return c
}

// multiply sets c to a·b.
func (a matrix[T]) multiply(ctx *context, b, c matrix[T]) {
	if len(c.data) > 0 {
		vec.Gemm(ctx.Pool(), false, false, a.rows, b.cols, a.cols, a.data, a.cols, b.data, b.cols, c.data, c.cols)
		ctx.Ask() // the pool leaves out the rest where the step has ended
	}
}

// finite reports whether no element is infinite or NaN.
func (a matrix[T]) finite(ctx *context) bool {
	for piece := range pieces(ctx, a.data) {
		for _, x := range piece {
			if x-x != 0 {
				return false
			}
		}
	}
	return true
}

// largest returns the greatest absolute value of an element; all are finite.
func (a matrix[T]) largest(ctx *context) float64 {
	most := 0.0
	for piece := range pieces(ctx, a.data) {
		if piece, ok := any(piece).([]float64); ok {
			for _, x := range piece {
				if x = math.Abs(x); x > most {
					most = x
				}
			}
			continue
		}
		for _, x := range piece {
			most = max(most, abs(x))
		}
	}
	return most
}

func (a matrix[T]) fill(ctx *context, x T) {
	for piece := range pieces(ctx, a.data) {
		for i := range piece {
			piece[i] = x
		}
	}
}

// addTo adds x·b to a.
func addTo[T scalar](a []T, x T, b []T) {
	switch a := any(a).(type) {
	case []float32:
		vec.AddScaled(a, any(x).(float32), any(b).([]float32))
		return
	case []float64:
		vec.AddScaled(a, any(x).(float64), any(b).([]float64))
		return
	}
	for i, y := range b[:len(a)] {
		a[i] += x * y
	}
}

// addProduct adds op(A)·B to C, the products of as many columns of A as k: see [vec.GemmAdd].
func addProduct[T scalar](ctx *context, transA, transB bool, m, n, k int, a []T, lda int, b []T, ldb int, c []T, ldc int) {
	if m > 0 && n > 0 && k > 0 {
		vec.GemmAdd(ctx.Pool(), transA, transB, m, n, k, a, lda, b, ldb, c, ldc)
		ctx.Ask() // the pool leaves out the rest where the step has ended
	}
}

// divide divides elements by x.
func divide[T scalar](a []T, x T) {
	if a, ok := any(a).([]float32); ok {
		vec.DivScalar(a, a, any(x).(float32))
		return
	}
	for i := range a {
		a[i] /= x
	}
}

// negated sets dst to -x.
func negated[T scalar](dst, x []T) {
	for i, v := range x[:len(dst)] {
		dst[i] = -v
	}
}

// addAll is addTo for the elements of matrices.
func addAll[T scalar](ctx *context, a []T, x T, b []T) {
	for lo, hi := range ctx.Ranges(len(a), 1<<15) {
		addTo(a[lo:hi], x, b[lo:hi])
	}
}

// dot is Σ a[i]·b[i].
func dot[T scalar](a, b []T) (sum T) {
	switch s := any(&sum).(type) {
	case *float32:
		*s = vec.Dot(any(a).([]float32), any(b).([]float32))
		return sum
	case *float64:
		*s = vec.Dot(any(a).([]float64), any(b).([]float64))
		return sum
	}
	for i, y := range b[:len(a)] {
		sum += a[i] * y
	}
	return sum
}

func scale[T scalar](ctx *context, a []T, x T) {
	for piece := range pieces(ctx, a) {
		for i := range piece {
			piece[i] *= x
		}
	}
}

// conjugate replaces numbers by their conjugates.
func conjugate[T scalar](ctx *context, a []T) {
	if !isComplex[T]() {
		return
	}
	for piece := range pieces(ctx, a) {
		switch piece := any(piece).(type) {
		case []complex64:
			for i, x := range piece {
				piece[i] = complex(real(x), -imag(x))
			}
		case []complex128:
			for i, x := range piece {
				piece[i] = complex(real(x), -imag(x))
			}
		}
	}
}

func conj[T scalar](x T) T {
	switch p := any(&x).(type) {
	case *complex64:
		*p = complex(real(*p), -imag(*p))
	case *complex128:
		*p = complex(real(*p), -imag(*p))
	}
	return x
}

func abs[T scalar](x T) float64 {
	switch x := any(x).(type) {
	case float32:
		return math.Abs(float64(x))
	case float64:
		return math.Abs(x)
	case complex64:
		return cmplx.Abs(complex128(x))
	default:
		return cmplx.Abs(x.(complex128))
	}
}

// realPart returns the real part of x.
func realPart[T scalar](x T) float64 {
	switch x := any(x).(type) {
	case float32:
		return float64(x)
	case float64:
		return x
	case complex64:
		return float64(real(x))
	default:
		return real(x.(complex128))
	}
}

// of returns the number x.
func of[T scalar](x float64) (y T) {
	switch p := any(&y).(type) {
	case *float32:
		*p = float32(x)
	case *float64:
		*p = x
	case *complex64:
		*p = complex(float32(x), 0)
	case *complex128:
		*p = complex(x, 0)
	}
	return y
}

// squares is Σ |x|².
func squares[T scalar](ctx *context, a []T) (sum float64) {
	for piece := range pieces(ctx, a) {
		switch piece := any(piece).(type) {
		case []float64:
			sum += vec.Dot(piece, piece)
		case []complex128:
			for _, x := range piece {
				sum += real(x)*real(x) + imag(x)*imag(x)
			}
		default:
			for _, x := range piece.([]T) {
				sum += abs(x) * abs(x)
			}
		}
	}
	return sum
}

// isComplex reports whether T is a type of complex numbers.
func isComplex[T scalar]() bool {
	switch any(*new(T)).(type) {
	case complex64, complex128:
		return true
	}
	return false
}

// precision returns the distance of 1 to the next number of T, and the least normal
// positive number.
func precision[T scalar]() (epsilon, least float64) {
	switch any(*new(T)).(type) {
	case float32, complex64:
		return 0x1p-23, 0x1p-126
	}
	return 0x1p-52, 0x1p-1022
}
