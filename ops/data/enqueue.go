package data

import "github.com/troupe-go/troupe/registry"

func init() {
	registry.Define("QueueEnqueue").
		Input("handle: Ref(string)").Input("components: Tcomponents").
		Attr("Tcomponents: list(type) >= 1").
		Attr("timeout_ms: int = -1").
		Doc(`Adds an element to a queue behind a reference, waiting while the queue is full.

timeout_ms: How long to wait, in milliseconds; -1 for any time.`)
	registry.Define("QueueEnqueueV2").
		Input("handle: resource").Input("components: Tcomponents").
		Attr("Tcomponents: list(type) >= 1").
		Attr("timeout_ms: int = -1").
		Stateful().
		Doc(`Adds an element to a queue, waiting while the queue is full.

timeout_ms: How long to wait, in milliseconds; -1 for any time.`)
	registry.Define("QueueEnqueueMany").
		Input("handle: Ref(string)").Input("components: Tcomponents").
		Attr("Tcomponents: list(type) >= 1").
		Attr("timeout_ms: int = -1").
		Doc(`Adds each slice of tensors along their first dimension to a queue behind a reference.

components: Tensors of equal first dimension.
timeout_ms: How long to wait, in milliseconds; -1 for any time.`)
	registry.Define("QueueEnqueueManyV2").
		Input("handle: resource").Input("components: Tcomponents").
		Attr("Tcomponents: list(type) >= 1").
		Attr("timeout_ms: int = -1").
		Stateful().
		Doc(`Adds each slice of tensors along their first dimension to a queue.

components: Tensors of equal first dimension.
timeout_ms: How long to wait, in milliseconds; -1 for any time.`)
	registry.Define("QueueDequeue").
		Input("handle: Ref(string)").Output("components: component_types").
		Attr("component_types: list(type) >= 1").
		Attr("timeout_ms: int = -1").
		Doc(`Takes an element from a queue behind a reference, waiting while there is none.

timeout_ms: How long to wait, in milliseconds; -1 for any time.`)
	registry.Define("QueueDequeueV2").
		Input("handle: resource").Output("components: component_types").
		Attr("component_types: list(type) >= 1").
		Attr("timeout_ms: int = -1").
		Stateful().
		Doc(`Takes an element from a queue, waiting while there is none.

timeout_ms: How long to wait, in milliseconds; -1 for any time.`)
	registry.Define("QueueDequeueMany").
		Input("handle: Ref(string)").Input("n: int32").Output("components: component_types").
		Attr("component_types: list(type) >= 1").
		Attr("timeout_ms: int = -1").
		Doc(`Takes elements from a queue behind a reference and stacks them, waiting until there are enough.

n: How many.
timeout_ms: How long to wait, in milliseconds; -1 for any time.`)
	registry.Define("QueueDequeueManyV2").
		Input("handle: resource").Input("n: int32").Output("components: component_types").
		Attr("component_types: list(type) >= 1").
		Attr("timeout_ms: int = -1").
		Stateful().
		Doc(`Takes elements from a queue and stacks them, waiting until there are enough.

n: How many.
timeout_ms: How long to wait, in milliseconds; -1 for any time.`)
	registry.Define("QueueDequeueUpTo").
		Input("handle: Ref(string)").Input("n: int32").Output("components: component_types").
		Attr("component_types: list(type) >= 1").
		Attr("timeout_ms: int = -1").
		Doc(`Takes elements from a queue behind a reference and stacks them; from a closed queue, as many as are left.

n: How many.
timeout_ms: How long to wait, in milliseconds; -1 for any time.`)
	registry.Define("QueueDequeueUpToV2").
		Input("handle: resource").Input("n: int32").Output("components: component_types").
		Attr("component_types: list(type) >= 1").
		Attr("timeout_ms: int = -1").
		Stateful().
		Doc(`Takes elements from a queue and stacks them; from a closed queue, as many as are left.

n: How many.
timeout_ms: How long to wait, in milliseconds; -1 for any time.`)
	registry.Define("QueueClose").
		Input("handle: Ref(string)").
		Attr("cancel_pending_enqueues: bool = false").
		Doc(`Closes a queue behind a reference: nothing more can be added.

cancel_pending_enqueues: Whether those that wait to add something fail.`)
	registry.Define("QueueCloseV2").
		Input("handle: resource").
		Attr("cancel_pending_enqueues: bool = false").
		Stateful().
		Doc(`Closes a queue: nothing more can be added, and what is left can be taken.

cancel_pending_enqueues: Whether those that wait to add something fail.`)
	registry.Define("QueueIsClosed").
		Input("handle: Ref(string)").Output("is_closed: bool").
		Doc("Tells whether a queue behind a reference is closed.")
	registry.Define("QueueIsClosedV2").
		Input("handle: resource").Output("is_closed: bool").
		Stateful().
		Doc("Tells whether a queue is closed.")
	registry.Define("QueueSize").
		Input("handle: Ref(string)").Output("size: int32").
		Doc("Tells the number of elements in a queue behind a reference.")
	registry.Define("QueueSizeV2").
		Input("handle: resource").Output("size: int32").
		Stateful().
		Doc("Tells the number of elements in a queue.")
}
