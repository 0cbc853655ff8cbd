package sparse

import (
	"github.com/troupe-go/troupe/shape"
	"github.com/troupe-go/troupe/status"
)

// A sparse tensor of n elements and rank r is its indices [n,r], its values [n]
// and its shape [r].

func init() {
	const in = "input_indices: [n,r], input_values: [m], input_shape: [?]"
	shape.Register(shape.Rule("a_shape: [r] -> sum_indices: [m,r], sum_values: [m], sum_shape: [r]"), "SparseAdd")
	shape.Register(shape.Rule("a_indices: [?,?], a_values: [?], a_shape: [?], b_indices: [?,?], b_values: [?], b_shape: [?] "+
		"-> output_indices: [?,?], output_values: [?]"), "SparseSparseMaximum", "SparseSparseMinimum")
	shape.Register(shape.Rule("backprop_val_grad: [?], a_indices: [n,?], b_indices: [m,?], sum_indices: [?,?] -> a_val_grad: [n], b_val_grad: [m]"), "SparseAddGrad")
	shape.Register(shape.Rule("backprop_val_grad: [?], input_indices: [n,?], input_start: [?], output_indices: [?,?] -> val_grad: [n]"), "SparseSliceGrad")
	shape.Register(shape.Rule("sparse_matrix: [] -> indices: [n,r], values: [n], dense_shape: [r]"), "CSRSparseMatrixToSparseTensor")
	shape.Register(shape.Like(3), "SparseTensorDenseAdd")
	shape.Register(shape.Rule("sp_indices: [n,?] -> output: [n]"), "SparseDenseCwiseAdd", "SparseDenseCwiseMul", "SparseDenseCwiseDiv")
	shape.Register(shape.Rule("sp_indices: [?,?], sp_values: [n], sp_shape: [?] -> output: [n]"), "SparseSoftmax")
	shape.Register(reduceShape, "SparseReduceSum", "SparseReduceMax")
	shape.Register(shape.UnknownOutputs, "SparseReduceSumSparse", "SparseReduceMaxSparse")
	shape.Register(shape.Rule("value_rowids: [?], values: [?], nrows: [], default_value: [] -> output_value_rowids: [n], output_values: [n], empty_row_indicator: [?], reverse_index_map: ?"), "RaggedFillEmptyRows")
	shape.Register(shape.Rule("reverse_index_map: [n], grad_values: [?] -> d_values: [n], d_default_value: []"), "RaggedFillEmptyRowsGrad")
	shape.Register(productShape, "SparseTensorDenseMatMul")

	shape.Register(shape.Rule("sparse_indices: ?, output_shape: ? = S -> dense: S"), "SparseToDense")
	shape.Register(shape.Rule(in+"-> output_indices: [n,r], output_values: [m]"), "SparseReorder")
	shape.Register(shape.Rule("input_indices: [n,?], input_shape: [?], new_shape: [k] -> output_indices: [n,k], output_shape: [k]"), "SparseReshape")
	shape.Register(sliceShape, "SparseSlice")
	shape.Register(concatShape, "SparseConcat")
	shape.Register(splitShape, "SparseSplit")
	shape.Register(fillEmptyRowsShape, "SparseFillEmptyRows")
	shape.Register(shape.Rule("reverse_index_map: [n], grad_values: [?] -> d_values: [n], d_default_value: []"), "SparseFillEmptyRowsGrad")
	shape.Register(shape.Rule("-> output_indices: [m,2], output_values: [m], output_shape: [2]"), "SparseCross", "SparseCrossV2")

	shape.Register(shape.Rule("sparse_indices: [?,?], sparse_values: [?], sparse_shape: [?] -> serialized_sparse: [3]"), "SerializeSparse")
	shape.Register(shape.Rule("sparse_indices: [?,?], sparse_values: [?], sparse_shape: [?] -> serialized_sparse: [?,3]"), "SerializeManySparse")
	shape.Register(shape.Rule("sparse_indices: [?,?], sparse_values: [?], sparse_shape: [?] -> sparse_handles: [?]"), "AddManySparseToTensorsMap")
	shape.Register(shape.Rule("serialized_sparse: [...,3] -> sparse_indices: [n,r], sparse_values: [n], sparse_shape: [r]"), "DeserializeSparse")
	shape.Register(toMatrixShape, "SparseTensorToCSRSparseMatrix")
	shape.Register(nonzeroShape, "SparseMatrixNNZ")

	shape.Register(denseCountShape, "DenseCountSparseOutput")
	shape.Register(shape.Rule("indices: [?,r] -> output_indices: [m,r], output_values: [m], output_dense_shape: [r]"), "SparseCountSparseOutput")
	shape.Register(raggedCrossShape, "RaggedCross")
	shape.Register(raggedCountShape, "RaggedCountSparseOutput")
	shape.Register(bincountShape, "SparseBincount")
}

