package functional

import (
	"context"
	"slices"
	"sync"
	"time"

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
	kernel.ForAll(newBatchFunction, "BatchFunction")
}

// A batcher joins the tensors of several steps that run a BatchFunction at the
// same time. It is a resource of the session.
type batcher struct {
	f       *registry.Func
	outputs []tensor.DType
	threads int64 // the most calls at one time
	most    int64 // rows of a caller
	size    int64 // rows of a batch
	timeout time.Duration
	queue   int64   // batches that may wait
	allowed []int64 // sizes, ascending; empty for any
	split   bool    // tasks may be divided among batches

	life context.Context // ends with Close
	end  context.CancelFunc
	busy sync.WaitGroup

	mu      sync.Mutex
	open    *batch   // still to be filled
	waiting []*batch // still to be run
	running int64
}

// A task is the rows of one caller, or a part of them.
type task struct {
	step     *kernel.Step // a copy: the caller may give up
	in       []tensor.Value
	captured []tensor.Value
	rows     int64
	out      []tensor.Value
	err      error
	done     chan struct{} // closed when out or err is there
}

// A batch is tasks that are run together.
type batch struct {
	tasks []*task
	rows  int64
	timer *time.Timer // runs it when it has waited for long
}

func newBatchFunction(c *kernel.Construction) (kernel.Kernel, error) {
	b := batcher{
		f: c.Func("f"), outputs: c.Outputs,
		threads: c.Int("num_batch_threads"), most: c.Int("max_batch_size"), queue: c.Int("max_enqueued_batches"),
		timeout: time.Duration(min(max(c.Int("batch_timeout_micros"), 0), 1<<40)) * time.Microsecond,
		allowed: c.Ints("allowed_batch_sizes"), split: c.Bool("enable_large_batch_splitting"),
	}
	switch {
	case b.threads <= 0:
		return nil, c.Errorf("num_batch_threads must be positive, not %d", b.threads)
	case b.most <= 0:
		return nil, c.Errorf("max_batch_size must be positive, not %d", b.most)
	case b.queue <= 0:
		return nil, c.Errorf("max_enqueued_batches must be positive, not %d", b.queue)
	}
	for i, size := range b.allowed {
		switch last := i == len(b.allowed)-1; {
		case size <= 0 || i > 0 && size <= b.allowed[i-1]:
			return nil, c.Errorf("allowed_batch_sizes entries must be monotonically increasing")
		case last && size != b.most && !b.split:
			return nil, c.Errorf("final entry in allowed_batch_sizes must equal max_batch_size when enable_large_batch_splitting is False")
		case last && size > b.most:
			return nil, c.Errorf("final entry in allowed_batch_sizes must be less than or equal to max_batch_size")
		}
	}
	if b.size = b.most; b.split && len(b.allowed) > 0 {
		b.size = b.allowed[len(b.allowed)-1]
	}
	container, name, sliced := c.Str("container"), c.Str("shared_name"), len(c.Types("Tin"))
	if name == "" {
		name = c.Node
	}
	name += "/" + c.Str("batching_queue")
	return kernel.Apart(func(ctx *kernel.Context, in, out []tensor.Value) error {
		shared, err := resource.LookupOrCreate(ctx.Step.Resources, container, name, func() (*batcher, error) {
			made := &batcher{f: b.f, outputs: b.outputs, threads: b.threads, most: b.most, size: b.size, timeout: b.timeout, queue: b.queue, allowed: b.allowed, split: b.split}
			made.life, made.end = context.WithCancel(context.Background())
			return made, nil
		})
		if err != nil {
			return err
		}
		kept := make([]tensor.Value, len(in))
		for i, v := range in {
			kept[i] = v.Share()
		}
		return shared.run(ctx, kept[:sliced], kept[sliced:], out)
	}), nil
}

