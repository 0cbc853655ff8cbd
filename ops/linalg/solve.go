package linalg

import (
	"github.com/troupe-go/troupe/graph/gradient"
	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

func init() {
	registry.Define("MatrixSolve").
		Input("matrix: T").Input("rhs: T").Output("output: T").
		Attr("adjoint: bool = false").
		Attr("T: {double, float, half, complex64, complex128}").
		Doc(`Solves A·X = B for square matrices.

matrix: A, in the last two dimensions.
rhs: B.
adjoint: Whether to solve Aᴴ·X = B.`)
	registry.Define("MatrixSolveLs").
		Input("matrix: T").Input("rhs: T").Input("l2_regularizer: double").Output("output: T").
		Attr("T: {double, float, half, complex64, complex128}").
		Attr("fast: bool = true").
		Doc(`Solves A·X = B in the sense of least squares.

matrix: A, in the last two dimensions.
rhs: B.
l2_regularizer: How much the squares of X count.
fast: Whether to use normal equations, which is less accurate.`)

	native("MatrixSolve", newSolve[float32], newSolve[float64], newSolve[complex64], newSolve[complex128])
	native("MatrixSolveLs", newLeastSquares[float32], newLeastSquares[float64], newLeastSquares[complex64], newLeastSquares[complex128])

	gradient.Register(func(c *gradient.Context) { solveGradient(c, "adjoint") }, "MatrixSolve")
	gradient.Register(leastSquaresGradient, "MatrixSolveLs")
}

func newSolve[T scalar](c *kernel.Construction) (kernel.Kernel, error) {
	adjoint := c.Bool("adjoint")
	sizes := func(in []matrix[T]) ([][]int, error) {
		switch a, b := in[0], in[1]; {
		case a.rows != a.cols:
			return nil, status.Invalid("First input (lhs) must be a square matrix.")
		case a.rows != b.rows:
			return nil, status.Invalid("Input matrix and rhs are incompatible.")
		}
		return [][]int{{in[1].rows, in[1].cols}}, nil
	}
	return &batch[T]{inputs: 2, sizes: sizes, outputs: c.Outputs, run: func(s *scratch[T]) error {
		a := s.in[0]
		if adjoint {
			a = a.adjoint(s.ctx)
		}
		p, _ := factorize(s.ctx, a)
		if !regular(a) {
			return status.Invalid("Input matrix is not invertible.")
		}
		solveFactored(s.ctx, s.out[0], a, p, s.in[1])
		return nil
	}}, nil
}

// newLeastSquares solves by normal equations, which see the regularizer, or by
// the singular values, which do not.
func newLeastSquares[T scalar](c *kernel.Construction) (kernel.Kernel, error) {
	fast := c.Bool("fast")
	sizes := func(in []matrix[T]) ([][]int, error) {
		if in[0].rows != in[1].rows {
			return nil, status.Invalid("Input matrix and rhs are incompatible.")
		}
		return [][]int{{in[0].cols, in[1].cols}}, nil
	}
	return &batch[T]{inputs: 2, sizes: sizes, outputs: c.Outputs, run: func(s *scratch[T]) error {
		l2 := &s.inputs[2]
		if l2.Rank() != 0 {
			return status.Invalid("l2_regularizer must be scalar, got shape %s", tensor.FormatDims(l2.Dims()))
		}
		weight := tensor.At0[float64](l2)
		if !(weight >= 0) {
			return status.Invalid("l2_regularizer must be >= 0.")
		}
		switch {
		case len(s.out[0].data) == 0:
			return nil
		case fast:
			return normalEquations(s, weight)
		case isComplex[T]():
			leastNorm[T, complex128](s)
		default:
			leastNorm[T, float64](s)
		}
		return nil
	}}, nil
}

// normalEquations solves (Aᴴ·A + w)·X = Aᴴ·B or, of a broad matrix,
// X = Aᴴ·(A·Aᴴ + w)⁻¹·B.
func normalEquations[T scalar](s *scratch[T], weight float64) error {
	a, b := s.in[0], s.in[1]
	adjoint := a.adjoint(s.ctx)
	high := a.rows >= a.cols
	gram, x := matrix[T]{}, b
	if high {
		gram, x = adjoint.times(s.ctx, a), adjoint.times(s.ctx, b)
	} else {
		gram = a.times(s.ctx, adjoint)
	}
	for i := range gram.rows {
		gram.data[i*gram.cols+i] += of[T](weight)
	}
	if !cholesky(s.ctx, gram) {
		hint := "an"
		if high {
			hint = "a larger"
		}
		return status.Invalid("Input matrix was rank deficient or ill-conditioned. Try setting fast=False or provide %s l2_regularizer > 0.", hint)
	}
	substitute(s.ctx, gram, x, true, false)
	substitute(s.ctx, gram.adjoint(s.ctx), x, false, false)
	if !high {
		x = adjoint.times(s.ctx, x)
	}
	copy(s.out[0].data, x.data)
	return nil
}

// leastNorm is the shortest of the best solutions, computed in W: singular
// values that may be rounding errors of T count as 0.
func leastNorm[T scalar, W wide](s *scratch[T]) {
	a, b := convert[W](s.ctx, s.in[0]), convert[W](s.ctx, s.in[1])
	values, u, v := singular(s.ctx, a, true, false, 0x1p-52)
	epsilon, _ := precision[T]()
	y := u.adjoint(s.ctx).times(s.ctx, b)
	for i, value := range values {
		if value <= values[0]*epsilon*float64(len(values)) {
			clear(y.row(i))
		} else {
			scale(s.ctx, y.row(i), of[W](1/value))
		}
	}
	copy(s.out[0].data, convert[T](s.ctx, v.times(s.ctx, y)).data)
}

// convert returns a in another precision.
func convert[D, S scalar](ctx *context, a matrix[S]) matrix[D] {
	b := newMatrix[D](ctx, a.rows, a.cols)
	switch data := any(a.data).(type) {
	case []float32:
		loadReal(b.data, data)
	case []float64:
		loadReal(b.data, data)
	case []complex64:
		loadComplex(b.data, data)
	case []complex128:
		loadComplex(b.data, data)
	}
	return b
}
