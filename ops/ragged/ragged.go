package ragged

import (
	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/graph/gradient"
	"github.com/troupe-go/troupe/registry"
)

func init() {
	registry.Define("RaggedGather").
		Input("params_nested_splits: PARAMS_RAGGED_RANK * Tsplits").Input("params_dense_values: Tvalues").
		Input("indices: Tindices").Output("output_nested_splits: OUTPUT_RAGGED_RANK * Tsplits").
		Output("output_dense_values: Tvalues").
		Attr("Tvalues: type").
		Attr("Tindices: {int32, int64}").
		Attr("Tsplits: {int32, int64} = DT_INT64").
		Attr("PARAMS_RAGGED_RANK: int >= 1").
		Attr("OUTPUT_RAGGED_RANK: int >= 0").
		Doc(`Gathers rows of a ragged tensor.

params_nested_splits: For each ragged dimension, from the outermost, where its rows begin and end.
params_dense_values: The values of the innermost rows.
indices: Which rows.
output_nested_splits: For each ragged dimension of the result where its rows begin and end.
output_dense_values: The values of its innermost rows.
OUTPUT_RAGGED_RANK: How many ragged dimensions the result has: those of params and of indices, less one.`)
	registry.Define("RaggedRange").
		Input("starts: T").Input("limits: T").Input("deltas: T").Output("rt_nested_splits: Tsplits").
		Output("rt_dense_values: T").
		Attr("T: {bfloat16, float, double, int32, int64} = DT_INT32").
		Attr("Tsplits: {int32, int64} = DT_INT64").
		Doc(`Makes rows of numbers, each a range of its own.

starts: The first number of each row; scalars stand for all rows.
limits: Where each range ends; it is not part of it.
deltas: The steps.
rt_nested_splits: Where rows begin and end.
rt_dense_values: The numbers of all rows.
Tsplits: The type of the splits.`)
	registry.Define("RaggedTensorToTensor").
		Input("shape: Tshape").Input("values: T").Input("default_value: T").
		Input("row_partition_tensors: num_row_partition_tensors * Tindex").Output("result: T").
		Attr("T: type").
		Attr("Tindex: {int64, int32}").
		Attr("Tshape: {int64, int32}").
		Attr("num_row_partition_tensors: int >= 1").
		Attr("row_partition_types: list(string)").
		Doc(`Turns a ragged tensor into a dense one, filling up rows.

shape: The shape of the result, -1 for what is to be as large as needed; longer rows are cut.
values: The values of the innermost rows.
default_value: What rows are filled up with.
row_partition_tensors: For each dimension what row_partition_types says.
row_partition_types: For each dimension "ROW_SPLITS", "VALUE_ROWIDS" or "FIRST_DIM_SIZE".`)

	gradient.None("RaggedRange")
	gradient.Register(gatherGradient, "RaggedGather")
	gradient.Register(toTensorGradient, "RaggedTensorToTensor")
}

// gatherGradient: which rows of the values were taken, the same operation says of
// their numbers.
func gatherGradient(c *gradient.Context) {
	last := c.NumOutputs() - 1
	if !c.Has(last) {
		return
	}
	splits := c.Inputs("params_nested_splits")
	values, indices := c.Input(len(splits)), c.Input(len(splits)+1)
	attrs := c.Attrs("OUTPUT_RAGGED_RANK")
	attrs["Tsplits"] = c.Type("Tsplits")
	taken := c.Outputs("RaggedGather", attrs, splits, rowNumbers(c, values), indices)
	if taken == nil {
		return
	}
	c.SetRows(len(splits), c.RowsAt(values, taken[last], c.Dy(last)))
}

// rowNumbers is 0, 1, …, one for each row of the values.
func rowNumbers(c *gradient.Context, values graph.Output) graph.Output {
	first := c.Int32s(0)
	n := c.Op("StridedSlice", graph.Attrs{"shrink_axis_mask": int64(1)}, c.Shape(values), first, c.Int32s(1), c.Int32s(1))
	return c.Range(n)
}

// toTensorGradient: where each row of the values went, the same operation says of
// their numbers from 1 on. Where it says 0, the default value is.
func toTensorGradient(c *gradient.Context) {
	if !c.Has(0) {
		return
	}
	values, filler, dy := c.Input(1), c.Input(2), c.Dy(0)
	zero, one := c.Const(int32(0)), c.Const(int32(1))
	inner := c.Sub(c.Rank(values), one)
	outer := c.Apply("ExpandDims", c.Sub(c.Rank(dy), inner), zero)
	shape := c.Op("StridedSlice", graph.Attrs{"begin_mask": int64(1)}, c.Shape(c.Output(0)), c.Int32s(0), outer, c.Int32s(1))
	numbers := rowNumbers(c, values)
	from := c.Op("RaggedTensorToTensor", c.Attrs("row_partition_types"), shape, c.Add(numbers, one), zero, c.Inputs("row_partition_tensors"))
	c.Set(1, c.Apply("UnsortedSegmentSum", dy, c.Sub(from, one), c.Apply("Size", numbers)))
	if c.Wants(2) {
		ones := c.Apply("Fill", c.Apply("ExpandDims", inner, zero), one)
		filled := c.Apply("Equal", from, zero)
		filled = c.Reshape(filled, c.Op("ConcatV2", nil, graph.OutputList{shape, ones}, zero))
		c.Set(2, c.SumTo(c.Select(filled, dy, c.Scalar(dy, 0)), filler))
	}
}
