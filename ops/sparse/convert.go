package sparse

import (
	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/graph/gradient"
	"github.com/troupe-go/troupe/registry"
)

func init() {
	registry.Define("SparseToDense").
		Input("sparse_indices: Tindices").Input("output_shape: Tindices").Input("sparse_values: T").
		Input("default_value: T").Output("dense: T").
		Attr("validate_indices: bool = true").
		Attr("T: type").
		Attr("Tindices: {int32, int64}").
		Doc(`Writes values into a tensor that is filled with a default.

sparse_indices: Indices of the values, one a row; a vector for a tensor of rank 1, a scalar for one value.
output_shape: The shape of the tensor.
sparse_values: The values, or one for all indices.
default_value: What the other elements are.
validate_indices: Whether to check that indices are in order and occur once.`)
	registry.Define("SparseReorder").
		Input("input_indices: int64").Input("input_values: T").Input("input_shape: int64").
		Output("output_indices: int64").Output("output_values: T").
		Attr("T: type").
		Doc(`Puts the entries of a sparse tensor into row-major order, which other operations want.

input_indices: Indices of the entries, one a row.
input_values: The entries.
input_shape: The shape.`)
	registry.Define("SparseReshape").
		Input("input_indices: int64").Input("input_shape: int64").Input("new_shape: int64").
		Output("output_indices: int64").Output("output_shape: int64").
		Doc(`Gives a sparse tensor another shape, its entries keeping their place in row-major order.

input_indices: Indices of the entries, one a row.
input_shape: The shape.
new_shape: The new shape, in which one dimension may be -1.
output_indices: The new indices of the entries.
output_shape: The new shape, with -1 replaced.`)
	registry.Define("SparseSlice").
		Input("indices: int64").Input("values: T").Input("shape: int64").Input("start: int64").
		Input("size: int64").Output("output_indices: int64").Output("output_values: T").
		Output("output_shape: int64").
		Attr("T: type").
		Doc(`Cuts a box out of a sparse tensor.

indices: Indices of the entries, one a row, in row-major order.
values: The entries.
shape: The shape.
start: Where the box begins, in each dimension.
size: How large it is; it is cut at the tensor's edges.`)
	registry.Define("SparseSliceGrad").
		Input("backprop_val_grad: T").Input("input_indices: int64").Input("input_start: int64").
		Input("output_indices: int64").Output("val_grad: T").
		Attr("T: numbertype").
		Doc(`Computes the gradient of SparseSlice.

backprop_val_grad: The gradient of the box's values.
input_indices: What the operation was given.
input_start: What it was given as start.
output_indices: Its output output_indices.
val_grad: The gradient of its values: zero for those outside the box.`)
	registry.Define("SparseConcat").
		Input("indices: N * int64").Input("values: N * T").Input("shapes: N * int64").
		Output("output_indices: int64").Output("output_values: T").Output("output_shape: int64").
		Attr("concat_dim: int").
		Attr("N: int >= 2").
		Attr("T: type").
		Doc(`Joins sparse tensors along a dimension.

indices: Indices of the entries of each tensor, one a row, in row-major order.
values: Their entries.
shapes: Their shapes, which may differ in concat_dim alone.
concat_dim: The dimension; negative ones count from the end.`)
	registry.Define("SparseSplit").
		Input("split_dim: int64").Input("indices: int64").Input("values: T").Input("shape: int64").
		Output("output_indices: num_split * int64").Output("output_values: num_split * T").
		Output("output_shape: num_split * int64").
		Attr("num_split: int >= 1").
		Attr("T: type").
		Doc(`Cuts a sparse tensor into parts along a dimension.

split_dim: The dimension.
indices: Indices of the entries, one a row, in row-major order.
values: The entries.
shape: The shape.
num_split: How many parts; if the dimension is no multiple of it, the first parts are larger by one.`)
	registry.Define("SparseFillEmptyRows").
		Input("indices: int64").Input("values: T").Input("dense_shape: int64").Input("default_value: T").
		Output("output_indices: int64").Output("output_values: T").Output("empty_row_indicator: bool").
		Output("reverse_index_map: int64").
		Attr("T: type").
		Doc(`Puts a default value into each row of a sparse matrix that has no entry.

indices: Indices of the entries, one a row, in row-major order.
values: The entries.
dense_shape: The shape.
default_value: The value.
output_indices: Indices with the new entries, in column 0.
output_values: Values with the new entries.
empty_row_indicator: For each row whether it was empty.
reverse_index_map: For each old entry its place among the new ones.`)
	registry.Define("SparseFillEmptyRowsGrad").
		Input("reverse_index_map: int64").Input("grad_values: T").Output("d_values: T").
		Output("d_default_value: T").
		Attr("T: type").
		Doc(`Computes the gradient of SparseFillEmptyRows.

reverse_index_map: The output of SparseFillEmptyRows.
grad_values: The gradient of output_values.
d_values: The gradient of values.
d_default_value: The gradient of default_value.`)
	registry.Define("RaggedFillEmptyRows").
		Input("value_rowids: int64").Input("values: T").Input("nrows: int64").Input("default_value: T").
		Output("output_value_rowids: int64").Output("output_values: T").Output("empty_row_indicator: bool").
		Output("reverse_index_map: int64").
		Attr("T: type").
		Doc(`Puts a default value into each row of a ragged tensor that has no value.

value_rowids: The row of each value.
values: The values.
nrows: How many rows there are.
default_value: The value.
output_value_rowids: The rows with the new values.
output_values: The values with the new ones.
empty_row_indicator: For each row whether it was empty.
reverse_index_map: For each old value its place among the new ones.`)
	registry.Define("RaggedFillEmptyRowsGrad").
		Input("reverse_index_map: int64").Input("grad_values: T").Output("d_values: T").
		Output("d_default_value: T").
		Attr("T: type").
		Doc(`Computes the gradient of RaggedFillEmptyRows.

reverse_index_map: The output of RaggedFillEmptyRows.
grad_values: The gradient of output_values.
d_values: The gradient of values.
d_default_value: The gradient of default_value.`)

	gradient.Register(func(c *gradient.Context) {
		if c.Has(1) {
			c.Set(1, c.Apply("SparseSliceGrad", c.Dy(1), c.Input(0), c.Input(3), c.Output(0)))
		}
	}, "SparseSlice")
	for _, op := range []string{"SparseFillEmptyRows", "RaggedFillEmptyRows"} {
		gradient.Register(func(c *gradient.Context) {
			if c.Has(1) {
				grads := c.Outputs(op+"Grad", nil, c.Output(3), c.Dy(1))
				if grads != nil {
					c.Set(1, grads[0])
					c.Set(3, grads[1])
				}
			}
		}, op)
	}
	gradient.Register(func(c *gradient.Context) {
		if !c.Has(1) {
			return
		}
		entries := c.Range(c.Size(c.Input(1)))
		order := c.Outputs("SparseReorder", nil, c.Input(0), entries, c.Input(2))
		if order != nil {
			c.Set(1, c.Apply("GatherV2", c.Dy(1), c.Apply("InvertPermutation", order[1]), c.Const(int32(0))))
		}
	}, "SparseReorder")
	gradient.Register(toDenseGradient, "SparseToDense")
	gradient.None("SparseConcat")
}

// toDenseGradient: what flows to the places of the values is theirs, the rest is the
// default's. Indices may be a vector or a scalar.
func toDenseGradient(c *gradient.Context) {
	if !c.Has(0) {
		return
	}
	rank := c.Apply("ExpandDims", c.Size(c.Input(1)), c.Const(int32(0)))
	indices := c.Reshape(c.Input(0), c.Op("ConcatV2", nil, graph.OutputList{c.Int32s(-1), rank}, c.Const(int32(0))))
	dy := c.Dy(0)
	taken := c.Apply("GatherNd", dy, indices)
	c.Set(2, c.SumTo(taken, c.Input(2)))
	if c.Wants(3) {
		all := c.Apply("Sum", dy, c.Range(c.Rank(dy)))
		c.Set(3, c.Sub(all, c.Apply("Sum", taken, c.Const(int32(0)))))
	}
}
