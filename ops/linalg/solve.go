package linalg

import "github.com/troupe-go/troupe/registry"

func init() {
	registry.Define("MatrixSolve").
		Input("matrix: T").Input("rhs: T").Output("output: T").
		Attr("adjoint: bool = false").
		Attr("T: {double, float, half, complex64, complex128}").
		Doc(`Solves A·X = B for square matrices.

matrix: A, in the last two dimensions.
rhs: B.
adjoint: Whether to solve Aᴴ·X = B.`)
	registry.Define("MatrixTriangularSolve").
		Input("matrix: T").Input("rhs: T").Output("output: T").
		Attr("lower: bool = true").
		Attr("adjoint: bool = false").
		Attr("T: {bfloat16, double, float, half, complex64, complex128}").
		Doc(`Solves A·X = B for triangular matrices, by substitution.

matrix: A, of which the other triangle is not read.
rhs: B; batch dimensions broadcast.
lower: Whether A is lower triangular.
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
	registry.Define("BandedTriangularSolve").
		Input("matrix: T").Input("rhs: T").Output("output: T").
		Attr("lower: bool = true").
		Attr("adjoint: bool = false").
		Attr("T: {double, float, half, complex64, complex128}").
		Doc(`Solves A·X = B for triangular matrices given by their bands.

matrix: The bands as rows, from the main diagonal down for a lower matrix, aligned with the columns of A.
rhs: B.
lower: Whether A is lower triangular.
adjoint: Whether to solve Aᴴ·X = B.`)
	registry.Define("TridiagonalSolve").
		Input("diagonals: T").Input("rhs: T").Output("output: T").
		Attr("partial_pivoting: bool = true").
		Attr("perturb_singular: bool = false").
		Attr("T: {double, float, complex64, complex128}").
		Doc(`Solves A·X = B for tridiagonal matrices.

diagonals: Three rows: superdiagonal, main diagonal and subdiagonal, padded to equal length.
rhs: B.
partial_pivoting: Whether rows are exchanged for accuracy.
perturb_singular: Whether a singular matrix is made regular, rather than an error.`)
	registry.Define("TridiagonalMatMul").
		Input("superdiag: T").Input("maindiag: T").Input("subdiag: T").Input("rhs: T").
		Output("output: T").
		Attr("T: {double, float, complex64, complex128}").
		Doc(`Multiplies tridiagonal matrices by matrices.

superdiag: The superdiagonal as a row, whose last element is not read.
maindiag: The main diagonal as a row.
subdiag: The subdiagonal as a row, whose first element is not read.
rhs: What to multiply by.`)
}
