package ragged

import "github.com/troupe-go/troupe/registry"

func init() {
	registry.Define("RaggedBincount").
		Input("splits: int64").Input("values: Tidx").Input("size: Tidx").Input("weights: T").
		Output("output: T").
		Attr("Tidx: {int32, int64}").
		Attr("T: {int32, int64, float, double}").
		Attr("binary_output: bool = false").
		Doc(`Counts the values in each row of a ragged matrix, into a matrix.

splits: Where rows begin and end.
size: How many values are counted, from 0 on.
weights: What each value counts; empty for 1.
binary_output: Whether to tell which values occur, rather than how often.`)
	registry.Define("RaggedCross").
		Input("ragged_values: ragged_values_types").Input("ragged_row_splits: ragged_splits_types").
		Input("sparse_indices: Nsparse * int64").Input("sparse_values: sparse_values_types").
		Input("sparse_shape: Nsparse * int64").Input("dense_inputs: dense_types").
		Output("output_values: out_values_type").Output("output_row_splits: out_row_splits_type").
		Attr("Nsparse: int >= 0").
		Attr("input_order: string").
		Attr("hashed_output: bool").
		Attr("num_buckets: int >= 0").
		Attr("hash_key: int").
		Attr("ragged_values_types: list({int64, string}) >= 0").
		Attr("ragged_splits_types: list({int32, int64}) >= 0").
		Attr("sparse_values_types: list({int64, string}) >= 0").
		Attr("dense_types: list({int64, string}) >= 0").
		Attr("out_values_type: {int64, string}").
		Attr("out_row_splits_type: {int32, int64}").
		Doc(`Crosses features that are ragged, sparse or dense into a ragged matrix.

ragged_values: Values of the ragged inputs.
ragged_row_splits: Where their rows begin and end.
sparse_indices: Indices of the sparse inputs.
sparse_values: Their values.
sparse_shape: Their shapes.
dense_inputs: Inputs that are matrices.
output_values: The entries of all rows.
output_row_splits: Where rows begin and end.
input_order: The kind of each input in order: "R" ragged, "S" sparse, "D" dense.
hashed_output: Whether entries are hashes, rather than strings joined with "_X_".
num_buckets: The number that hashes are taken modulo; 0 for none.
hash_key: The key of the hash.
out_values_type: The type of the entries: int64 for hashes, else string.
out_row_splits_type: The type of output_row_splits.`)
}
