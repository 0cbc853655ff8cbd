package setops

import (
	"github.com/troupe-go/troupe/graph/gradient"
	"github.com/troupe-go/troupe/registry"
)

func init() {
	registry.Define("SetSize").
		Input("set_indices: int64").Input("set_values: T").Input("set_shape: int64").
		Output("size: int32").
		Attr("validate_indices: bool = true").
		Attr("T: {int8, int16, int32, int64, uint8, uint16, string}").
		Doc(`Counts the distinct values in each row of a sparse tensor.

set_indices: Indices of the values, in order.
set_values: The values.
set_shape: The shape.
size: One count for each row, a row being the last dimension.
validate_indices: Whether to check that indices are in order and within the shape.`)
	registry.Define("DenseToDenseSetOperation").
		Input("set1: T").Input("set2: T").Output("result_indices: int64").Output("result_values: T").
		Output("result_shape: int64").
		Attr("set_operation: string").
		Attr("validate_indices: bool = true").
		Attr("T: {int8, int16, int32, int64, uint8, uint16, string}").
		Doc(`Combines, row by row, the sets that the rows of two tensors are.

set1: The one; a row is the last dimension.
set2: The other, of the same shape but for the last dimension.
result_indices: Indices of the results, whose rows are in ascending order.
result_values: The results.
result_shape: Their shape.
set_operation: "a-b", "b-a", "intersection" or "union".
validate_indices: Ignored.`)
	registry.Define("DenseToSparseSetOperation").
		Input("set1: T").Input("set2_indices: int64").Input("set2_values: T").Input("set2_shape: int64").
		Output("result_indices: int64").Output("result_values: T").Output("result_shape: int64").
		Attr("set_operation: string").
		Attr("validate_indices: bool = true").
		Attr("T: {int8, int16, int32, int64, uint8, uint16, string}").
		Doc(`Combines, row by row, the sets that the rows of a tensor and of a sparse one are.

set1: The one; a row is the last dimension.
set2_indices: Indices of the other, in order.
set2_values: Its values.
set2_shape: Its shape.
result_indices: Indices of the results, whose rows are in ascending order.
result_values: The results.
result_shape: Their shape.
set_operation: "a-b", "b-a", "intersection" or "union".
validate_indices: Whether to check that indices are in order and within the shape.`)
	registry.Define("SparseToSparseSetOperation").
		Input("set1_indices: int64").Input("set1_values: T").Input("set1_shape: int64").
		Input("set2_indices: int64").Input("set2_values: T").Input("set2_shape: int64").
		Output("result_indices: int64").Output("result_values: T").Output("result_shape: int64").
		Attr("set_operation: string").
		Attr("validate_indices: bool = true").
		Attr("T: {int8, int16, int32, int64, uint8, uint16, string}").
		Doc(`Combines, row by row, the sets that the rows of two sparse tensors are.

set1_indices: Indices of the one, in order.
set1_values: Its values.
set1_shape: Its shape.
set2_indices: Indices of the other, in order.
set2_values: Its values.
set2_shape: Its shape, the same but for the last dimension.
result_indices: Indices of the results, whose rows are in ascending order.
result_values: The results.
result_shape: Their shape.
set_operation: "a-b", "b-a", "intersection" or "union".
validate_indices: Whether to check that indices are in order and within the shape.`)

	gradient.None("SetSize", "DenseToDenseSetOperation", "DenseToSparseSetOperation", "SparseToSparseSetOperation")
}
