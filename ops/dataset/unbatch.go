package dataset

import "github.com/troupe-go/troupe/registry"

func init() {
	registry.Define("Unbatch").
		Input("batched_tensor: T").Input("batch_index: int64").Input("id: int64").
		Output("unbatched_tensor: T").
		Attr("timeout_micros: int").
		Attr("container: string = ''").
		Attr("shared_name: string = ''").
		Attr("T: type").
		Doc(`Gives each caller its part of a tensor that was batched for several.

batched_tensor: The batch; it arrives with one of the callers.
batch_index: For each part a row: the caller's id, where the part begins and where it ends.
id: The caller's own id.
timeout_micros: How long to wait for the batch, in microseconds.`)
	registry.Define("UnbatchGrad").
		Input("original_input: T").Input("batch_index: int64").Input("grad: T").Input("id: int64").
		Output("batched_grad: T").
		Attr("container: string = ''").
		Attr("shared_name: string = ''").
		Attr("T: type").
		Doc(`Joins the gradients of the parts that Unbatch gave.

original_input: The batch.
batch_index: For each part a row: the caller's id, where the part begins and where it ends.
grad: The gradient of the caller's part.
id: The caller's own id.`)
}
