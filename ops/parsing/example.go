package parsing

import "github.com/troupe-go/troupe/registry"

func init() {
	registry.Define("ParseExample").
		Input("serialized: string").Input("names: string").Input("sparse_keys: Nsparse * string").
		Input("dense_keys: Ndense * string").Input("dense_defaults: Tdense").
		Output("sparse_indices: Nsparse * int64").Output("sparse_values: sparse_types").
		Output("sparse_shapes: Nsparse * int64").Output("dense_values: Tdense").
		Attr("Nsparse: int >= 0").
		Attr("Ndense: int >= 0").
		Attr("sparse_types: list({float, int64, string}) >= 0").
		Attr("Tdense: list({float, int64, string}) >= 0").
		Attr("dense_shapes: list(shape) >= 0").
		Doc(`Parses serialized Example messages into tensors.

serialized: One message an element.
names: Names of the messages for errors, or none.
sparse_keys: The features that become sparse tensors.
dense_keys: The features that become tensors.
dense_defaults: The value of each of these where a message lacks it; empty if it must be there.
sparse_indices: Indices of the sparse features.
sparse_values: Their values.
sparse_shapes: Their shapes.
dense_values: The dense features.
sparse_types: The types of sparse features.
dense_shapes: The shapes of dense features; the first dimension may be unknown.`)
	registry.Define("ParseExampleV2").
		Input("serialized: string").Input("names: string").Input("sparse_keys: string").
		Input("dense_keys: string").Input("ragged_keys: string").Input("dense_defaults: Tdense").
		Output("sparse_indices: num_sparse * int64").Output("sparse_values: sparse_types").
		Output("sparse_shapes: num_sparse * int64").Output("dense_values: Tdense").
		Output("ragged_values: ragged_value_types").Output("ragged_row_splits: ragged_split_types").
		Attr("Tdense: list({float, int64, string}) >= 0").
		Attr("num_sparse: int >= 0").
		Attr("sparse_types: list({float, int64, string}) >= 0").
		Attr("ragged_value_types: list({float, int64, string}) >= 0").
		Attr("ragged_split_types: list({int32, int64}) >= 0").
		Attr("dense_shapes: list(shape) >= 0").
		Doc(`Parses serialized Example messages into tensors, sparse and ragged ones.

serialized: One message, or a vector of them.
names: Names of the messages for errors, or none.
sparse_keys: The features that become sparse tensors.
dense_keys: The features that become tensors.
ragged_keys: The features that become ragged tensors.
dense_defaults: The value of each dense feature where a message lacks it; empty if it must be there.
sparse_indices: Indices of the sparse features.
sparse_values: Their values.
sparse_shapes: Their shapes.
dense_values: The dense features.
ragged_values: The values of the ragged features.
ragged_row_splits: Where their rows begin and end.
num_sparse: The number of sparse features.
sparse_types: The types of the sparse features.
ragged_value_types: The types of the ragged features.
ragged_split_types: The types of their splits.
dense_shapes: The shapes of dense features; the first dimension may be unknown.`)
	registry.Define("ParseSingleExample").
		Input("serialized: string").Input("dense_defaults: Tdense").
		Output("sparse_indices: num_sparse * int64").Output("sparse_values: sparse_types").
		Output("sparse_shapes: num_sparse * int64").Output("dense_values: Tdense").
		Attr("num_sparse: int >= 0").
		Attr("sparse_keys: list(string) >= 0").
		Attr("dense_keys: list(string) >= 0").
		Attr("sparse_types: list({float, int64, string}) >= 0").
		Attr("Tdense: list({float, int64, string}) >= 0").
		Attr("dense_shapes: list(shape) >= 0").
		Doc(`Parses one serialized Example message into tensors.

serialized: The message.
dense_defaults: The value of each dense feature if the message lacks it; empty if it must be there.
sparse_indices: Indices of the sparse features.
sparse_values: Their values.
sparse_shapes: Their shapes.
dense_values: The dense features.
num_sparse: The number of sparse features.
sparse_keys: The features that become sparse tensors.
dense_keys: The features that become tensors.
sparse_types: The types of the sparse features.
dense_shapes: The shapes of dense features; the first dimension may be unknown.`)
	registry.Define("ParseSequenceExample").
		Input("serialized: string").Input("debug_name: string").
		Input("context_dense_defaults: Tcontext_dense").
		Output("context_sparse_indices: Ncontext_sparse * int64").
		Output("context_sparse_values: context_sparse_types").
		Output("context_sparse_shapes: Ncontext_sparse * int64").
		Output("context_dense_values: Tcontext_dense").
		Output("feature_list_sparse_indices: Nfeature_list_sparse * int64").
		Output("feature_list_sparse_values: feature_list_sparse_types").
		Output("feature_list_sparse_shapes: Nfeature_list_sparse * int64").
		Output("feature_list_dense_values: feature_list_dense_types").
		Output("feature_list_dense_lengths: Nfeature_list_dense * int64").
		Attr("feature_list_dense_missing_assumed_empty: list(string) >= 0").
		Attr("context_sparse_keys: list(string) >= 0").
		Attr("context_dense_keys: list(string) >= 0").
		Attr("feature_list_sparse_keys: list(string) >= 0").
		Attr("feature_list_dense_keys: list(string) >= 0").
		Attr("Ncontext_sparse: int >= 0 = 0").
		Attr("Ncontext_dense: int >= 0 = 0").
		Attr("Nfeature_list_sparse: int >= 0 = 0").
		Attr("Nfeature_list_dense: int >= 0 = 0").
		Attr("context_sparse_types: list({float, int64, string}) >= 0 = []").
		Attr("Tcontext_dense: list({float, int64, string}) >= 0 = []").
		Attr("feature_list_dense_types: list({float, int64, string}) >= 0 = []").
		Attr("context_dense_shapes: list(shape) >= 0 = []").
		Attr("feature_list_sparse_types: list({float, int64, string}) >= 0 = []").
		Attr("feature_list_dense_shapes: list(shape) >= 0 = []").
		Doc(`Parses serialized SequenceExample messages into tensors.

serialized: One message an element.
debug_name: Names of the messages for errors, or none.
context_dense_defaults: The value of each dense feature of the context where a message lacks it.
context_sparse_indices: Indices of the sparse features of the context.
context_sparse_values: Their values.
context_sparse_shapes: Their shapes.
context_dense_values: The dense features of the context.
feature_list_sparse_indices: Indices of the sparse feature lists.
feature_list_sparse_values: Their values.
feature_list_sparse_shapes: Their shapes.
feature_list_dense_values: The dense feature lists.
feature_list_dense_lengths: How long the list of each message is.
feature_list_dense_missing_assumed_empty: Dense feature lists that may be missing and are empty then.
context_sparse_keys: Features of the context that become sparse tensors.
context_dense_keys: Features of the context that become tensors.
feature_list_sparse_keys: Feature lists that become sparse tensors.
feature_list_dense_keys: Feature lists that become tensors, filled up to the longest.
Ncontext_sparse: How many sparse features the context has.
Ncontext_dense: How many dense features the context has.
Nfeature_list_sparse: How many sparse feature lists there are.
Nfeature_list_dense: How many dense feature lists there are.
context_sparse_types: The types of the sparse features of the context.
feature_list_dense_types: The types of the dense feature lists.
context_dense_shapes: The shapes of the dense features of the context.
feature_list_sparse_types: The types of the sparse feature lists.
feature_list_dense_shapes: The shapes of an element of the dense feature lists.`)
	registry.Define("ParseSingleSequenceExample").
		Input("serialized: string").Input("feature_list_dense_missing_assumed_empty: string").
		Input("context_sparse_keys: Ncontext_sparse * string").
		Input("context_dense_keys: Ncontext_dense * string").
		Input("feature_list_sparse_keys: Nfeature_list_sparse * string").
		Input("feature_list_dense_keys: Nfeature_list_dense * string").
		Input("context_dense_defaults: Tcontext_dense").Input("debug_name: string").
		Output("context_sparse_indices: Ncontext_sparse * int64").
		Output("context_sparse_values: context_sparse_types").
		Output("context_sparse_shapes: Ncontext_sparse * int64").
		Output("context_dense_values: Tcontext_dense").
		Output("feature_list_sparse_indices: Nfeature_list_sparse * int64").
		Output("feature_list_sparse_values: feature_list_sparse_types").
		Output("feature_list_sparse_shapes: Nfeature_list_sparse * int64").
		Output("feature_list_dense_values: feature_list_dense_types").
		Attr("Ncontext_sparse: int >= 0 = 0").
		Attr("Ncontext_dense: int >= 0 = 0").
		Attr("Nfeature_list_sparse: int >= 0 = 0").
		Attr("Nfeature_list_dense: int >= 0 = 0").
		Attr("context_sparse_types: list({float, int64, string}) >= 0 = []").
		Attr("Tcontext_dense: list({float, int64, string}) >= 0 = []").
		Attr("feature_list_dense_types: list({float, int64, string}) >= 0 = []").
		Attr("context_dense_shapes: list(shape) >= 0 = []").
		Attr("feature_list_sparse_types: list({float, int64, string}) >= 0 = []").
		Attr("feature_list_dense_shapes: list(shape) >= 0 = []").
		Doc(`Parses one serialized SequenceExample message into tensors.

serialized: The message.
feature_list_dense_missing_assumed_empty: Dense feature lists that may be missing and are empty then.
context_dense_defaults: The value of each dense feature of the context if the message lacks it.
debug_name: A name of the message for errors.
context_sparse_indices: Indices of the sparse features of the context.
context_sparse_values: Their values.
context_sparse_shapes: Their shapes.
context_dense_values: The dense features of the context.
feature_list_sparse_indices: Indices of the sparse feature lists.
feature_list_sparse_values: Their values.
feature_list_sparse_shapes: Their shapes.
feature_list_dense_values: The dense feature lists.
context_sparse_types: The types of the sparse features of the context.
feature_list_dense_types: The types of the dense feature lists.
context_dense_shapes: The shapes of the dense features of the context.
feature_list_sparse_types: The types of the sparse feature lists.
feature_list_dense_shapes: The shapes of an element of the dense feature lists.`)
	registry.Define("DecodeJSONExample").
		Input("json_examples: string").Output("binary_examples: string").
		Doc("Turns Example messages written in JSON into serialized ones.")
}