// run waits for the caller's part of what the function returns.
func (b *batcher) run(ctx *kernel.Context, in, captured, out []tensor.Value) error {
	for _, v := range in {
		if v.Rank() == 0 {
			return status.Invalid("Batching input tensors must have at least one dimension")
		}
		if v.Dim(0) != in[0].Dim(0) {
			return status.Invalid("Batching input tensors supplied in a given op invocation must have equal 0th-dimension size")
		}
	}
	rows := int64(in[0].Dim(0))
	if rows > b.most {
		return status.Invalid("Task size %d is larger than maximum input batch size %d", rows, b.most)
	}
	tasks, err := b.enqueue(ctx, in, captured, rows)
	if err != nil {
		return err
	}
	for _, t := range tasks {
		select {
		case <-t.done:
			if t.err != nil {
				return t.err
			}
		case <-ctx.Step.Context.Done():
			return ctx.Err()
		case <-b.life.Done():
			return status.Errorf(status.Canceled, "the batches of function '%s' have been destroyed", b.f.Name)
		}
	}
	if len(tasks) == 1 {
		copy(out, tasks[0].out)
		return nil
	}
	for i := range out {
		parts := make([]tensor.Value, len(tasks))
		for k, t := range tasks {
			parts[k] = t.out[i]
		}
		if out[i], err = join(ctx.Step.Resources.Budget, parts); err != nil {
			return err
		}
	}
	return nil
}

// enqueue puts rows into batches.
func (b *batcher) enqueue(ctx *kernel.Context, in, captured []tensor.Value, rows int64) ([]*task, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.life.Err() != nil {
		return nil, status.Errorf(status.Canceled, "the batches of function '%s' have been destroyed", b.f.Name)
	}
	step := *ctx.Step
	var tasks []*task
	for at := int64(0); at < rows || rows == 0 && tasks == nil; {
		n := rows - at
		if b.open != nil && b.open.rows+n > b.size && !(b.split && b.open.rows < b.size) {
			b.schedule(b.open)
		}
		if b.open == nil {
			if int64(len(b.waiting)) >= b.queue {
				return nil, status.Errorf(status.Unavailable, "The batch scheduling queue to which this task was submitted is full; currently %d batches enqueued and max_enqueued_batches is %d", len(b.waiting), b.queue)
			}
			opened := &batch{}
			b.open = opened
			b.busy.Add(1) // until it has run
			opened.timer = time.AfterFunc(b.timeout, func() {
				b.mu.Lock()
				defer b.mu.Unlock()
				if b.open == opened {
					b.schedule(opened)
				}
			})
		}
		n = min(n, b.size-b.open.rows)
		t := &task{step: &step, in: in, captured: captured, rows: n, done: make(chan struct{})}
		if n < rows {
			t.in = make([]tensor.Value, len(in))
			for i, v := range in {
				t.in[i] = part(v, at, n)
			}
		}
		tasks = append(tasks, t)
		b.open.tasks = append(b.open.tasks, t)
		b.open.rows += n
		at += n
		if b.open.rows >= b.size {
			b.schedule(b.open)
		}
	}
	return tasks, nil
}

// part is rows of v.
func part(v tensor.Value, at, n int64) tensor.Value {
	dims := slices.Clone(v.Dims())
	size := v.NumElements() / max(int(dims[0]), 1)
	dims[0] = n
	return tensor.ValueOf(v.Tensor().Slice(int(at)*size, int(n)*size, dims)).Share()
}

// schedule has the open batch run as soon as there are few enough others. The
// batcher is locked.
func (b *batcher) schedule(ready *batch) {
	ready.timer.Stop()
	b.open = nil
	b.waiting = append(b.waiting, ready)
	if b.running == b.threads {
		return
	}
	b.running++
	go func() {
		for next := b.next(); next != nil; next = b.next() {
			b.process(next)
			b.busy.Done()
		}
	}()
}

