package list

import "github.com/troupe-go/troupe/registry"

func init() {
	registry.Define("EmptyTensorList").
		Input("element_shape: shape_type").Input("max_num_elements: int32").Output("handle: variant").
		Attr("element_dtype: type").
		Attr("shape_type: {int32, int64}").
		Doc(`Makes an empty list of tensors.

element_shape: The shape of the elements as far as it is known: a vector with -1 for an unknown dimension, or the scalar -1.
max_num_elements: The most elements the list may get; -1 for any number.
element_dtype: The type of the elements.`)
	registry.Define("TensorListReserve").
		Input("element_shape: shape_type").Input("num_elements: int32").Output("handle: variant").
		Attr("element_dtype: type").
		Attr("shape_type: {int32, int64}").
		Doc(`Makes a list of a given length whose elements are not set.

element_shape: The shape of the elements as far as it is known: a vector with -1 for an unknown dimension, or the scalar -1.
num_elements: The length.
element_dtype: The type of the elements.`)
	registry.Define("TensorListFromTensor").
		Input("tensor: element_dtype").Input("element_shape: shape_type").
		Output("output_handle: variant").
		Attr("element_dtype: type").
		Attr("shape_type: {int32, int64}").
		Doc(`Makes a list of the slices of a tensor along its first dimension.

element_shape: A shape that the slices fit.`)
	registry.Define("TensorListSplit").
		Input("tensor: element_dtype").Input("element_shape: shape_type").Input("lengths: int64").
		Output("output_handle: variant").
		Attr("element_dtype: type").
		Attr("shape_type: {int32, int64}").
		Doc(`Cuts a tensor along its first dimension into pieces of given lengths, and makes a list of them.

element_shape: A shape that the pieces fit.
lengths: How much of the first dimension each piece gets; they add up to all of it.`)
	registry.Define("TensorListScatter").
		Input("tensor: element_dtype").Input("indices: int32").Input("element_shape: shape_type").
		Output("output_handle: variant").
		Attr("element_dtype: type").
		Attr("shape_type: {int32, int64}").
		Doc(`Makes a list of the slices of a tensor, each put at a given place.

indices: The place of each slice. The list is as long as the largest asks for.
element_shape: A shape that the slices fit.`)
	registry.Define("TensorListScatterV2").
		Input("tensor: element_dtype").Input("indices: int32").Input("element_shape: shape_type").
		Input("num_elements: int32").Output("output_handle: variant").
		Attr("element_dtype: type").
		Attr("shape_type: {int32, int64}").
		Doc(`Makes a list of the slices of a tensor, each put at a given place, of a length that may be given.

indices: The place of each slice.
element_shape: A shape that the slices fit.
num_elements: The least length; -1 to have it from the largest index.`)
}
