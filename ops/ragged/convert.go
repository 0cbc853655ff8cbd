package ragged

import (
	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/graph/gradient"
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/status"
)

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
	registry.Define("RaggedTensorToVariantGradient").
		Input("encoded_ragged_grad: variant").Input("row_splits: Tsplits").
		Input("dense_values_shape: int32").Output("dense_values_grad: Tvalues").
		Attr("Tvalues: type").
		Attr("Tsplits: {int32, int64} = DT_INT64").
		Doc(`Computes the gradient of RaggedTensorToVariant.

encoded_ragged_grad: The gradient of its result, whose variants hold ragged tensors.
row_splits: Its outermost splits; none if it had none.
dense_values_shape: The shape of its values.
dense_values_grad: The gradient of these.
Tvalues: Their type.`)
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

	gradient.Register(func(c *gradient.Context) {
		if !c.Has(0) {
			return
		}
		values := c.NumInputs() - 1
		splits := c.Const([]int32{}) // there may be none
		if values > 0 {
			splits = c.Input(0)
		}
		c.Set(values, c.Op("RaggedTensorToVariantGradient", c.Attrs("Tvalues"), c.Dy(0), splits, c.Shape(c.Input(values))))
	}, "RaggedTensorToVariant")
	gradient.Register(func(c *gradient.Context) {
		values := c.NumOutputs() - 1
		if !c.Has(values) {
			return
		}
		var splits graph.OutputList
		for i := range values {
			splits = append(splits, c.Output(i))
		}
		shape := c.StaticShape(c.Input(0))
		if !shape.Known() || shape.Rank() > 1 {
			c.Fail(status.Errorf(status.Unimplemented, "the gradient of ragged tensors from variants of shape %v", shape))
			return
		}
		attrs := graph.Attrs{"batched_input": shape.Rank() == 1, "Tsplits": c.Type("Tsplits")}
		c.Set(0, c.Op("RaggedTensorToVariant", attrs, splits, c.Dy(values)))
	}, "RaggedTensorFromVariant")
	gradient.Register(func(c *gradient.Context) { c.Pass(1, c.NumInputs()-1) }, "RaggedTensorToSparse")
}
