package functional

import (
	"context"
	"slices"

	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/tensor"
)

func init() {
	registry.Define("Batch").
		Input("in_tensors: T").Output("batched_tensors: T").Output("batch_index: int64").Output("id: int64").
		Attr("num_batch_threads: int").
		Attr("max_batch_size: int").
		Attr("max_enqueued_batches: int = 10").
		Attr("batch_timeout_micros: int").
		Attr("allowed_batch_sizes: list(int) = []").
		Attr("grad_timeout_micros: int").
		Attr("container: string = ''").
		Attr("shared_name: string = ''").
		Attr("batching_queue: string = ''").
		Attr("T: list(type) >= 1").
		DistributedCommunication().
		Doc(`Joins the tensors of several callers along their first dimension and passes them to one of the callers.

The others get tensors without rows. Unbatch gives each caller its part of what is made of them.

in_tensors: The tensors of a caller, of equal first dimension.
batched_tensors: Those of all callers.
batch_index: For each caller a row: its id, where its part begins and where it ends.
id: The caller's own id.
num_batch_threads: How many batches may be joined at one time.
max_batch_size: The largest first dimension of a batch.
max_enqueued_batches: How many batches may wait.
batch_timeout_micros: How long a batch waits to be filled, in microseconds.
allowed_batch_sizes: The first dimensions that a batch may be padded to, ascending; empty for any.
grad_timeout_micros: Ignored.
batching_queue: Which callers of one node share batches.`)
	kernel.ForAllWaiting(kernel.ChargeOutputs(newBatch), "Batch")
}

func newBatch(c *kernel.Construction) (kernel.Kernel, error) {
	b, err := batcherOf(c)
	if err != nil {
		return nil, err
	}
	b.name, b.work = "the batches of node '"+c.Node+"'", joinForLast
	return b.kernel(func(ctx *kernel.Context, shared *batcher, in, out []tensor.Value) error {
		return shared.run(ctx, in, nil, out)
	}), nil
}

// joinForLast returns what all tasks bring to the one that came last, and says
// whose the parts are.
func joinForLast(_ context.Context, b *batcher, ready *batch) error {
	joined, _, err := b.join(ready)
	if err != nil {
		return err
	}
	var index []int64
	at, last := int64(0), ready.tasks[len(ready.tasks)-1]
	for _, t := range ready.tasks {
		id := t.step.Resources.NextID()
		index = append(index, id, at, at+t.rows)
		at += t.rows
		if t != last {
			for _, v := range joined {
				t.out = append(t.out, part(v, 0, 0))
			}
			t.out = append(t.out, indexOf(nil))
		} else {
			t.out = append(slices.Clone(joined), indexOf(index))
		}
		t.out = append(t.out, tensor.Scalar(id))
	}
	return nil
}

// indexOf is rows of three numbers.
func indexOf(rows []int64) tensor.Value {
	t, _ := tensor.FromSlice(rows, int64(len(rows)/3), 3) // it fits
	return tensor.ValueOf(t)
}
