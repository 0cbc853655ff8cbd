package sparse

import (
	"github.com/troupe-go/troupe/shape"
	"github.com/troupe-go/troupe/status"
)

// A sparse tensor of n elements and rank r is its indices [n,r], its values [n]
// and its shape [r].

func init() {
	const (
		a      = "a_indices: [na,r], a_values: [na], a_shape: [r]"
		b      = "b_indices: [nb,r], b_values: [nb], b_shape: [r]"
		in     = "input_indices: [n,r], input_values: [n], input_shape: [r]"
		sp     = "sp_indices: [n,r], sp_values: [n], sp_shape: [r]"
		result = "output_indices: [m,r], output_values: [m], output_shape: [r]"
	)
	shape.Register(shape.Rule(a+","+b+", thresh: [] -> sum_indices: [m,r], sum_values: [m], sum_shape: [r]"), "SparseAdd")
	shape.Register(shape.Rule(a+","+b+"-> output_indices: [m,r], output_values: [m]"), "SparseSparseMaximum", "SparseSparseMinimum")
	shape.Register(shape.Rule(a+", b: B -> output: B"), "SparseTensorDenseAdd")
	shape.Register(shape.Rule(sp+", dense: ? -> output: [n]"), "SparseDenseCwiseAdd", "SparseDenseCwiseMul", "SparseDenseCwiseDiv")
	shape.Register(shape.Rule(sp+" -> output: [n]"), "SparseSoftmax")
	shape.Register(reduceShape, "SparseReduceSum", "SparseReduceMax")
	shape.Register(productShape, "SparseTensorDenseMatMul")

	shape.Register(shape.Rule("sparse_indices: ?, output_shape: ? = S, sparse_values: ?, default_value: [] -> dense: S"), "SparseToDense")
	shape.Register(shape.Rule(in+"-> output_indices: [n,r], output_values: [n]"), "SparseReorder")
	shape.Register(shape.Rule("input_indices: [n,r], input_shape: [r], new_shape: [k] -> output_indices: [n,k], output_shape: [k]"), "SparseReshape")
	shape.Register(shape.Rule("indices: [n,r], values: [n], shape: [r], start: [r], size: [r] ->"+result), "SparseSlice")
	shape.Register(shape.Rule("indices: [?,r], values: [?], shapes: [r] ->"+result), "SparseConcat")
	shape.Register(shape.Rule("split_dim: [], indices: [n,r], values: [n], shape: [r] ->"+result), "SparseSplit")
	shape.Register(shape.Rule("indices: [n,r], values: [n], dense_shape: [r] = [rows,...], default_value: [] "+
		"-> output_indices: [m,r], output_values: [m], empty_row_indicator: [rows], reverse_index_map: [n]"), "SparseFillEmptyRows")
	shape.Register(shape.Rule("reverse_index_map: [n], grad_values: [?] -> d_values: [n], d_default_value: []"), "SparseFillEmptyRowsGrad")
	shape.Register(shape.Rule("-> output_indices: [m,2], output_values: [m], output_shape: [2]"), "SparseCross", "SparseCrossV2")

	shape.Register(shape.Rule("sparse_indices: [n,r], sparse_values: [n], sparse_shape: [r] -> serialized_sparse: [3]"), "SerializeSparse")
	shape.Register(shape.Rule("sparse_indices: [n,r], sparse_values: [n], sparse_shape: [r] -> serialized_sparse: [m,3]"), "SerializeManySparse")
	shape.Register(shape.Rule("sparse_indices: [n,r], sparse_values: [n], sparse_shape: [r] -> sparse_handles: [m]"), "AddManySparseToTensorsMap")
	shape.Register(shape.Rule("serialized_sparse: [...,3] -> sparse_indices: [n,r], sparse_values: [n], sparse_shape: [r]"), "DeserializeSparse")
	shape.Register(shape.Rule("indices: [n,r], values: [n], dense_shape: [r] -> sparse_matrix: []"), "SparseTensorToCSRSparseMatrix")
	shape.Register(shape.UnknownOutputs, "SparseMatrixNNZ")

	shape.Register(denseCountShape, "DenseCountSparseOutput")
	shape.Register(shape.Rule("indices: [n,r], values: [n], dense_shape: [r], weights: ? -> output_indices: [m,r], output_values: [m], output_dense_shape: [r]"), "SparseCountSparseOutput")
	shape.Register(bincountShape, "SparseBincount")
}

// reduceShape is that of a reduction of the dense tensor, if its shape and the
// axes are known.
func reduceShape(c *shape.Context) error {
	dense := c.Try(c.ShapeFrom(2))
	if axes, ok := c.ConstInts(3); ok {
		c.SetOutput(0, c.Try(shape.Reduction(dense, axes, c.Bool("keep_dims"))))
	}
	return c.Err()
}

// productShape is that of the product of a, whose shape input 2 gives, and b,
// each perhaps adjoint.
func productShape(c *shape.Context) error {
	indices, values := c.Try(c.Input(0).WithRank(2)), c.Try(c.Input(1).WithRank(1))
	c.TryDim(shape.MergeDims(indices.Dim(0), values.Dim(0)))
	c.TryDim(shape.WithValue(indices.Dim(1), 2))
	a := c.Try(c.ShapeFrom(2))
	a = c.Try(a.WithRank(2))
	b := c.Try(c.Input(3).WithRank(2))
	m, k := a.Dim(0), a.Dim(1)
	if c.Bool("adjoint_a") {
		m, k = k, m
	}
	l, n := b.Dim(0), b.Dim(1)
	if c.Bool("adjoint_b") {
		l, n = n, l
	}
	c.TryDim(shape.MergeDims(k, l))
	c.SetOutput(0, shape.Of(m, n))
	return c.Err()
}

// denseCountShape has as many coordinates as the input has dimensions.
func denseCountShape(c *shape.Context) error {
	rank := shape.Unknown
	if in := c.Try(c.Input(0).WithRankAtMost(2)); in.Known() {
		rank = int64(in.Rank())
	}
	c.SetOutput(0, shape.Of(shape.Unknown, rank))
	c.SetOutput(1, shape.Of(shape.Unknown))
	c.SetOutput(2, shape.Of(rank))
	return c.Err()
}

// bincountShape has a bin for each size, in each row if the dense tensor is a
// matrix.
func bincountShape(c *shape.Context) error {
	dense, size := c.Try(c.ShapeFrom(2)), c.TryDim(c.DimFrom(3))
	switch dense.Rank() {
	case -1:
	case 1:
		c.SetOutput(0, shape.Of(size))
	case 2:
		c.SetOutput(0, shape.Of(dense.Dim(0), size))
	default:
		return status.Invalid("Input must be less than rank 3, but is rank %d", dense.Rank())
	}
	return c.Err()
}
