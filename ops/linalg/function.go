package linalg

import (
	"math"
	"math/cmplx"

	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/graph/gradient"
	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

func init() {
	registry.Define("MatrixInverse").
		Input("input: T").Output("output: T").
		Attr("adjoint: bool = false").
		Attr("T: {double, float, half, complex64, complex128}").
		Doc(`Inverts square matrices; a singular one is an error.

input: Square matrices in the last two dimensions.
adjoint: Whether to invert their adjoints.`)
	registry.Define("MatrixDeterminant").
		Input("input: T").Output("output: T").
		Attr("T: {half, float, double, complex64, complex128}").
		Doc(`Computes the determinants of square matrices.

input: Square matrices in the last two dimensions.`)
	registry.Define("LogMatrixDeterminant").
		Input("input: T").Output("sign: T").Output("log_abs_determinant: T").
		Attr("T: {half, float, double, complex64, complex128}").
		Doc(`Computes the determinants of square matrices as signs and logarithms, where they themselves could overflow.

input: Square matrices in the last two dimensions.
sign: The signs; for complex matrices numbers of absolute value 1; 0 for a singular matrix.
log_abs_determinant: The logarithms of the absolute values.`)
	registry.Define("MatrixExponential").
		Input("input: T").Output("output: T").
		Attr("T: {double, float, half, complex64, complex128}").
		Deprecated(27, "It is composed of other ops").
		Doc(`Computes exp(A), the sum of Aⁿ/n!, of square matrices.

input: Square matrices in the last two dimensions.`)
	registry.Define("MatrixLogarithm").
		Input("input: T").Output("output: T").
		Attr("T: {complex64, complex128}").
		Doc(`Computes the principal logarithms of matrices.

input: Square matrices in the last two dimensions.`)
	registry.Define("MatrixSquareRoot").
		Input("input: T").Output("output: T").
		Attr("T: {double, float, half, complex64, complex128}").
		Doc(`Computes the principal square roots of matrices.

input: Square matrices in the last two dimensions.`)

	native("MatrixInverse", newInverse[float32], newInverse[float64], newInverse[complex64], newInverse[complex128])
	kernel.ForType("MatrixInverse", "T", tensor.Half, newInverse[float32])
	native("MatrixDeterminant", newDeterminant[float32], newDeterminant[float64], newDeterminant[complex64], newDeterminant[complex128])
	native("LogMatrixDeterminant", newLogDeterminant[float32], newLogDeterminant[float64], newLogDeterminant[complex64], newLogDeterminant[complex128])
	widened("MatrixExponential", newExponential[float64], newExponential[complex128])
	widened("MatrixLogarithm", nil, newLogarithm)
	widened("MatrixSquareRoot", newSquareRoot, newSquareRoot)

	gradient.Unary(func(c *gradient.Context, _, y, dy graph.Output) graph.Output {
		if c.Bool("adjoint") { // y is the inverse of x's adjoint
			return c.Neg(times(c, y, false, times(c, dy, true, y, false), false))
		}
		return c.Neg(times(c, y, true, times(c, dy, false, y, true), false))
	}, "MatrixInverse")
	gradient.Unary(func(c *gradient.Context, x, y, dy graph.Output) graph.Output {
		return c.Mul(eachMatrix(c, c.Mul(dy, y)), c.Op("MatrixInverse", graph.Attrs{"adjoint": true}, x))
	}, "MatrixDeterminant")
	gradient.Register(func(c *gradient.Context) { // the sign is constant, or has no derivative
		if c.Has(1) {
			c.Set(0, c.Mul(eachMatrix(c, c.Dy(1)), c.Op("MatrixInverse", graph.Attrs{"adjoint": true}, c.Input(0))))
		}
	}, "LogMatrixDeterminant")
	gradient.Unary(squareRootGradient, "MatrixSquareRoot")
}

func newInverse[T scalar](c *kernel.Construction) (kernel.Kernel, error) {
	adjoint := c.Bool("adjoint")
	return &batch[T]{inputs: 1, sizes: square[T](2), outputs: c.Outputs, run: func(s *scratch[T]) error {
		a := s.in[0]
		if adjoint {
			a = a.adjoint(s.ctx)
		}
		p, _ := factorize(s.ctx, a)
		if !regular(a) {
			return status.Invalid("Input is not invertible.")
		}
		solveFactored(s.ctx, s.out[0], a, p, identity[T](s.ctx, a.rows))
		return nil
	}}, nil
}

func newDeterminant[T scalar](c *kernel.Construction) (kernel.Kernel, error) {
	return &batch[T]{inputs: 1, sizes: square[T](0), outputs: c.Outputs, run: func(s *scratch[T]) error {
		lu := s.in[0]
		_, odd := factorize(s.ctx, lu)
		d := of[T](1)
		if odd {
			d = -d
		}
		for i := range lu.rows {
			d *= lu.at(i, i)
		}
		s.out[0].data[0] = d
		return nil
	}}, nil
}

func newLogDeterminant[T scalar](c *kernel.Construction) (kernel.Kernel, error) {
	return &batch[T]{inputs: 1, sizes: square[T](0, 0), outputs: c.Outputs, run: func(s *scratch[T]) error {
		lu := s.in[0]
		_, odd := factorize(s.ctx, lu)
		sign, sum := of[T](1), 0.0
		if odd {
			sign = -sign
		}
		for i := range lu.rows {
			d := lu.at(i, i)
			size := abs(d)
			sum += math.Log(size)
			switch {
			case size == 0:
				sign *= d
			case !math.IsInf(size, 0) || isComplex[T]():
				sign *= d / of[T](size)
			case realPart(d) < 0:
				sign = -sign
			}
		}
		s.out[0].data[0], s.out[1].data[0] = sign, of[T](sum)
		return nil
	}}, nil
}

// newExponential scales the matrix down until a rational approximation is
// exact, and squares the result: N. Higham, The scaling and squaring method for
// the matrix exponential revisited, 2005.
func newExponential[T wide](c *kernel.Construction) (kernel.Kernel, error) {
	return &batch[T]{inputs: 1, sizes: square[T](2), outputs: c.Outputs, run: func(s *scratch[T]) error {
		a, n := s.in[0], s.in[0].rows
		norm := 0.0 // the greatest sum of a row, which bounds the 2-norm's growth
		for i := range n {
			if i%32 == 31 {
				s.ctx.Ask()
			}
			sum := 0.0
			for _, x := range a.row(i) {
				sum += abs(x)
			}
			norm = math.Max(norm, sum)
		}
		if !a.finite(s.ctx) {
			s.out[0].fill(s.ctx, of[T](math.NaN()))
			return nil
		}
		squarings := 0
		if norm > 5.4 {
			squarings = int(math.Ceil(math.Log2(norm / 5.4)))
			scale(s.ctx, a.data, of[T](math.Ldexp(1, -squarings)))
		}
		// p and q are the even and the odd part of the numerator, whose negative
		// is that of the denominator.
		even, odd := identity[T](s.ctx, n), identity[T](s.ctx, n)
		square := a.times(s.ctx, a)
		power, next := identity[T](s.ctx, n), newMatrix[T](s.ctx, n, n)
		coefficient := 1.0
		for k := 1; k <= 13; k++ {
			coefficient *= float64(13-k+1) / (float64(26-k+1) * float64(k))
			if k%2 == 0 {
				power.multiply(s.ctx, square, next)
				power, next = next, power
				addAll(s.ctx, even.data, of[T](coefficient), power.data)
			} else if k == 1 {
				scale(s.ctx, odd.data, of[T](coefficient))
			} else {
				addAll(s.ctx, odd.data, of[T](coefficient), power.data)
			}
		}
		odd = a.times(s.ctx, odd)
		denominator := even.clone(s.ctx)
		addAll(s.ctx, denominator.data, -1, odd.data)
		addAll(s.ctx, even.data, 1, odd.data)
		p, _ := factorize(s.ctx, denominator)
		result := power
		solveFactored(s.ctx, result, denominator, p, even)
		for range squarings {
			result.multiply(s.ctx, result, next)
			result, next = next, result
		}
		copy(s.out[0].data, result.data)
		return nil
	}}, nil
}

// ofTriangle sets the result to u·f(t)·uᴴ for the factors of the input; f may
// overwrite t. What has none is NaN.
func ofTriangle(s *scratch[complex128], f func(t matrix[complex128]) matrix[complex128]) error {
	t := s.in[0]
	u, ok := schur(s.ctx, t, true)
	if !ok {
		s.out[0].fill(s.ctx, cmplx.NaN())
		return nil
	}
	copy(s.out[0].data, u.times(s.ctx, f(t)).times(s.ctx, u.adjoint(s.ctx)).data)
	return nil
}

// newSquareRoot is for real matrices NaN if there is a negative eigenvalue.
func newSquareRoot(c *kernel.Construction) (kernel.Kernel, error) {
	real := c.Type("T") == tensor.Float || c.Type("T") == tensor.Double
	return &batch[complex128]{inputs: 1, sizes: square[complex128](2), outputs: c.Outputs, run: func(s *scratch[complex128]) error {
		return ofTriangle(s, func(t matrix[complex128]) matrix[complex128] {
			if real && hasNegative(s.ctx, t) {
				t.fill(s.ctx, cmplx.NaN())
				return t
			}
			root := newMatrix[complex128](s.ctx, t.rows, t.rows)
			triangleRoot(s.ctx, t, root)
			return root
		})
	}}, nil
}

// hasNegative reports whether a triangular matrix has an eigenvalue that is
// negative, and neither complex nor 0 but for rounding.
func hasNegative(ctx *context, t matrix[complex128]) bool {
	rounding := t.largest(ctx) * float64(t.rows) * 0x1p-52
	for i := range t.rows {
		if x := t.at(i, i); real(x) < -rounding && math.Abs(imag(x)) <= rounding {
			return true
		}
	}
	return false
}

// triangleRoot sets the upper triangle of r to the square root of that of t: Å. Björck and
// S. Hammarling, A Schur method for the square root of a matrix, 1983.
func triangleRoot(ctx *context, t, r matrix[complex128]) {
	n := t.rows
	for j := range n {
		ctx.Ask()
		r.set(j, j, cmplx.Sqrt(t.at(j, j)))
		for i := j - 1; i >= 0; i-- {
			if i%32 == 31 {
				ctx.Ask()
			}
			x := t.at(i, j)
			for k := i + 1; k < j; k++ {
				x -= r.at(i, k) * r.at(k, j)
			}
			r.set(i, j, x/(r.at(i, i)+r.at(j, j)))
		}
	}
}

func newLogarithm(c *kernel.Construction) (kernel.Kernel, error) {
	return &batch[complex128]{inputs: 1, sizes: square[complex128](2), outputs: c.Outputs, run: func(s *scratch[complex128]) error {
		return ofTriangle(s, func(t matrix[complex128]) matrix[complex128] { return triangleLog(s.ctx, t) })
	}}, nil
}

// triangleLog returns the logarithm of a triangular matrix, which it overwrites: roots are taken until it
// is close to 1, where the integral of x·(1+τx)⁻¹ over τ from 0 to 1 is
// summed by Gauss's rule. N. Higham, Functions of Matrices, 2008, chapter 11.
func triangleLog(ctx *context, t matrix[complex128]) matrix[complex128] {
	n := t.rows
	diagonal := temporary[complex128](ctx, n)
	for i := range n {
		diagonal[i] = cmplx.Log(t.at(i, i))
	}
	roots, next := 0, newMatrix[complex128](ctx, n, n)
	for ; distanceTo1(ctx, t) > 0.25 && roots < 1100; roots++ {
		ctx.Ask()
		triangleRoot(ctx, t, next)
		t, next = next, t
	}
	for i := range n {
		t.data[i*n+i]--
	}
	sum := newMatrix[complex128](ctx, n, n)
	for i, x := range gaussNodes {
		for side := -1.0; side <= 1; side += 2 {
			if x == 0 && side > 0 {
				break
			}
			ctx.Ask()
			mark := ctx.mark()
			m := t.clone(ctx)
			scale(ctx, m.data, complex((1+side*x)/2, 0))
			for i := range n {
				m.data[i*n+i]++
			}
			y := t.clone(ctx)
			substitute(ctx, m, y, false, false)
			addAll(ctx, sum.data, complex(gaussWeights[i]/2, 0), y.data)
			ctx.release(mark)
		}
	}
	scale(ctx, sum.data, complex(math.Ldexp(1, roots), 0))
	for i, x := range diagonal {
		sum.data[i*n+i] = x
	}
	if !sum.finite(ctx) {
		sum.fill(ctx, cmplx.NaN())
	}
	return sum
}

// Gauss's rule of nine points on [-1, 1], which is symmetric: DLMF, table 3.5.
var (
	gaussNodes   = [5]float64{0, 0.324253423403808929038538014643, 0.613371432700590397308702039341, 0.836031107326635794299429788070, 0.968160239507626089835576202904}
	gaussWeights = [5]float64{0.330239355001259763164525069287, 0.312347077040002840068630406584, 0.260610696402935462318742869419, 0.180648160694857404058472031243, 0.0812743883615744119718921581105}
)

// distanceTo1 returns the greatest sum of a row of |t - 1|.
func distanceTo1(ctx *context, t matrix[complex128]) float64 {
	most := 0.0
	for i := range t.rows {
		if i%32 == 31 {
			ctx.Ask()
		}
		sum := 0.0
		for j, x := range t.row(i) {
			if i == j {
				x--
			}
			sum += cmplx.Abs(x)
		}
		most = max(most, sum)
	}
	return most
}
