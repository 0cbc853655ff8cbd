package linalg

import "github.com/troupe-go/troupe/registry"

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
}
