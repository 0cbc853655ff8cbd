package functional

import (
	"context"

	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/resource"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

func init() {
	registry.Define("BatchFunction").
		Input("in_tensors: Tin").Input("captured_tensors: Tcaptured").Output("out_tensors: Tout").
		Attr("f: func").
		Attr("num_batch_threads: int").
		Attr("max_batch_size: int").
		Attr("batch_timeout_micros: int").
		Attr("max_enqueued_batches: int = 10").
		Attr("allowed_batch_sizes: list(int) = []").
		Attr("container: string = ''").
		Attr("shared_name: string = ''").
		Attr("batching_queue: string = ''").
		Attr("low_priority_max_batch_size: int = 0").
		Attr("low_priority_batch_timeout_micros: int = 0").
		Attr("low_priority_allowed_batch_sizes: list(int) = []").
		Attr("low_priority_max_enqueued_batches: int = 0").
		Attr("mixed_priority_policy: {'low_priority_padding_with_max_batch_size', 'low_priority_padding_with_next_allowed_batch_size', 'priority_isolation', 'priority_merge'} = 'low_priority_padding_with_max_batch_size'").
		Attr("batch_padding_policy: {'PAD_UP', 'BATCH_DOWN', 'MINIMIZE_TPU_COST_PER_REQUEST'} = 'PAD_UP'").
		Attr("Tin: list(type) >= 1").
		Attr("Tcaptured: list(type) >= 0").
		Attr("Tout: list(type) >= 1").
		Attr("enable_large_batch_splitting: bool = false").
		DistributedCommunication().
		Doc(`Calls a function once for the tensors of several callers, joined along their first dimension.

in_tensors: The tensors of a caller, of equal first dimension.
captured_tensors: What the function takes after them.
out_tensors: The caller's part of what the function returns.
f: The function.
num_batch_threads: The most calls at one time.
max_batch_size: The largest first dimension of a batch.
batch_timeout_micros: How long a batch waits to be filled, in microseconds.
max_enqueued_batches: How many batches may wait.
allowed_batch_sizes: The first dimensions that a batch may be padded to, ascending; empty for any.
batching_queue: Which callers of one node share batches.
low_priority_max_batch_size: Ignored: all callers have high priority.
low_priority_batch_timeout_micros: Ignored: all callers have high priority.
low_priority_allowed_batch_sizes: Ignored: all callers have high priority.
low_priority_max_enqueued_batches: Ignored: all callers have high priority.
mixed_priority_policy: Ignored: all callers have high priority.
batch_padding_policy: What becomes of a batch of a size that is not allowed: PAD_UP, BATCH_DOWN or MINIMIZE_TPU_COST_PER_REQUEST; it is always padded.
Tout: The types of the results.
enable_large_batch_splitting: Whether the tensors of a caller may be divided among batches.`)
	kernel.ForAll(kernel.ChargeOutputs(newBatchFunction), "BatchFunction")
}

func newBatchFunction(c *kernel.Construction) (kernel.Kernel, error) {
	b, err := batcherOf(c)
	if err != nil {
		return nil, err
	}
	f, outputs, sliced := c.Func("f"), c.Outputs, len(c.Types("Tin"))
	b.name = "the batches of function '" + f.Name + "'"
	b.work = func(ctx context.Context, b *batcher, ready *batch) error {
		out, err := b.call(ctx, f, outputs, ready)
		at := int64(0)
		for _, t := range ready.tasks {
			for _, v := range out {
				t.out = append(t.out, part(v, at, t.rows))
			}
			at += t.rows
			t.parts = len(ready.tasks) > 1
		}
		return err
	}
	return b.kernel(func(ctx *kernel.Context, shared *batcher, in, out []tensor.Value) error {
		return shared.run(ctx, in[:sliced], in[sliced:], out)
	}), nil
}

// call calls the function for all tasks.
func (b *batcher) call(ctx context.Context, named *registry.Func, outputs []tensor.DType, ready *batch) ([]tensor.Value, error) {
	first := ready.tasks[0]
	perStep := resource.Manager{Budget: first.step.Resources.Budget}
	defer perStep.Clear()
	step := *first.step
	step.Context, step.PerStep = ctx, &perStep
	f, err := step.Function(named)
	if err != nil {
		return nil, err
	}
	args, padded, err := b.join(ready)
	if err != nil {
		return nil, err
	}
	joined, err := kernel.NewResults(step.Resources.Budget, first.in, args)
	if err != nil {
		return nil, err
	}
	defer joined.Release()
	if ready.made, err = f.Call(&step, append(args, first.captured...)); err != nil {
		return nil, err
	}
	out := ready.made.Values
	if err := returns(named, out, outputs); err != nil {
		return nil, err
	}
	for _, v := range out {
		if v.Rank() == 0 {
			return nil, status.Errorf(status.FailedPrecondition, "Batched output tensor has 0 dimensions")
		}
		if v.Dims()[0] != padded {
			return nil, status.Errorf(status.FailedPrecondition, "Batched output tensor's 0th dimension does not equal the sum of the 0th dimension sizes of the input tensors")
		}
	}
	return out, nil
}
