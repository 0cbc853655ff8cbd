package sparse

import "github.com/troupe-go/troupe/registry"

func init() {
	registry.Define("SerializeSparse").
		Input("sparse_indices: int64").Input("sparse_values: T").Input("sparse_shape: int64").
		Output("serialized_sparse: out_type").
		Attr("T: type").
		Attr("out_type: {string, variant} = DT_STRING").
		Doc(`Serializes a sparse tensor into a vector of three elements: indices, values and shape.

sparse_indices: Indices of the entries, one a row.
sparse_values: The entries.
sparse_shape: The shape.
out_type: Whether the elements are strings or variants.`)
	registry.Define("SerializeManySparse").
		Input("sparse_indices: int64").Input("sparse_values: T").Input("sparse_shape: int64").
		Output("serialized_sparse: out_type").
		Attr("T: type").
		Attr("out_type: {string, variant} = DT_STRING").
		Doc(`Serializes each slice of a sparse tensor along its first dimension into a row of three elements.

sparse_indices: Indices of the entries, one a row, in row-major order.
sparse_values: The entries.
sparse_shape: The shape.
out_type: Whether the elements are strings or variants.`)
	registry.Define("DeserializeSparse").
		Input("serialized_sparse: Tserialized").Output("sparse_indices: int64").
		Output("sparse_values: dtype").Output("sparse_shape: int64").
		Attr("dtype: type").
		Attr("Tserialized: {string, variant} = DT_STRING").
		Doc(`Joins serialized sparse tensors of one rank into one, with a dimension more for each of theirs.

serialized_sparse: Elements as SerializeSparse returns them, in the last dimension.`)
	registry.Define("AddManySparseToTensorsMap").
		Input("sparse_indices: int64").Input("sparse_values: T").Input("sparse_shape: int64").
		Output("sparse_handles: int64").
		Attr("T: type").
		Attr("container: string = ''").
		Attr("shared_name: string = ''").
		Stateful().
		Doc(`Keeps the slices of a sparse tensor along its first dimension in a map of the session.

sparse_indices: Indices of the entries, one a row, in row-major order.
sparse_values: The entries.
sparse_shape: The shape.
sparse_handles: The key of each slice in the map.`)
}
