package ragged

import "github.com/troupe-go/troupe/registry"

func init() {
	registry.Define("RaggedTensorToSparse").
		Input("rt_nested_splits: RAGGED_RANK * Tsplits").Input("rt_dense_values: T").
		Output("sparse_indices: int64").Output("sparse_values: T").Output("sparse_dense_shape: int64").
		Attr("RAGGED_RANK: int >= 1").
		Attr("T: type").
		Attr("Tsplits: {int32, int64} = DT_INT64").
		Doc(`Turns a ragged tensor into a sparse one.

rt_nested_splits: For each ragged dimension, from the outermost, where its rows begin and end.
rt_dense_values: The values of the innermost rows.`)
	registry.Define("RaggedTensorToVariant").
		Input("rt_nested_splits: RAGGED_RANK * Tsplits").Input("rt_dense_values: Tvalues").
		Output("encoded_ragged: variant").
		Attr("RAGGED_RANK: int >= 0").
		Attr("Tvalues: type").
		Attr("Tsplits: {int32, int64} = DT_INT64").
		Attr("batched_input: bool").
		Doc(`Packs a ragged tensor into variants.

rt_nested_splits: For each ragged dimension, from the outermost, where its rows begin and end.
rt_dense_values: The values of the innermost rows.
batched_input: Whether each row of the outermost dimension makes a variant of its own.`)
	registry.Define("RaggedTensorFromVariant").
		Input("encoded_ragged: variant").Output("output_nested_splits: output_ragged_rank * Tsplits").
		Output("output_dense_values: Tvalues").
		Attr("input_ragged_rank: int >= -1").
		Attr("output_ragged_rank: int >= 0").
		Attr("Tvalues: type").
		Attr("Tsplits: {int32, int64} = DT_INT64").
		Doc(`Unpacks variants into a ragged tensor.

encoded_ragged: One variant, or several, which are stacked.
input_ragged_rank: How many ragged dimensions a variant has; -1 to work it out.
output_ragged_rank: How many the result has.
Tvalues: The type of the values.
Tsplits: The type of the splits.`)
}