// sliceShape, and splitShape for each part, have as many coordinates as the
// operand that is the whole's shape has elements, and give out its shape for
// that of theirs.
func sliceShape(c *shape.Context) error { return parts(c, 2) }

func splitShape(c *shape.Context) error { return parts(c, 3) }

func parts(c *shape.Context, whole int) error {
	dims := c.Input(whole)
	rank := c.TryDim(dims.NumElements())
	n := c.NumOutputs() / 3
	for i := range n {
		c.SetOutput(i, shape.Of(shape.Unknown, rank))
		c.SetOutput(n+i, shape.Of(shape.Unknown))
		c.SetOutput(2*n+i, dims)
	}
	return c.Err()
}

// concatShape adds up the elements.
func concatShape(c *shape.Context) error {
	n := c.NumInputs() / 3
	elements, rank, dims := int64(0), shape.Unknown, shape.Shape{}
	for i := range n {
		indices, values := c.Try(c.Input(i).WithRank(2)), c.Try(c.Input(n+i).WithRank(1))
		of := c.Try(c.Input(2*n + i).WithRank(1))
		count := c.TryDim(shape.MergeDims(indices.Dim(0), values.Dim(0)))
		elements = c.TryDim(shape.AddDims(elements, count))
		rank = c.TryDim(shape.MergeDims(rank, indices.Dim(1)))
		dims = c.Try(shape.Merge(dims, of))
	}
	c.SetOutput(0, shape.Of(elements, rank))
	c.SetOutput(1, shape.Of(elements))
	c.SetOutput(2, dims)
	return c.Err()
}

// fillEmptyRowsShape has as many coordinates as the shape has elements.
func fillEmptyRowsShape(c *shape.Context) error {
	indices, values := c.Try(c.Input(0).WithRank(2)), c.Try(c.Input(1).WithRank(1))
	dims := c.Try(c.Input(2).WithRank(1))
	c.Try(c.Input(3).WithRank(0))
	n := c.TryDim(shape.MergeDims(indices.Dim(0), values.Dim(0)))
	c.TryDim(shape.MergeDims(indices.Dim(1), dims.Dim(0)))
	if dims.Dim(0) == 0 {
		c.Fail(status.Invalid("dense_shape must not be empty"))
	}
	dense := c.Try(c.ShapeFrom(2))
	c.SetOutput(0, shape.Of(shape.Unknown, dims.Dim(0)))
	c.SetOutput(1, shape.Of(shape.Unknown))
	c.SetOutput(2, shape.Of(dense.Dim(0)))
	c.SetOutput(3, shape.Of(n))
	return c.Err()
}

// toMatrixShape makes a sparse matrix, or a batch of them, whose shape the
// handle knows. The rank must be known.
func toMatrixShape(c *shape.Context) error {
	c.Fail(shape.CheckSparse(c.Input(0), c.Input(1), c.Input(2)))
	dense := c.Try(c.ShapeFrom(2))
	if rank := c.Input(0).Dim(1); rank != 2 && rank != 3 {
		c.Fail(status.Invalid("Invalid rank: %d.  Expected a known rank of either 2 or 3.", rank))
	} else {
		dense = c.Try(dense.WithRank(int(rank)))
	}
	c.SetOutput(0, shape.Scalar)
	c.SetHandle(0, shape.HandleData{Type: c.Type("T"), Shape: dense})
	return c.Err()
}

// nonzeroShape has a number for each matrix of a batch.
func nonzeroShape(c *shape.Context) error {
	c.Try(c.Input(0).WithRank(0))
	h, ok := c.Handle(0)
	if c.Err() == nil && !ok {
		return status.Invalid("Unable to access shape and type info from variant input 0")
	}
	switch h.Shape.Rank() {
	case 2:
		c.SetOutput(0, shape.Scalar)
	case 3:
		c.SetOutput(0, shape.Of(h.Shape.Dim(0)))
	default:
		c.Fail(status.Invalid("sparse_matrix has an unknown rank."))
	}
	return c.Err()
}

