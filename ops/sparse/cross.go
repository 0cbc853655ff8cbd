package sparse

import "github.com/troupe-go/troupe/registry"

func init() {
	registry.Define("SparseCross").
		Input("indices: N * int64").Input("values: sparse_types").Input("shapes: N * int64").
		Input("dense_inputs: dense_types").Output("output_indices: int64").
		Output("output_values: out_type").Output("output_shape: int64").
		Attr("N: int >= 0").
		Attr("hashed_output: bool").
		Attr("num_buckets: int >= 0").
		Attr("hash_key: int").
		Attr("sparse_types: list({int64, string}) >= 0").
		Attr("dense_types: list({int64, string}) >= 0").
		Attr("out_type: {int64, string}").
		Attr("internal_type: {int64, string}").
		Doc(`Crosses features: the row of the result has an entry for each combination of entries of the inputs' rows.

indices: Indices of the sparse inputs.
values: Their values, strings or integers.
shapes: Their shapes.
dense_inputs: Inputs that are matrices.
hashed_output: Whether entries are hashes, rather than strings joined with "_X_".
num_buckets: The number that hashes are taken modulo; 0 for none.
hash_key: The key of the hash.
out_type: The type of the entries: int64 for hashes, else string.
internal_type: The type that values have when they are combined.`)
	registry.Define("SparseCrossV2").
		Input("indices: N * int64").Input("values: sparse_types").Input("shapes: N * int64").
		Input("dense_inputs: dense_types").Input("sep: string").Output("output_indices: int64").
		Output("output_values: string").Output("output_shape: int64").
		Attr("N: int >= 0").
		Attr("sparse_types: list({int64, string}) >= 0").
		Attr("dense_types: list({int64, string}) >= 0").
		Doc(`Crosses features into strings: the row of the result has an entry for each combination of entries of the inputs' rows.

indices: Indices of the sparse inputs.
values: Their values, strings or integers.
shapes: Their shapes.
dense_inputs: Inputs that are matrices.
sep: What stands between the parts of an entry.`)
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
