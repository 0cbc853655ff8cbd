package data

import "github.com/troupe-go/troupe/registry"

func init() {
	registry.Define("Barrier").
		Output("handle: Ref(string)").
		Attr("component_types: list(type) >= 1").
		Attr("shapes: list(shape) >= 0 = []").
		Attr("capacity: int = -1").
		Attr("container: string = ''").
		Attr("shared_name: string = ''").
		Stateful().
		Doc(`Makes a barrier: a store of elements by key that are complete when all their components are there.

component_types: The types of an element's components.
shapes: Their shapes.
capacity: Not used: there may be any number of elements.`)
	registry.Define("BarrierInsertMany").
		Input("handle: Ref(string)").Input("keys: string").Input("values: T").
		Attr("T: type").
		Attr("component_index: int").
		Doc(`Gives a component of several elements of a barrier.

keys: The keys of the elements.
values: The components.
component_index: Which component.`)
	registry.Define("BarrierTakeMany").
		Input("handle: Ref(string)").Input("num_elements: int32").Output("indices: int64").
		Output("keys: string").Output("values: component_types").
		Attr("component_types: list(type) >= 1").
		Attr("allow_small_batch: bool = false").
		Attr("wait_for_incomplete: bool = false").
		Attr("timeout_ms: int = -1").
		Doc(`Takes completed elements from a barrier, in the order their first components came.

num_elements: How many.
indices: The order in which elements began.
keys: Their keys.
values: Their components, stacked.
component_types: The types of an element's components, as the barrier has them.
allow_small_batch: Whether a closed barrier may give fewer.
wait_for_incomplete: Whether, with allow_small_batch, elements that are not complete are waited for.
timeout_ms: How long to wait, in milliseconds; -1 for any time.`)
	registry.Define("BarrierClose").
		Input("handle: Ref(string)").
		Attr("cancel_pending_enqueues: bool = false").
		Doc(`Closes a barrier: no new elements can begin.

cancel_pending_enqueues: Whether elements that have begun can no longer be completed.`)
	registry.Define("BarrierReadySize").
		Input("handle: Ref(string)").Output("size: int32").
		Doc("Tells the number of complete elements of a barrier.")
	registry.Define("BarrierIncompleteSize").
		Input("handle: Ref(string)").Output("size: int32").
		Doc("Tells the number of elements of a barrier that are not complete.")
}
