package dataset

import "github.com/troupe-go/troupe/registry"

func init() {
	registry.Define("Iterator").
		Output("handle: resource").
		Attr("shared_name: string").
		Attr("container: string").
		Attr("output_types: list(type) >= 1").
		Attr("output_shapes: list(shape) >= 1").
		Stateful().
		Doc(`Makes an iterator, to be set to a dataset later.

output_types: The types of an element's components.
output_shapes: Their shapes.`)
	registry.Define("IteratorV2").
		Output("handle: resource").
		Attr("shared_name: string").
		Attr("container: string").
		Attr("output_types: list(type) >= 1").
		Attr("output_shapes: list(shape) >= 1").
		Stateful().
		Doc(`Makes an iterator, to be set to a dataset later.

output_types: The types of an element's components.
output_shapes: Their shapes.`)
	registry.Define("OneShotIterator").
		Output("handle: resource").
		Attr("dataset_factory: func").
		Attr("output_types: list(type) >= 1").
		Attr("output_shapes: list(shape) >= 1").
		Attr("container: string = ''").
		Attr("shared_name: string = ''").
		Stateful().
		Doc(`Makes an iterator over a dataset that a function makes.

dataset_factory: A function without arguments that returns the dataset.
output_types: The types of an element's components.
output_shapes: Their shapes.`)
	registry.Define("MakeIterator").
		Input("dataset: variant").Input("iterator: resource").
		Writes("iterator").
		Stateful().
		Doc(`Sets an iterator to the beginning of a dataset.

dataset: The dataset.
iterator: The iterator.`)
	registry.Define("IteratorGetNext").
		Input("iterator: resource").Output("components: output_types").
		Takes("iterator").
		Attr("output_types: list(type) >= 1").
		Attr("output_shapes: list(shape) >= 1").
		Stateful().
		Doc(`Gives the next element of an iterator; past the last one it fails with OUT_OF_RANGE.

iterator: The iterator, which MakeIterator has set to a dataset.
components: The element.
output_types: The types of an element's components.
output_shapes: Their shapes, as far as they are known.`)
	registry.Define("IteratorToStringHandle").
		Input("resource_handle: resource").Output("string_handle: string").
		Leaves("resource_handle").
		Stateful().
		Doc("Turns the handle of an iterator into a string.")
	registry.Define("AnonymousIterator").
		Output("handle: resource").
		Attr("output_types: list(type) >= 1").
		Attr("output_shapes: list(shape) >= 1").
		Stateful().
		Doc(`Makes an iterator without a name, to be set to a dataset later.

output_types: The types of an element's components.
output_shapes: Their shapes, as far as they are known.`)
	registry.Define("AnonymousIteratorV2").
		Output("handle: resource").Output("deleter: variant").
		Attr("output_types: list(type) >= 1").
		Attr("output_shapes: list(shape) >= 1").
		Stateful().
		Doc(`Makes an iterator without a name, to be set to a dataset later.

handle: The iterator.
deleter: What DeleteIterator takes.
output_types: The types of an element's components.
output_shapes: Their shapes, as far as they are known.`)
	registry.Define("AnonymousIteratorV3").
		Output("handle: resource").
		Attr("output_types: list(type) >= 1").
		Attr("output_shapes: list(shape) >= 1").
		Stateful().
		Doc(`Makes an iterator without a name, to be set to a dataset later.

output_types: The types of an element's components.
output_shapes: Their shapes, as far as they are known.`)
	registry.Define("IteratorGetNextSync").
		Input("iterator: resource").Output("components: output_types").
		Takes("iterator").
		Attr("output_types: list(type) >= 1").
		Attr("output_shapes: list(shape) >= 1").
		Stateful().
		Doc(`Gives the next element of an iterator, as IteratorGetNext does.

iterator: The iterator, which MakeIterator has set to a dataset.
components: The element.
output_types: The types of an element's components.
output_shapes: Their shapes, as far as they are known.`)
	registry.Define("IteratorGetNextAsOptional").
		Input("iterator: resource").Output("optional: variant").
		Takes("iterator").
		Attr("output_types: list(type) >= 1").
		Attr("output_shapes: list(shape) >= 1").
		Stateful().
		Doc(`Gives an optional with the next element of an iterator, or with nothing past the last one.

iterator: The iterator, which MakeIterator has set to a dataset.
output_types: The types of an element's components.
output_shapes: Their shapes, as far as they are known.`)
	registry.Define("IteratorFromStringHandle").
		Input("string_handle: string").Output("resource_handle: resource").
		Attr("output_types: list(type) >= 0 = []").
		Attr("output_shapes: list(shape) >= 0 = []").
		Stateful().
		Doc(`Turns a string of IteratorToStringHandle into the handle of the iterator.

string_handle: The string.
output_types: The types of an element's components.
output_shapes: Their shapes, as far as they are known.`)
	registry.Define("IteratorFromStringHandleV2").
		Input("string_handle: string").Output("resource_handle: resource").
		Attr("output_types: list(type) >= 0 = []").
		Attr("output_shapes: list(shape) >= 0 = []").
		Stateful().
		Doc(`Turns a string of IteratorToStringHandle into the handle of the iterator.

string_handle: The string.
output_types: The types of an element's components.
output_shapes: Their shapes, as far as they are known.`)
	registry.Define("DeleteIterator").
		Input("handle: resource").Input("deleter: variant").
		Leaves("handle").
		Stateful().
		Doc(`Ends an iterator.

handle: The iterator.
deleter: What came with it.`)
}
