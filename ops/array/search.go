package array

import "github.com/troupe-go/troupe/registry"

func init() {
	registry.Define("LowerBound").
		Input("sorted_inputs: T").Input("values: T").Output("output: out_type").
		Attr("T: type").
		Attr("out_type: {int32, int64} = DT_INT32").
		Doc(`Finds where values could be put into sorted rows, before equal elements.

sorted_inputs: Rows in ascending order.
values: As many rows of values.
output: For each value the number of elements before its place.
out_type: The type of the places.`)
	registry.Define("UpperBound").
		Input("sorted_inputs: T").Input("values: T").Output("output: out_type").
		Attr("T: type").
		Attr("out_type: {int32, int64} = DT_INT32").
		Doc(`Finds where values could be put into sorted rows, after equal elements.

sorted_inputs: Rows in ascending order.
values: As many rows of values.
output: For each value the number of elements before its place.
out_type: The type of the places.`)
	registry.Define("UnravelIndex").
		Input("indices: Tidx").Input("dims: Tidx").Output("output: Tidx").
		Attr("Tidx: {int32, int64} = DT_INT32").
		Doc(`Turns places in a flattened tensor into coordinates.

indices: The places; one outside of the tensor is an error.
dims: The shape of the tensor.
output: The coordinates of a place in a column.`)
	registry.Define("EditDistance").
		Input("hypothesis_indices: int64").Input("hypothesis_values: T").Input("hypothesis_shape: int64").
		Input("truth_indices: int64").Input("truth_values: T").Input("truth_shape: int64").
		Output("output: float").
		Attr("normalize: bool = true").
		Attr("T: type").
		Doc(`Counts the insertions, deletions and replacements that turn each sequence into another (Levenshtein distance).

hypothesis_indices: The sequences, as a sparse tensor.
hypothesis_values: Their elements.
hypothesis_shape: Their shape; the last dimension is along sequences.
truth_indices: The others, as a sparse tensor.
truth_values: Their elements.
truth_shape: Their shape.
normalize: Whether to divide by the length of the other sequence; the distance to an empty one is ∞, or 0 from an empty one.`)
	registry.Define("Fingerprint").
		Input("data: T").Input("method: string").Output("fingerprint: uint8").
		Attr("T: type").
		Doc(`Hashes each slice along the first dimension.

method: "farmhash64".`)
}
