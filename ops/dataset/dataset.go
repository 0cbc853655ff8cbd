package dataset

import "github.com/troupe-go/troupe/registry"

func init() {
	registry.Define("TensorDataset").
		Input("components: Toutput_types").Output("handle: variant").
		Attr("Toutput_types: list(type) >= 1").
		Attr("output_shapes: list(shape) >= 1").
		Attr("metadata: string = ''").
		Stateful().
		Doc(`Makes a dataset of one element.

components: The element.
output_shapes: The components' shapes.`)
	registry.Define("RangeDataset").
		Input("start: int64").Input("stop: int64").Input("step: int64").Output("handle: variant").
		Attr("output_types: list(type) >= 1").
		Attr("output_shapes: list(shape) >= 1").
		Attr("metadata: string = ''").
		Attr("replicate_on_split: bool = false").
		Stateful().
		Doc(`Makes a dataset of the numbers of a range.

start: The first number.
stop: Where the range ends; it is not part of it.
step: The step, not zero.
output_types: The types of an element's components.
output_shapes: Their shapes, as far as they are known.
metadata: Ignored.
replicate_on_split: Whether every worker gets the whole range.`)
	registry.Define("SparseTensorSliceDataset").
		Input("indices: int64").Input("values: Tvalues").Input("dense_shape: int64").
		Output("handle: variant").
		Attr("Tvalues: type").
		Stateful().
		Doc(`Makes a dataset of the slices of a sparse tensor along its first dimension.

indices: Indices of the entries, one a row, in row-major order.
values: The entries.
dense_shape: The shape.`)
	registry.Define("MapDataset").
		Input("input_dataset: variant").Input("other_arguments: Targuments").Output("handle: variant").
		Attr("f: func").
		Attr("Targuments: list(type) >= 0").
		Attr("output_types: list(type) >= 1").
		Attr("output_shapes: list(shape) >= 1").
		Attr("use_inter_op_parallelism: bool = true").
		Attr("preserve_cardinality: bool = false").
		Attr("force_synchronous: bool = false").
		Attr("metadata: string = ''").
		Doc(`Makes a dataset of what a function returns for each element of another.

input_dataset: The other dataset.
other_arguments: What the function takes after the element.
f: The function.
output_types: The types of an element's components.
output_shapes: Their shapes, as far as they are known.
use_inter_op_parallelism: Whether the function may run on several threads.
preserve_cardinality: Whether the function's end of range is an error.
force_synchronous: Whether the function runs on the thread that asks for the element.
metadata: Ignored.`)
}
