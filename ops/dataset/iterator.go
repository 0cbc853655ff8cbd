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
		Stateful().
		Doc(`Sets an iterator to the beginning of a dataset.

dataset: The dataset.
iterator: The iterator.`)
	registry.Define("IteratorGetNext").
		Input("iterator: resource").Output("components: output_types").
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
		Stateful().
		Doc("Turns the handle of an iterator into a string.")
}
