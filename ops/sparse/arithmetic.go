package sparse

import "github.com/troupe-go/troupe/registry"

const pairDoc = `

a_indices: Indices of the entries of the one tensor, one a row, in row-major order.
a_values: Its entries.
a_shape: Its shape.
b_indices: Indices of the entries of the other, likewise.
b_values: Its entries.
b_shape: Its shape, the same.`

func init() {
	registry.Define("SparseAdd").
		Input("a_indices: int64").Input("a_values: T").Input("a_shape: int64").Input("b_indices: int64").
		Input("b_values: T").Input("b_shape: int64").Input("thresh: Treal").Output("sum_indices: int64").
		Output("sum_values: T").Output("sum_shape: int64").
		Attr("T: numbertype").
		Attr("Treal: realnumbertype").
		Doc(`Adds two sparse tensors of one shape.

thresh: Sums of an absolute value below this are left out.` + pairDoc)
	registry.Define("SparseTensorDenseAdd").
		Input("a_indices: Tindices").Input("a_values: T").Input("a_shape: Tindices").Input("b: T").
		Output("output: T").
		Attr("T: numbertype").
		Attr("Tindices: {int32, int64}").
		Doc(`Adds a sparse tensor to an ordinary one, of one shape.

a_indices: Indices of the entries of a, one a row.
a_values: The entries.
a_shape: The shape of a.
b: The ordinary tensor.`)
	registry.Define("SparseDenseCwiseAdd").
		Input("sp_indices: int64").Input("sp_values: T").Input("sp_shape: int64").Input("dense: T").
		Output("output: T").
		Attr("T: numbertype").
		Doc(`Adds to each entry of a sparse tensor the element of a tensor in its place.

sp_indices: Indices of the entries, one a row, in row-major order.
sp_values: The entries.
sp_shape: The shape.
dense: A tensor that broadcasts to the shape of the sparse one; what is not at an entry is not read.
output: The new values of the entries.`)
	registry.Define("SparseDenseCwiseMul").
		Input("sp_indices: int64").Input("sp_values: T").Input("sp_shape: int64").Input("dense: T").
		Output("output: T").
		Attr("T: numbertype").
		Doc(`Multiplies each entry of a sparse tensor by the element of a tensor in its place.

sp_indices: Indices of the entries, one a row, in row-major order.
sp_values: The entries.
sp_shape: The shape.
dense: A tensor that broadcasts to the shape of the sparse one.
output: The new values of the entries.`)
	registry.Define("SparseDenseCwiseDiv").
		Input("sp_indices: int64").Input("sp_values: T").Input("sp_shape: int64").Input("dense: T").
		Output("output: T").
		Attr("T: numbertype").
		Doc(`Divides each entry of a sparse tensor by the element of a tensor in its place.

sp_indices: Indices of the entries, one a row, in row-major order.
sp_values: The entries.
sp_shape: The shape.
dense: A tensor that broadcasts to the shape of the sparse one.
output: The new values of the entries.`)
	registry.Define("SparseSparseMaximum").
		Input("a_indices: int64").Input("a_values: T").Input("a_shape: int64").Input("b_indices: int64").
		Input("b_values: T").Input("b_shape: int64").Output("output_indices: int64").
		Output("output_values: T").
		Attr("T: realnumbertype").
		Doc("Takes the larger of the entries of two sparse tensors; a missing entry is 0." + pairDoc)
	registry.Define("SparseSparseMinimum").
		Input("a_indices: int64").Input("a_values: T").Input("a_shape: int64").Input("b_indices: int64").
		Input("b_values: T").Input("b_shape: int64").Output("output_indices: int64").
		Output("output_values: T").
		Attr("T: numbertype").
		Doc("Takes the smaller of the entries of two sparse tensors; a missing entry is 0." + pairDoc)
	registry.Define("SparseReduceSum").
		Input("input_indices: int64").Input("input_values: T").Input("input_shape: int64").
		Input("reduction_axes: int32").Output("output: T").
		Attr("keep_dims: bool = false").
		Attr("T: numbertype").
		Doc(`Adds up the entries of a sparse tensor along dimensions, into a tensor.

input_indices: Indices of the entries, one a row.
input_values: The entries.
input_shape: The shape.
reduction_axes: The dimensions.
keep_dims: Whether these dimensions stay, of size 1.`)
	registry.Define("SparseReduceMax").
		Input("input_indices: int64").Input("input_values: T").Input("input_shape: int64").
		Input("reduction_axes: int32").Output("output: T").
		Attr("keep_dims: bool = false").
		Attr("T: realnumbertype").
		Doc(`Takes the largest entries of a sparse tensor along dimensions, into a tensor.

input_indices: Indices of the entries, one a row.
input_values: The entries.
input_shape: The shape.
reduction_axes: The dimensions.
keep_dims: Whether these dimensions stay, of size 1.`)
	registry.Define("SparseSoftmax").
		Input("sp_indices: int64").Input("sp_values: T").Input("sp_shape: int64").Output("output: T").
		Attr("T: {half, float, double}").
		Doc(`Computes the softmax of each row of a sparse tensor, over its entries.

sp_indices: Indices of the entries, one a row, in row-major order.
sp_values: The entries.
sp_shape: The shape.
output: The new values of the entries.`)
}
