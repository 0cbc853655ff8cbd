package nn

import (
	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/graph/gradient"
	"github.com/troupe-go/troupe/registry"
)

func init() {
	registry.Define("CTCLoss").
		Input("inputs: T").Input("labels_indices: int64").Input("labels_values: int32").
		Input("sequence_length: int32").Output("loss: T").Output("gradient: T").
		Attr("preprocess_collapse_repeated: bool = false").
		Attr("ctc_merge_repeated: bool = true").
		Attr("ignore_longer_outputs_than_inputs: bool = false").
		Attr("T: {float, double} = DT_FLOAT").
		Doc(`Computes the connectionist temporal classification loss and its gradient.

inputs: Time, batch and classes: logits, of which the last class is the blank.
labels_indices: Indices of the labels, batch and time, in order.
labels_values: The labels.
sequence_length: The length of each sequence.
loss: The negative logarithm of each sequence's probability.
gradient: The gradient of the loss with respect to inputs.
preprocess_collapse_repeated: Whether repeated labels are merged first.
ctc_merge_repeated: Whether repeated non-blank classes are merged.
ignore_longer_outputs_than_inputs: Whether sequences with more labels than steps are passed over, rather than an error.`)
	registry.Define("CTCGreedyDecoder").
		Input("inputs: T").Input("sequence_length: int32").Output("decoded_indices: int64").
		Output("decoded_values: int64").Output("decoded_shape: int64").Output("log_probability: T").
		Attr("merge_repeated: bool = false").
		Attr("blank_index: int = -1").
		Attr("T: {float, double} = DT_FLOAT").
		Doc(`Decodes connectionist temporal classification by taking the best class of each step.

inputs: Time, batch and classes: logits.
sequence_length: The length of each sequence.
decoded_indices: Indices of the result, a sparse matrix with a row for each sequence.
decoded_values: Its values, classes.
decoded_shape: Its shape.
log_probability: The negative sum of the chosen logits of each sequence.
merge_repeated: Whether repeated classes are merged.
blank_index: The class that is the blank; negative counts from the end.`)
	registry.Define("CTCBeamSearchDecoder").
		Input("inputs: T").Input("sequence_length: int32").Output("decoded_indices: top_paths * int64").
		Output("decoded_values: top_paths * int64").Output("decoded_shape: top_paths * int64").
		Output("log_probability: T").
		Attr("beam_width: int >= 1").
		Attr("top_paths: int >= 1").
		Attr("merge_repeated: bool = true").
		Attr("T: {float, double} = DT_FLOAT").
		Doc(`Decodes connectionist temporal classification by beam search.

inputs: Time, batch and classes: logits, of which the last class is the blank.
sequence_length: The length of each sequence.
decoded_indices: Indices of each result, from the best on: a sparse matrix with a row for each sequence.
decoded_values: Their values, classes.
decoded_shape: Their shapes.
log_probability: The logarithm of the probability of each sequence's results.
beam_width: How many prefixes are kept.
top_paths: How many results.
merge_repeated: Whether repeated classes are merged in the results.`)
	gradient.Register(func(c *gradient.Context) {
		if !c.Has(0) {
			return
		}
		const fused = "the operation computes the gradient together with the loss, so there is no second derivative"
		dx := c.Op("PreventGradient", graph.Attrs{"message": fused}, c.Output(1))
		c.Set(0, c.Mul(dx, c.Reshape(c.Dy(0), c.Int32s(1, -1, 1))))
	}, "CTCLoss")
	gradient.None("CTCGreedyDecoder", "CTCBeamSearchDecoder")
}
