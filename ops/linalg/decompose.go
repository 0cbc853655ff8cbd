package linalg

import "github.com/troupe-go/troupe/registry"

func init() {
	registry.Define("Cholesky").
		Input("input: T").Output("output: T").
		Attr("T: {double, float, half, complex64, complex128}").
		Doc(`Decomposes positive definite matrices: A = L·Lᴴ.

input: Square matrices in the last two dimensions, of which the lower triangle is read.
output: The lower triangular L.`)
	registry.Define("CholeskyGrad").
		Input("l: T").Input("grad: T").Output("output: T").
		Attr("T: {half, float, double}").
		Doc(`Computes the gradient of Cholesky.

l: What Cholesky gave.
grad: The gradient of that.`)
	registry.Define("Lu").
		Input("input: T").Output("lu: T").Output("p: output_idx_type").
		Attr("T: {double, float, half, complex64, complex128}").
		Attr("output_idx_type: {int32, int64} = DT_INT32").
		Doc(`Decomposes square matrices into triangular ones with pivoting: P·A = L·U.

lu: U on and above the diagonal, L below; L has ones on its diagonal.
p: The row of A that each row of L·U is.
output_idx_type: The type of p.`)
	registry.Define("Qr").
		Input("input: T").Output("q: T").Output("r: T").
		Attr("full_matrices: bool = false").
		Attr("T: {double, float, half, complex64, complex128}").
		Doc(`Decomposes matrices: A = Q·R with Q unitary and R upper triangular.

full_matrices: Whether q is square, or has as many columns as r has rows.`)
	registry.Define("Svd").
		Input("input: T").Output("s: T").Output("u: T").Output("v: T").
		Attr("compute_uv: bool = true").
		Attr("full_matrices: bool = false").
		Attr("T: {double, float, half, complex64, complex128}").
		Doc(`Computes singular values and vectors: A = U·diag(s)·Vᴴ.

s: The singular values, from the largest.
u: The left singular vectors as columns.
v: The right singular vectors as columns.
compute_uv: Whether u and v are wanted; else they are empty.
full_matrices: Whether u and v are square.`)
	registry.Define("SelfAdjointEigV2").
		Input("input: T").Output("e: T").Output("v: T").
		Attr("compute_v: bool = true").
		Attr("T: {double, float, half, complex64, complex128}").
		Doc(`Computes eigenvalues and eigenvectors of self-adjoint matrices.

input: Square matrices in the last two dimensions, of which the lower triangle is read.
e: The eigenvalues in ascending order.
v: The eigenvectors as columns.
compute_v: Whether v is wanted; else it is empty.`)
	registry.Define("Eig").
		Input("input: T").Output("e: Tout").Output("v: Tout").
		Attr("compute_v: bool = true").
		Attr("T: {float, double, complex64, complex128}").
		Attr("Tout: {complex64, complex128}").
		Doc(`Computes eigenvalues and eigenvectors of square matrices.

e: The eigenvalues, in no particular order.
v: The eigenvectors as columns.
compute_v: Whether v is wanted; else it is empty.
Tout: The type of the results: complex64 of float and complex64, complex128 of the others.`)
}