// reduceShape returns that of a reduction of the dense tensor, if its shape and the
// axes are known. Axes wrap round.
func reduceShape(c *shape.Context) error {
	dense, ok := c.ConstInts(2)
	axes, ok2 := c.ConstInts(3)
	if !ok || !ok2 {
		return nil
	}
	rank := int64(len(dense))
	if rank == 0 {
		return status.Invalid("Number of dims in shape tensor cannot be 0")
	}
	reduced := map[int64]bool{}
	for _, a := range axes {
		reduced[(a+rank)%rank] = true
	}
	keep := c.Bool("keep_dims")
	var dims []int64
	for i, d := range dense {
		switch {
		case !reduced[int64(i)]:
			dims = append(dims, d)
		case keep:
			dims = append(dims, 1)
		}
	}
	c.SetOutput(0, c.Try(shape.FromVector(dims)))
	return c.Err()
}

// productShape returns that of the product of a, whose shape input 2 gives, and b,
// each perhaps adjoint.
func productShape(c *shape.Context) error {
	c.Try(c.Input(0).WithRank(2))
	c.Try(c.Input(1).WithRank(1))
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

// denseCountShape has as many coordinates as the input has dimensions. Weights
// have its shape, unless there are none.
func denseCountShape(c *shape.Context) error {
	in, weights := c.Input(0), c.Input(1)
	if n, err := weights.NumElements(); err != nil || n != 0 {
		in = c.Try(shape.Merge(weights, in))
	}
	rank := int64(in.Rank())
	c.SetOutput(0, shape.Of(shape.Unknown, rank))
	c.SetOutput(1, shape.Of(shape.Unknown))
	c.SetOutput(2, shape.Of(rank))
	return c.Err()
}

// raggedCountShape has a coordinate for the rows beside those of the values.
func raggedCountShape(c *shape.Context) error {
	rank := shape.Unknown
	if values := c.Input(1); values.Known() {
		rank = int64(values.Rank()) + 1
	}
	c.SetOutput(0, shape.Of(shape.Unknown, rank))
	c.SetOutput(1, shape.Of(shape.Unknown))
	c.SetOutput(2, shape.Of(rank))
	return c.Err()
}

// bincountShape has a bin for each size, in each row if the dense tensor is a
// matrix. It looks at values only.
func bincountShape(c *shape.Context) error {
	if c.Value(3) == nil {
		return nil
	}
	size := c.TryDim(c.DimFrom(3))
	dense, ok := c.ConstInts(2)
	if c.Err() != nil || !ok {
		return c.Err()
	}
	switch len(dense) {
	case 1:
		c.SetOutput(0, shape.Of(size))
	case 2:
		c.SetOutput(0, c.Try(shape.FromVector([]int64{dense[0], size})))
	default:
		c.Fail(status.Invalid("Input must be less than rank 3"))
	}
	return c.Err()
}

func raggedCrossShape(c *shape.Context) error {
	if len(c.Types("ragged_values_types")) != len(c.Types("ragged_splits_types")) {
		return status.Invalid("ragged values and splits must have the same length.")
	}
	if int64(len(c.Types("sparse_values_types"))) != c.Int("Nsparse") {
		return status.Invalid("sparse indices and values must have the same length")
	}
	splits := shape.Of(shape.Unknown) // one more than the batch
	same := func(s shape.Shape) {
		merged, err := shape.Merge(splits, s)
		if err != nil {
			c.Fail(status.Invalid("inputs must all have the same batch dimension size."))
		}
		splits = merged
	}
	lo, hi := c.Arg("ragged_row_splits")
	for i := lo; i < hi; i++ {
		same(c.Input(i))
	}
	lo, hi = c.Arg("dense_inputs")
	for i := lo; i < hi; i++ {
		in := c.Input(i)
		if in.Known() && in.Rank() != 2 {
			return status.Invalid("tf.ragged.cross only supports inputs with rank=2")
		}
		same(shape.Of(c.TryDim(shape.AddDims(in.Dim(0), 1))))
	}
	c.SetOutput(0, shape.Of(shape.Unknown))
	c.SetOutput(1, splits)
	return c.Err()
}
