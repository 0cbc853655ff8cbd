package sparse

import "github.com/troupe-go/troupe/registry"

func init() {
	registry.Define("DenseCountSparseOutput").
		Input("values: T").Input("weights: output_type").Output("output_indices: int64").
		Output("output_values: output_type").Output("output_dense_shape: int64").
		Attr("T: {int32, int64}").
		Attr("minlength: int >= -1 = -1").
		Attr("maxlength: int >= -1 = -1").
		Attr("binary_output: bool").
		Attr("output_type: {int32, int64, float, double}").
		Doc(`Counts the values in each row of a vector or matrix, into a sparse tensor.

weights: What each value counts; empty for 1.
minlength: The least number of columns; -1 for none.
maxlength: Values from this on are left out; -1 for none.
binary_output: Whether to report which values occur, rather than how often.`)
	registry.Define("SparseCountSparseOutput").
		Input("indices: int64").Input("values: T").Input("dense_shape: int64").
		Input("weights: output_type").Output("output_indices: int64").
		Output("output_values: output_type").Output("output_dense_shape: int64").
		Attr("T: {int32, int64}").
		Attr("minlength: int >= -1 = -1").
		Attr("maxlength: int >= -1 = -1").
		Attr("binary_output: bool").
		Attr("output_type: {int32, int64, float, double}").
		Doc(`Counts the values in each row of a sparse tensor, into a sparse tensor.

indices: Indices of the entries, one a row, in row-major order.
values: The entries.
dense_shape: The shape.
weights: What each value counts; empty for 1.
minlength: The least number of columns; -1 for none.
maxlength: Values from this on are left out; -1 for none.
binary_output: Whether to report which values occur, rather than how often.`)
	registry.Define("RaggedCountSparseOutput").
		Input("splits: int64").Input("values: T").Input("weights: output_type").
		Output("output_indices: int64").Output("output_values: output_type").
		Output("output_dense_shape: int64").
		Attr("T: {int32, int64}").
		Attr("minlength: int >= -1 = -1").
		Attr("maxlength: int >= -1 = -1").
		Attr("binary_output: bool").
		Attr("output_type: {int32, int64, float, double}").
		Doc(`Counts the values in each row of a ragged matrix, into a sparse tensor.

splits: Where rows begin and end.
weights: What each value counts; empty for 1.
minlength: The least number of columns; -1 for none.
maxlength: Values from this on are left out; -1 for none.
binary_output: Whether to report which values occur, rather than how often.`)
	registry.Define("SparseBincount").
		Input("indices: int64").Input("values: Tidx").Input("dense_shape: int64").Input("size: Tidx").
		Input("weights: T").Output("output: T").
		Attr("Tidx: {int32, int64}").
		Attr("T: {int32, int64, float, double}").
		Attr("binary_output: bool = false").
		Doc(`Counts the values in each row of a sparse tensor, into a tensor.

indices: Indices of the entries, one a row, in row-major order.
values: The entries.
dense_shape: The shape.
size: How many values are counted, from 0 on.
weights: What each value counts; empty for 1.
binary_output: Whether to report which values occur, rather than how often.`)
}
