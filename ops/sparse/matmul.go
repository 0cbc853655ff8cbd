package sparse

import (
	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/graph/gradient"
	"github.com/troupe-go/troupe/registry"
)

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
	registry.Define("CSRSparseMatrixToSparseTensor").
		Input("sparse_matrix: variant").Output("indices: int64").Output("values: type").
		Output("dense_shape: int64").
		Attr("type: {float, double, complex64, complex128}").
		Doc(`Turns sparse matrices in compressed rows into a sparse tensor of rank 2 or 3.

sparse_matrix: The matrices, as one variant.
indices: Indices of the entries, in order.
values: The entries.
dense_shape: The shape.
type: The type of the entries.`)
	registry.Define("SparseMatrixNNZ").
		Input("sparse_matrix: variant").Output("nnz: int32").
		Doc(`Counts the entries of sparse matrices.

sparse_matrix: The matrices, as one variant.
nnz: The number of entries of each.`)

	gradient.Register(denseProductGradient, "SparseTensorDenseMatMul")
	gradient.Register(func(c *gradient.Context) {
		if !c.Has(0) {
			return
		}
		if parts := c.Outputs("CSRSparseMatrixToSparseTensor", graph.Attrs{"type": c.Type("T")}, c.Dy(0)); parts != nil {
			c.Set(1, parts[1])
		}
	}, "SparseTensorToCSRSparseMatrix")
	gradient.Register(func(c *gradient.Context) {
		if c.Has(1) {
			c.Set(0, c.Apply("SparseTensorToCSRSparseMatrix", c.Output(0), c.Dy(1), c.Output(2)))
		}
	}, "CSRSparseMatrixToSparseTensor")
	gradient.None("SparseMatrixNNZ")
}

// denseProductGradient: of z = A·B, dB = A'·dz, and an entry of A in row i and column
// k has the product of row i of dz and row k of B.
func denseProductGradient(c *gradient.Context) {
	if !c.Has(0) {
		return
	}
	indices, values, shape, b, dz := c.Input(0), c.Input(1), c.Input(2), c.Input(3), c.Dy(0)
	adjointA, adjointB := c.Bool("adjoint_a"), c.Bool("adjoint_b")
	swap := c.Int32s(1, 0)
	if c.Wants(3) {
		db := c.Op("SparseTensorDenseMatMul", graph.Attrs{"adjoint_a": !adjointA}, indices, values, shape, dz)
		if adjointB {
			db = c.Apply("ConjugateTranspose", db, swap)
		}
		c.Set(3, db)
	}
	if !c.Wants(1) {
		return
	}
	if adjointB {
		b = c.Apply("ConjugateTranspose", b, swap)
	}
	zero := c.Const(int32(0))
	at := c.Outputs("Unpack", graph.Attrs{"num": int64(2), "axis": int64(1)}, indices)
	if at == nil {
		return
	}
	rows := func(of, which graph.Output) graph.Output { return c.Apply("GatherV2", of, which, zero) }
	var product graph.Output
	if adjointA {
		product = c.Mul(rows(b, at[0]), c.Conj(rows(dz, at[1])))
	} else {
		product = c.Mul(rows(dz, at[0]), c.Conj(rows(b, at[1])))
	}
	c.Set(1, c.Apply("Sum", product, c.Const(int32(1))))
}
