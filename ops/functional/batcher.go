package functional

import (
	"context"
	"runtime/debug"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/kernel/strided"
	"github.com/troupe-go/troupe/resource"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

// A batcher joins the tensors of several steps that run a node at the same time.
// It is a resource of the session.
type batcher struct {
	name string // for messages
	// work sets what the tasks of a batch put out.
	work    func(ctx context.Context, b *batcher, ready *batch) error
	threads int64 // the most calls at one time
	most    int64 // rows of a caller
	size    int64 // rows of a batch
	timeout time.Duration
	queue   int64   // batches that may wait
	allowed []int64 // sizes, ascending; empty for any
	split   bool    // tasks may be divided among batches

	container, shared string // where it is found

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
	parts    bool // out is part of what other tasks get too
	err      error
	done     chan struct{} // closed when out or err is there
	batch    *batch
}

// A batch is tasks that are run together.
type batch struct {
	tasks []*task
	rows  int64
	timer *time.Timer // runs it when it has waited for long

	made kernel.Results // what tasks get parts of, until all have them
	left atomic.Int64   // tasks that have not, and the batch itself while it runs
}

// leave says that a task, or the batch, is done with what was made.
func (b *batch) leave() {
	if b.left.Add(-1) == 0 {
		b.made.Release()
	}
}

// batcherOf reads the options of a node that batches.
func batcherOf(c *kernel.Construction) (*batcher, error) {
	b := &batcher{
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
	b.container, b.shared = c.Container(), c.Str("shared_name")
	if b.shared == "" {
		b.shared = c.Node
	}
	b.shared += "/" + c.Str("batching_queue")
	return b, nil
}

// kernel returns a kernel that runs with the batcher of its session, which the first
// to ask for it makes of b.
func (b *batcher) kernel(run func(ctx *kernel.Context, shared *batcher, in, out []tensor.Value) error) kernel.Kernel {
	return kernel.BlockingFunc(func(ctx *kernel.Context, in, out []tensor.Value) error {
		shared, err := resource.LookupOrCreate(ctx.Step.Resources, b.container, b.shared, func() (*batcher, error) {
			made := &batcher{
				name: b.name, work: b.work, threads: b.threads, most: b.most, size: b.size, timeout: b.timeout,
				queue: b.queue, allowed: b.allowed, split: b.split,
			}
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
		return run(ctx, shared, kept, out)
	})
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
	for _, t := range tasks {
		defer t.batch.leave()
	}
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
			return status.Errorf(status.Canceled, "%s have been destroyed", b.name)
		}
	}
	if len(tasks) == 1 {
		copy(out, tasks[0].out)
		for i, v := range out {
			if tasks[0].parts && !v.Plain() { // it would keep the whole
				if out[i], err = ctx.Alloc(v.DType(), v.Dims()); err != nil {
					return err
				}
				out[i].CopyFrom(v)
			}
		}
		return nil
	}
	for i := range out {
		parts := make([]tensor.Value, len(tasks))
		for k, t := range tasks {
			parts[k] = t.out[i]
		}
		if out[i], err = strided.Join(ctx.Step.Resources.Budget, parts); err != nil {
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
		return nil, status.Errorf(status.Canceled, "%s have been destroyed", b.name)
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
				return tasks, status.Errorf(status.Unavailable, "The batch scheduling queue to which this task was submitted is full; currently %d batches enqueued and max_enqueued_batches is %d", len(b.waiting), b.queue)
			}
			opened := &batch{}
			opened.left.Store(1)
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
		t := &task{step: &step, in: in, captured: captured, rows: n, done: make(chan struct{}), batch: b.open}
		b.open.left.Add(1)
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

// next returns the batch that has waited longest; without one the goroutine that asks
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
	defer ready.leave()
	err := b.guarded(ctx, ready)
	for _, t := range ready.tasks {
		t.err = err
		close(t.done)
	}
}

func (b *batcher) guarded(ctx context.Context, ready *batch) (err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true)) // see files.Mapping
	defer func() {
		if r := recover(); r != nil {
			err = kernel.Panicked(r)
		}
	}()
	return b.work(ctx, b, ready)
}

// join returns the tensors of all tasks, one after the other, with copies of the first
// row behind them where their number is not allowed; and the number of rows.
func (b *batcher) join(ready *batch) (joined []tensor.Value, padded int64, err error) {
	padded = ready.rows
	for _, size := range b.allowed {
		if size >= ready.rows {
			padded = size
			break
		}
	}
	if ready.rows == 0 {
		padded = 0
	}
	first := ready.tasks[0]
	for i := range first.in {
		var parts []tensor.Value
		for _, t := range ready.tasks {
			parts = append(parts, t.in[i])
		}
		for range padded - ready.rows {
			parts = append(parts, part(firstRow(parts), 0, 1))
		}
		all, err := strided.Join(first.step.Resources.Budget, parts)
		if err != nil {
			return nil, 0, err
		}
		joined = append(joined, all)
	}
	return joined, padded, nil
}

// firstRow returns the first of several tensors that has a row.
func firstRow(parts []tensor.Value) tensor.Value {
	for _, v := range parts {
		if v.Dim(0) > 0 {
			return v
		}
	}
	return parts[0]
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
