package sparse

import "github.com/troupe-go/troupe/registry"

func init() {
	registry.Define("SparseTensorDenseMatMul").
		Input("a_indices: Tindices").Input("a_values: T").Input("a_shape: int64").Input("b: T").
		Output("product: T").
		Attr("T: type").
		Attr("Tindices: {int32, int64} = DT_INT64").
		Attr("adjoint_a: bool = false").
		Attr("adjoint_b: bool = false").
		Doc(`Multiplies a sparse matrix by an ordinary one.

a_indices: Indices of the entries of a, one a row.
a_values: The entries.
a_shape: The shape of a.
b: The ordinary matrix.
adjoint_a: Whether a is replaced by its adjoint.
adjoint_b: Whether b is replaced by its adjoint.`)
	registry.Define("SparseTensorToCSRSparseMatrix").
		Input("indices: int64").Input("values: T").Input("dense_shape: int64").
		Output("sparse_matrix: variant").
		Attr("T: {float, double, complex64, complex128}").
		Doc(`Turns a sparse tensor of rank 2 or 3 into sparse matrices in compressed rows.

indices: Indices of the entries, in order.
values: The entries.
dense_shape: The shape.
sparse_matrix: The matrices, as one variant.`)
	registry.Define("SparseMatrixNNZ").
		Input("sparse_matrix: variant").Output("nnz: int32").
		Doc(`Counts the entries of sparse matrices.

sparse_matrix: The matrices, as one variant.
nnz: The number of entries of each.`)
}