// next is the batch that has waited longest; without one the goroutine that asks
// is to end.
func (b *batcher) next() *batch {
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.waiting) == 0 {
		b.running--
		return nil
	}
	first := b.waiting[0]
	b.waiting[0] = nil
	b.waiting = b.waiting[1:]
	return first
}

// process runs a batch for its tasks: until it is done, or nobody waits for it any
// more.
func (b *batcher) process(ready *batch) {
	ctx, cancel := context.WithCancel(b.life)
	defer cancel()
	var gone sync.WaitGroup
	gone.Add(len(ready.tasks))
	for _, t := range ready.tasks {
		stop := context.AfterFunc(t.step.Context, gone.Done)
		defer func() {
			if stop() {
				gone.Done()
			}
		}()
	}
	go func() { // ends with the last of the tasks, or with process
		gone.Wait()
		cancel()
	}()
	out, err := b.call(ctx, ready)
	at := int64(0)
	for _, t := range ready.tasks {
		t.err = err
		for _, v := range out {
			t.out = append(t.out, part(v, at, t.rows))
		}
		at += t.rows
		close(t.done)
	}
}

// call calls the function for all tasks, and for copies of the first row where
// their number is not allowed.
func (b *batcher) call(ctx context.Context, ready *batch) (out []tensor.Value, err error) {
	defer func() {
		if r := recover(); r != nil {
			out, err = nil, kernel.Panicked(r)
		}
	}()
	first := ready.tasks[0]
	perStep := resource.Manager{Budget: first.step.Resources.Budget}
	defer perStep.Clear()
	step := *first.step
	step.Context, step.PerStep = ctx, &perStep
	f, err := step.Function(b.f)
	if err != nil {
		return nil, err
	}
	padded := ready.rows
	for _, size := range b.allowed {
		if size >= ready.rows {
			padded = size
			break
		}
	}
	if ready.rows == 0 {
		padded = 0
	}
	var args []tensor.Value
	for i := range first.in {
		var parts []tensor.Value
		for _, t := range ready.tasks {
			parts = append(parts, t.in[i])
		}
		for range padded - ready.rows {
			parts = append(parts, part(firstRow(parts), 0, 1))
		}
		joined, err := join(step.Resources.Budget, parts)
		if err != nil {
			return nil, err
		}
		args = append(args, joined)
	}
	if out, err = f.Call(&step, append(args, first.captured...)); err != nil {
		return nil, err
	}
	if err := returns(b.f, out, b.outputs); err != nil {
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

// firstRow is the first of several tensors that has a row.
func firstRow(parts []tensor.Value) tensor.Value {
	for _, v := range parts {
		if v.Dim(0) > 0 {
			return v
		}
	}
	return parts[0]
}

// join is tensors one after the other along their first dimension.
func join(budget *tensor.Budget, parts []tensor.Value) (tensor.Value, error) {
	if len(parts) == 1 {
		return parts[0], nil
	}
	dims := slices.Clone(parts[0].Dims())
	for _, v := range parts[1:] {
		if !slices.Equal(v.Dims()[1:], dims[1:]) {
			return v, status.Invalid("Dimensions of inputs should match: shape[0] = %s vs. %s", tensor.FormatDims(parts[0].Dims()), tensor.FormatDims(v.Dims()))
		}
		dims[0] += v.Dims()[0]
	}
	arena := tensor.Arena{Budget: budget}
	defer arena.Settle()
	all, err := arena.AllocZeroed(parts[0].DType(), dims)
	if err != nil {
		return all, err
	}
	arena.Disown(all)
	at := 0
	for _, v := range parts {
		n := v.NumElements()
		into := all.Borrow(at, n, []int64{int64(n)})
		into.CopyFrom(v)
		at += n
	}
	return all, nil
}

// Close ends all batches; whoever waits for one fails.
func (b *batcher) Close() {
	b.mu.Lock()
	b.end()
	if b.open != nil {
		b.schedule(b.open)
	}
	b.mu.Unlock()
	b.busy.Wait()
}
