package linalg

import "github.com/troupe-go/troupe/registry"

func init() {
	registry.Define("MatrixInverse").
		Input("input: T").Output("output: T").
		Attr("adjoint: bool = false").
		Attr("T: {double, float, half, complex64, complex128}").
		Doc(`Inverts square matrices.

adjoint: Whether to invert the adjoints.`)
	registry.Define("MatrixDeterminant").
		Input("input: T").Output("output: T").
		Attr("T: {half, float, double, complex64, complex128}").
		Doc("Computes determinants.")
	registry.Define("LogMatrixDeterminant").
		Input("input: T").Output("sign: T").Output("log_abs_determinant: T").
		Attr("T: {half, float, double, complex64, complex128}").
		Doc("Computes signs and logarithms of absolute values of determinants.")
	registry.Define("MatrixExponential").
		Input("input: T").Output("output: T").
		Attr("T: {double, float, half, complex64, complex128}").
		Deprecated(27, "It is composed of other ops").
		Doc("Computes matrix exponentials.")
	registry.Define("MatrixLogarithm").
		Input("input: T").Output("output: T").
		Attr("T: {complex64, complex128}").
		Doc("Computes the principal logarithms of matrices.")
	registry.Define("MatrixSquareRoot").
		Input("input: T").Output("output: T").
		Attr("T: {double, float, half, complex64, complex128}").
		Doc("Computes the principal square roots of matrices.")
}
