package data

import (
	"slices"
	"sync/atomic"

	"github.com/troupe-go/troupe/graph/gradient"
	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/resource"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

func init() {
	registry.Define("QueueEnqueue").
		Input("handle: Ref(string)").Input("components: Tcomponents").
		Puts("handle").Traits(registry.Synchronizes).
		Attr("Tcomponents: list(type) >= 1").
		Attr("timeout_ms: int = -1").
		Doc(`Adds an element to a queue behind a reference, waiting while the queue is full.

timeout_ms: How long to wait, in milliseconds; -1 for any time.`)
	registry.Define("QueueEnqueueV2").
		Input("handle: resource").Input("components: Tcomponents").
		Puts("handle").Traits(registry.Synchronizes).
		Attr("Tcomponents: list(type) >= 1").
		Attr("timeout_ms: int = -1").
		Stateful().
		Doc(`Adds an element to a queue, waiting while the queue is full; a closed queue is an error.

components: The element.
timeout_ms: How long to wait, in milliseconds; -1 for any time.`)
	registry.Define("QueueEnqueueMany").
		Input("handle: Ref(string)").Input("components: Tcomponents").
		Puts("handle").Traits(registry.Synchronizes).
		Attr("Tcomponents: list(type) >= 1").
		Attr("timeout_ms: int = -1").
		Doc(`Adds each slice of tensors along their first dimension to a queue behind a reference.

components: Tensors of equal first dimension.
timeout_ms: How long to wait, in milliseconds; -1 for any time.`)
	registry.Define("QueueEnqueueManyV2").
		Input("handle: resource").Input("components: Tcomponents").
		Puts("handle").Traits(registry.Synchronizes).
		Attr("Tcomponents: list(type) >= 1").
		Attr("timeout_ms: int = -1").
		Stateful().
		Doc(`Adds each slice of tensors along their first dimension to a queue.

components: Tensors of equal first dimension.
timeout_ms: How long to wait, in milliseconds; -1 for any time.`)
	registry.Define("QueueDequeue").
		Input("handle: Ref(string)").Output("components: component_types").
		Takes("handle").Traits(registry.Synchronizes).
		Attr("component_types: list(type) >= 1").
		Attr("timeout_ms: int = -1").
		Doc(`Takes an element from a queue behind a reference, waiting while there is none.

component_types: The types of an element's components, as the queue has them.
timeout_ms: How long to wait, in milliseconds; -1 for any time.`)
	registry.Define("QueueDequeueV2").
		Input("handle: resource").Output("components: component_types").
		Takes("handle").Traits(registry.Synchronizes).
		Attr("component_types: list(type) >= 1").
		Attr("timeout_ms: int = -1").
		Stateful().
		Doc(`Takes an element from a queue, waiting while there is none; from a closed and empty queue it fails with OUT_OF_RANGE.

components: The element.
component_types: The types of an element's components, as the queue has them.
timeout_ms: How long to wait, in milliseconds; -1 for any time.`)
	registry.Define("QueueDequeueMany").
		Input("handle: Ref(string)").Input("n: int32").Output("components: component_types").
		Takes("handle").Traits(registry.Synchronizes).
		Attr("component_types: list(type) >= 1").
		Attr("timeout_ms: int = -1").
		Doc(`Takes elements from a queue behind a reference and stacks them, waiting until there are enough.

n: How many.
component_types: The types of an element's components, as the queue has them.
timeout_ms: How long to wait, in milliseconds; -1 for any time.`)
	registry.Define("QueueDequeueManyV2").
		Input("handle: resource").Input("n: int32").Output("components: component_types").
		Takes("handle").Traits(registry.Synchronizes).
		Attr("component_types: list(type) >= 1").
		Attr("timeout_ms: int = -1").
		Stateful().
		Doc(`Takes n elements from a queue and stacks them, waiting until there are enough; a closed queue with fewer fails with OUT_OF_RANGE.

n: How many.
components: The stacked components.
component_types: The types of an element's components, as the queue has them.
timeout_ms: How long to wait, in milliseconds; -1 for any time.`)
	registry.Define("QueueDequeueUpTo").
		Input("handle: Ref(string)").Input("n: int32").Output("components: component_types").
		Takes("handle").Traits(registry.Synchronizes).
		Attr("component_types: list(type) >= 1").
		Attr("timeout_ms: int = -1").
		Doc(`Takes elements from a queue behind a reference and stacks them; from a closed queue, as many as are left.

n: How many.
component_types: The types of an element's components, as the queue has them.
timeout_ms: How long to wait, in milliseconds; -1 for any time.`)
	registry.Define("QueueDequeueUpToV2").
		Input("handle: resource").Input("n: int32").Output("components: component_types").
		Takes("handle").Traits(registry.Synchronizes).
		Attr("component_types: list(type) >= 1").
		Attr("timeout_ms: int = -1").
		Stateful().
		Doc(`Takes n elements from a queue and stacks them, waiting until there are enough; from a closed queue, as many as are left.

n: How many.
components: The stacked components.
component_types: The types of an element's components, as the queue has them.
timeout_ms: How long to wait, in milliseconds; -1 for any time.`)
	registry.Define("QueueClose").
		Input("handle: Ref(string)").
		Closes("handle").Traits(registry.Synchronizes).
		Attr("cancel_pending_enqueues: bool = false").
		Doc(`Closes a queue behind a reference: nothing more can be added.

cancel_pending_enqueues: Whether those that wait to add something fail.`)
	registry.Define("QueueCloseV2").
		Input("handle: resource").
		Closes("handle").Traits(registry.Synchronizes).
		Attr("cancel_pending_enqueues: bool = false").
		Stateful().
		Doc(`Closes a queue: nothing more can be added, and what is left can be taken.

cancel_pending_enqueues: Whether those that wait to add something fail.`)
	registry.Define("QueueIsClosed").
		Input("handle: Ref(string)").Output("is_closed: bool").
		Reads("handle").
		Doc("Reports whether a queue behind a reference is closed.")
	registry.Define("QueueIsClosedV2").
		Input("handle: resource").Output("is_closed: bool").
		Reads("handle").
		Stateful().
		Doc("Reports whether a queue is closed.")
	registry.Define("QueueSize").
		Input("handle: Ref(string)").Output("size: int32").
		Reads("handle").
		Doc("Returns the number of elements in a queue behind a reference.")
	registry.Define("QueueSizeV2").
		Input("handle: resource").Output("size: int32").
		Reads("handle").
		Stateful().
		Doc("Returns the number of elements in a queue.")

	kernel.ForAll(queueKernel(newEnqueue), "QueueEnqueue", "QueueEnqueueV2")
	kernel.ForAll(queueKernel(newEnqueueMany), "QueueEnqueueMany", "QueueEnqueueManyV2")
	kernel.ForAll(kernel.ChargeOutputs(queueKernel(newDequeue)), "QueueDequeue", "QueueDequeueV2")
	kernel.ForAll(kernel.ChargeOutputs(queueKernel(newDequeueMany("DequeueManyOp", false))), "QueueDequeueMany", "QueueDequeueManyV2")
	kernel.ForAll(kernel.ChargeOutputs(queueKernel(newDequeueMany("DequeueUpToOp", true))), "QueueDequeueUpTo", "QueueDequeueUpToV2")
	kernel.ForAll(func(*kernel.Construction) (kernel.Kernel, error) { return kernel.Func(queueSize), nil }, "QueueSize", "QueueSizeV2")
	kernel.ForAll(queueKernel(newClose), "QueueClose", "QueueCloseV2")
	kernel.ForAll(func(*kernel.Construction) (kernel.Kernel, error) { return kernel.Func(queueClosed), nil }, "QueueIsClosed", "QueueIsClosedV2")

	gradient.None("QueueEnqueue", "QueueEnqueueMany", "QueueDequeue", "QueueDequeueMany", "QueueDequeueUpTo", "QueueClose", "QueueSize")
}

// queueKernel makes the kernel of an operation that may wait.
func queueKernel[K kernel.Async](create func(c *kernel.Construction) K) kernel.Factory {
	return func(c *kernel.Construction) (kernel.Kernel, error) {
		if timeout := c.Attrs.Find("timeout_ms"); timeout != nil && timeout.I != -1 {
			return nil, c.Errorf("Timeout not supported yet.")
		}
		return create(c), nil
	}
}

// matchInputs reports whether tensors of these types are the components of an
// element of q.
func matchInputs(q *resource.Queue, types []tensor.DType) error {
	if got, want := typeNames(types), typeNames(q.Types); got != want {
		return status.Invalid("Signature mismatch, have: resource, %s-> expected: resource, %s->", got, want)
	}
	return nil
}

func matchOutputs(q *resource.Queue, types []tensor.DType) error {
	if got, want := typeNames(types), typeNames(q.Types); got != want {
		return status.Invalid("Signature mismatch, have: resource->%s expected: resource->%s", got, want)
	}
	return nil
}

// An enqueue adds one element to a queue.
type enqueue struct {
	types   []tensor.DType
	matched *atomic.Pointer[resource.Queue] // the last queue that has such elements
}

func newEnqueue(c *kernel.Construction) kernel.Async {
	return enqueue{c.Inputs[1:], new(atomic.Pointer[resource.Queue])}
}

// queue returns the queue that is to have the element.
func (k enqueue) queue(in []tensor.Value) (*resource.Queue, error) {
	q, err := queueOf(&in[0])
	if err == nil && k.matched.Load() != q {
		if err = matchInputs(q, k.types); err == nil {
			k.matched.Store(q)
		}
	}
	if err == nil {
		err = checkElement(q, in[1:])
	}
	return q, err
}

// Start adds the element when there is room.
func (k enqueue) Start(ctx *kernel.Context, in, _ []tensor.Value, done func(error)) {
	q, err := k.queue(in)
	if err != nil {
		done(err)
		return
	}
	q.Enqueue(ctx.Step.Context, disown(ctx, in[1:]), done)
}

// Run waits for what Start starts.
func (k enqueue) Run(ctx *kernel.Context, in, out []tensor.Value) error {
	return asyncFunc(k.Start).Run(ctx, in, out)
}

// Try adds the element, or waits in line.
func (k enqueue) Try(ctx *kernel.Context, in, _ []tensor.Value, p *resource.Place) (bool, error) {
	q, err := k.queue(in)
	if err != nil {
		return true, err
	}
	return p.Put(ctx.Step.Context, q, disown(ctx, in[1:]))
}

// Served has nothing left to do.
func (enqueue) Served(*kernel.Context, []tensor.Value, []tensor.Value) error { return nil }

// disown is in, given to a queue: see kernel.Context.UnchargeValue. It is in's own
// memory as long as no value is replaced by a copy. Of what is mapped a queue has a copy: it
// reads elements under its lock, and for other steps, where reading must not fail.
func disown(ctx *kernel.Context, in []tensor.Value) []tensor.Value {
	given := in
	for i, v := range in {
		if v.Plain() {
			continue
		}
		if w := ctx.UnchargeValue(v.Held()); w != v {
			if &given[0] == &in[0] {
				given = slices.Clone(in)
			}
			given[i] = w
		}
	}
	return given
}

// checkElement checks the shapes of an element's components.
func checkElement(q *resource.Queue, components []tensor.Value) error {
	for i, v := range components {
		switch {
		case q.Shapes != nil && !fits(q.Shapes[i], v.Dims()):
			return status.Invalid("Shape mismatch in tuple component %d. Expected %v, got %s", i, q.Shapes[i], tensor.FormatDims(v.Dims()))
		case i == 0 && q.Kind == priorityQueue && !v.IsScalar():
			return status.Invalid("Expected the priority of an element to be a scalar, but it has shape %s", tensor.FormatDims(v.Dims()))
		}
	}
	return nil
}

func newEnqueueMany(c *kernel.Construction) asyncFunc {
	types := c.Inputs[1:]
	return func(ctx *kernel.Context, in, _ []tensor.Value, done func(error)) {
		q, err := held[*resource.Queue](&in[0])
		if err == nil {
			err = matchInputs(q, types)
		}
		if err == nil {
			err = checkBatch(q, in[1:])
		}
		if err != nil {
			done(err)
			return
		}
		q.EnqueueMany(ctx.Step.Context, disown(ctx, in[1:]), in[1].Dim(0), done)
	}
}

// checkBatch checks the shapes of tensors whose slices are elements.
func checkBatch(q *resource.Queue, components []tensor.Value) error {
	for i, v := range components {
		if v.Rank() < 1 {
			return status.Invalid("Shape mismatch in tuple component %d. Expected at least one dimension, got %s", i, tensor.FormatDims(v.Dims()))
		}
		n, dims := components[0].Dims()[0], v.Dims()
		switch {
		case dims[0] != n:
			return status.Invalid("Shape mismatch in tuple component %d. Expected [%d,...], got %s", i, n, tensor.FormatDims(dims))
		case q.Shapes != nil && !fits(q.Shapes[i], dims[1:]):
			return status.Invalid("Shape mismatch in tuple component %d. Expected %v, got %s", i, batchShape(n, q.Shapes[i]), tensor.FormatDims(dims))
		case i == 0 && q.Kind == priorityQueue && len(dims) > 1:
			return status.Invalid("Expected the priorities of elements to be a vector, but they have shape %s", tensor.FormatDims(dims))
		}
	}
	return nil
}

// A dequeue takes one element from a queue.
type dequeue struct {
	types   []tensor.DType
	matched *atomic.Pointer[resource.Queue] // the last queue that has such elements
}

func newDequeue(c *kernel.Construction) kernel.Async {
	return dequeue{c.Outputs, new(atomic.Pointer[resource.Queue])}
}

// queue returns the queue that the element comes from.
func (k dequeue) queue(in []tensor.Value) (*resource.Queue, error) {
	q, err := queueOf(&in[0])
	if err == nil && k.matched.Load() != q {
		if err = matchOutputs(q, k.types); err == nil {
			k.matched.Store(q)
		}
	}
	return q, err
}

// Start takes an element when there is one.
func (k dequeue) Start(ctx *kernel.Context, in, out []tensor.Value, done func(error)) {
	q, err := k.queue(in)
	if err != nil {
		done(err)
		return
	}
	if t, ok := q.TryDequeue(); ok {
		copy(out, t.Elements)
		ctx.Undo = t
		done(nil)
		return
	}
	q.Dequeue(ctx.Step.Context, 1, false, func(t *resource.Taken) error {
		copy(out, t.Elements)
		ctx.Undo = t
		return nil
	}, done)
}

// Run waits for what Start starts.
func (k dequeue) Run(ctx *kernel.Context, in, out []tensor.Value) error {
	return asyncFunc(k.Start).Run(ctx, in, out)
}

// Try takes an element, or waits in line.
func (k dequeue) Try(ctx *kernel.Context, in, out []tensor.Value, p *resource.Place) (bool, error) {
	q, err := k.queue(in)
	if err != nil {
		return true, err
	}
	return p.Take(ctx.Step.Context, q, out)
}

// Served has nothing left to do: the place has brought the element.
func (dequeue) Served(*kernel.Context, []tensor.Value, []tensor.Value) error { return nil }

//go:noinline
func newDequeueMany(name string, upTo bool) func(c *kernel.Construction) asyncFunc {
	return func(c *kernel.Construction) asyncFunc {
		types := c.Outputs
		return func(ctx *kernel.Context, in, out []tensor.Value, done func(error)) {
			q, err := held[*resource.Queue](&in[0])
			if err == nil {
				err = matchOutputs(q, types)
			}
			if err == nil && q.Shapes == nil {
				err = status.Invalid("%s's DequeueMany and DequeueUpTo require the components to have specified shapes.", q.Kind)
			}
			n := int32(0)
			if err == nil {
				n, err = count(name, &in[1])
			}
			if err != nil {
				done(err)
				return
			}
			if n == 0 {
				done(batch(ctx.Step.Resources.Budget, q, nil, out))
				return
			}
			budget := ctx.Step.Resources.Budget
			q.Dequeue(ctx.Step.Context, int(n), upTo, func(t *resource.Taken) error {
				err := batch(budget, q, t.Elements, out)
				if err == nil {
					ctx.Undo = t
				}
				return err
			}, done)
		}
	}
}

// count returns the number of elements that an operation asks for.
func count(name string, v *tensor.Value) (int32, error) {
	if !v.IsScalar() {
		return 0, status.Invalid("%s requested a number of elements of shape %s, which must be a scalar", name, tensor.FormatDims(v.Dims()))
	}
	n := tensor.At0[int32](v)
	if n < 0 {
		return 0, status.Invalid("%s requested %d < 0 elements", name, n)
	}
	return n, nil
}

func queueSize(_ *kernel.Context, in, out []tensor.Value) error {
	q, err := held[*resource.Queue](&in[0])
	if err == nil {
		out[0] = tensor.Scalar(int32(q.Len()))
	}
	return err
}

func newClose(c *kernel.Construction) asyncFunc {
	cancel := c.Bool("cancel_pending_enqueues")
	return func(ctx *kernel.Context, in, _ []tensor.Value, done func(error)) {
		q, err := held[*resource.Queue](&in[0])
		if err != nil {
			done(err)
			return
		}
		q.Shut(ctx.Step.Context, cancel, done)
	}
}

func queueClosed(_ *kernel.Context, in, out []tensor.Value) error {
	q, err := held[*resource.Queue](&in[0])
	if err == nil {
		out[0] = tensor.Scalar(q.Closed())
	}
	return err
}
