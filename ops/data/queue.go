package data

import "github.com/troupe-go/troupe/registry"

func init() {
	registry.Define("FIFOQueue").
		Output("handle: Ref(string)").
		Attr("component_types: list(type) >= 1").
		Attr("shapes: list(shape) >= 0 = []").
		Attr("capacity: int = -1").
		Attr("container: string = ''").
		Attr("shared_name: string = ''").
		Stateful().
		Doc(`Makes a queue that gives elements in the order they came, behind a reference.

component_types: The types of an element's components.
shapes: Their shapes; none if they may differ, and then elements are dequeued one by one.
capacity: The most elements it holds; negative for any number.`)
	registry.Define("FIFOQueueV2").
		Output("handle: resource").
		Attr("component_types: list(type) >= 1").
		Attr("shapes: list(shape) >= 0 = []").
		Attr("capacity: int = -1").
		Attr("container: string = ''").
		Attr("shared_name: string = ''").
		Stateful().
		Doc(`Makes a queue that gives elements in the order they came.

component_types: The types of an element's components.
shapes: Their shapes; none if they may differ, and then elements are dequeued one by one.
capacity: The most elements it holds; negative for any number.`)
	registry.Define("PaddingFIFOQueue").
		Output("handle: Ref(string)").
		Attr("component_types: list(type) >= 1").
		Attr("shapes: list(shape) >= 0 = []").
		Attr("capacity: int = -1").
		Attr("container: string = ''").
		Attr("shared_name: string = ''").
		Stateful().
		Doc(`Makes a queue whose elements are filled up to one shape when several are dequeued, behind a reference.

component_types: The types of an element's components.
shapes: Their shapes, in which dimensions may be unknown.
capacity: The most elements it holds; negative for any number.`)
	registry.Define("PaddingFIFOQueueV2").
		Output("handle: resource").
		Attr("component_types: list(type) >= 1").
		Attr("shapes: list(shape) >= 0 = []").
		Attr("capacity: int = -1").
		Attr("container: string = ''").
		Attr("shared_name: string = ''").
		Stateful().
		Doc(`Makes a queue whose elements are filled up to one shape when several are dequeued.

component_types: The types of an element's components.
shapes: Their shapes, in which dimensions may be unknown.
capacity: The most elements it holds; negative for any number.`)
	registry.Define("PriorityQueue").
		Output("handle: Ref(string)").
		Attr("component_types: list(type) >= 0 = []").
		Attr("shapes: list(shape) >= 0").
		Attr("capacity: int = -1").
		Attr("container: string = ''").
		Attr("shared_name: string = ''").
		Stateful().
		Doc(`Makes a queue that gives the element of the smallest priority, behind a reference.

component_types: The types of an element's components after the first, which is the priority, an int64.
shapes: The shapes of these components.
capacity: The most elements it holds; negative for any number.`)
	registry.Define("PriorityQueueV2").
		Output("handle: resource").
		Attr("component_types: list(type) >= 0 = []").
		Attr("shapes: list(shape) >= 0").
		Attr("capacity: int = -1").
		Attr("container: string = ''").
		Attr("shared_name: string = ''").
		Stateful().
		Doc(`Makes a queue that gives the element of the smallest priority.

component_types: The types of an element's components after the first, which is the priority, an int64.
shapes: The shapes of these components.
capacity: The most elements it holds; negative for any number.`)
	registry.Define("RandomShuffleQueue").
		Output("handle: Ref(string)").
		Attr("component_types: list(type) >= 1").
		Attr("shapes: list(shape) >= 0 = []").
		Attr("capacity: int = -1").
		Attr("min_after_dequeue: int = 0").
		Attr("seed: int = 0").
		Attr("seed2: int = 0").
		Attr("container: string = ''").
		Attr("shared_name: string = ''").
		Stateful().
		Doc(`Makes a queue that gives elements in random order, behind a reference.

component_types: The types of an element's components.
shapes: Their shapes; none if they may differ.
capacity: The most elements it holds; negative for any number.
min_after_dequeue: How many elements must be left after one is taken, until the queue is closed.`)
	registry.Define("RandomShuffleQueueV2").
		Output("handle: resource").
		Attr("component_types: list(type) >= 1").
		Attr("shapes: list(shape) >= 0 = []").
		Attr("capacity: int = -1").
		Attr("min_after_dequeue: int = 0").
		Attr("seed: int = 0").
		Attr("seed2: int = 0").
		Attr("container: string = ''").
		Attr("shared_name: string = ''").
		Stateful().
		Doc(`Makes a queue that gives elements in random order.

component_types: The types of an element's components.
shapes: Their shapes; none if they may differ.
capacity: The most elements it holds; negative for any number.
min_after_dequeue: How many elements must be left after one is taken, until the queue is closed.`)
	registry.Define("FakeQueue").
		Input("resource: resource").Output("handle: Ref(string)").
		Stateful().
		Doc("Turns the handle of a queue into a reference.")
}
