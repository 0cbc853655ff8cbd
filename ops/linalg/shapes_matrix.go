package linalg

import (
	"github.com/troupe-go/troupe/shape"
	"github.com/troupe-go/troupe/status"
)

func init() {
	shape.Register(shape.Rule("input: [B...,n,n] -> output: [B...,n,n]"),
		"Cholesky", "MatrixInverse", "MatrixExponential", "MatrixLogarithm", "MatrixSquareRoot")
	shape.Register(shape.Rule("l: [B...,n,n], grad: ? -> output: [B...,n,n]"), "CholeskyGrad")
	shape.Register(shape.Rule("input: [B...,n,n] -> output: B"), "MatrixDeterminant")
	shape.Register(shape.Rule("input: [B...,n,n] -> sign: B, log_abs_determinant: B"), "LogMatrixDeterminant")
	shape.Register(shape.Rule("input: [B...,n,n] -> lu: [B...,n,n], p: [B...,n]"), "Lu")
	shape.Register(eigenShape, "Eig", "SelfAdjointEigV2")
	shape.Register(qrShape, "Qr")
	shape.Register(svdShape, "Svd")

	shape.Register(shape.Rule("matrix: [B...,m,m], rhs: [B...,m,k] -> output: [B...,m,k]"), "MatrixSolve")
	shape.Register(shape.Rule("matrix: [B...,m,n], rhs: [B...,m,k], l2_regularizer: [] -> output: [B...,n,k]"), "MatrixSolveLs")
	shape.Register(triangularSolveShape, "MatrixTriangularSolve", "BandedTriangularSolve")
	shape.Register(likeLast(
		shape.Rule("superdiag: [B...,1,m], maindiag: [B...,1,m], subdiag: [B...,1,m], rhs: [...,m,?] ->"),
		shape.Rule("maindiag: [B...,1,m], subdiag: [B...,1,m], rhs: [B...,m,?] ->")), "TridiagonalMatMul")
	shape.Register(likeLast(shape.Rule("diagonals: [B...,3,m], rhs: [B...,m,?] ->")), "TridiagonalSolve")
}

// eigenShape has the vectors beside the values, if they are asked for.
func eigenShape(c *shape.Context) error {
	in := c.Try(c.Input(0).WithRankAtLeast(2))
	n := c.TryDim(shape.MergeDims(in.Dim(-2), in.Dim(-1)))
	values := c.Try(shape.Concat(in.To(-2), shape.Of(n)))
	c.SetOutput(0, values)
	if c.Bool("compute_v") {
		c.SetOutput(1, c.Try(shape.Concat(values, shape.Of(n))))
	} else {
		c.SetOutput(1, shape.Of(0))
	}
	return c.Err()
}

// factors returns the batch of matrices of m rows and n columns that input 0 holds,
// and the smaller of m and n.
func factors(c *shape.Context) (batch shape.Shape, m, n, p int64) {
	in := c.Try(c.Input(0).WithRankAtLeast(2))
	m, n = in.Dim(-2), in.Dim(-1)
	return in.To(-2), m, n, shape.MinDim(m, n)
}

func qrShape(c *shape.Context) error {
	batch, m, n, p := factors(c)
	if c.Bool("full_matrices") {
		p = m
	}
	c.SetOutput(0, c.Try(shape.Concat(batch, shape.Of(m, p))))
	c.SetOutput(1, c.Try(shape.Concat(batch, shape.Of(p, n))))
	return c.Err()
}

func svdShape(c *shape.Context) error {
	batch, m, n, p := factors(c)
	c.SetOutput(0, c.Try(shape.Concat(batch, shape.Of(p))))
	switch {
	case !c.Bool("compute_uv"):
		c.SetOutput(1, shape.Of(0))
		c.SetOutput(2, shape.Of(0))
	case c.Bool("full_matrices"):
		c.SetOutput(1, c.Try(shape.Concat(batch, shape.Of(m, m))))
		c.SetOutput(2, c.Try(shape.Concat(batch, shape.Of(n, n))))
	default:
		c.SetOutput(1, c.Try(shape.Concat(batch, shape.Of(m, p))))
		c.SetOutput(2, c.Try(shape.Concat(batch, shape.Of(n, p))))
	}
	return c.Err()
}

// triangularSolveShape broadcasts the batches. A banded matrix is held as its
// bands, so it need not be square.
func triangularSolveShape(c *shape.Context) error {
	matrix, rhs := c.Try(c.Input(0).WithRankAtLeast(2)), c.Try(c.Input(1).WithRankAtLeast(2))
	m := matrix.Dim(-1)
	if c.Op == nil || c.Op.Name != "BandedTriangularSolve" {
		m = c.TryDim(shape.MergeDims(matrix.Dim(-2), m))
	} else if bands := matrix.Dim(-2); bands == 0 {
		return status.Invalid("Number of bands must be positive, but is %d", bands)
	} else if m != shape.Unknown && bands > m {
		return status.Invalid("Number of bands %d cannot exceed the size of the matrix %d", bands, m)
	}
	if c.Err() != nil || !matrix.Known() || !rhs.Known() {
		return c.Err()
	}
	batch := c.Try(shape.Broadcast(matrix.To(-2), rhs.To(-2)))
	m = c.TryDim(shape.MergeDims(m, rhs.Dim(-2)))
	c.SetOutput(0, c.Try(shape.Concat(batch, shape.Of(m, rhs.Dim(-1)))))
	return c.Err()
}

// likeLast returns the output the shape of the last input, after checks that
// teach nothing.
func likeLast(checks ...shape.Func) shape.Func {
	return func(c *shape.Context) error {
		c.SetOutput(0, c.Input(c.NumInputs()-1))
		for _, check := range checks {
			c.Fail(check(c))
		}
		return c.Err()
	}
}
