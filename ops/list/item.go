package list

import "github.com/troupe-go/troupe/registry"

func init() {
	registry.Define("TensorListGetItem").
		Input("input_handle: variant").Input("index: int32").Input("element_shape: Tshape").
		Output("item: element_dtype").
		Attr("element_dtype: type").
		Attr("Tshape: {int32, int64} = DT_INT32").
		Doc(`Gives an element of a list.

An element that is not set reads as zeros if its shape is known.

index: Its place, from 0.
element_shape: A shape that the element fits.
element_dtype: The type of the elements.`)
	registry.Define("TensorListSetItem").
		Input("input_handle: variant").Input("index: int32").Input("item: element_dtype").
		Output("output_handle: variant").
		Attr("element_dtype: type").
		Attr("resize_if_index_out_of_bounds: bool = false").
		Doc(`Gives a list in which one element is replaced.

index: Its place, from 0.
item: The new element.
resize_if_index_out_of_bounds: Whether the list grows to hold the element, rather than fail.`)
	registry.Define("TensorListPushBack").
		Input("input_handle: variant").Input("tensor: element_dtype").Output("output_handle: variant").
		Attr("element_dtype: type").
		Doc("Gives a list with one more element at its end.")
	registry.Define("TensorListPushBackBatch").
		Input("input_handles: variant").Input("tensor: element_dtype").Output("output_handles: variant").
		Attr("element_dtype: type").
		Doc(`Pushes a slice of a tensor onto each of several lists.

input_handles: The lists, as many as tensor has slices along its first dimension.`)
	registry.Define("TensorListPopBack").
		Input("input_handle: variant").Input("element_shape: int32").Output("output_handle: variant").
		Output("tensor: element_dtype").
		Attr("element_dtype: type").
		Doc(`Gives a list without its last element, and that element.

element_shape: A shape that the element fits.
element_dtype: The type of the elements.`)
	registry.Define("TensorListResize").
		Input("input_handle: variant").Input("size: int32").Output("output_handle: variant").
		Doc(`Gives a list of another length: elements are cut off, or added that are not set.

size: The new length.`)
	registry.Define("TensorListLength").
		Input("input_handle: variant").Output("length: int32").
		Doc("Tells the number of elements of a list.")
	registry.Define("TensorListElementShape").
		Input("input_handle: variant").Output("element_shape: shape_type").
		Attr("shape_type: {int32, int64}").
		Doc(`Tells what is known of the shape of a list's elements.

element_shape: A vector with -1 for unknown dimensions, or the scalar -1 for an unknown rank.
shape_type: The type of the shape's numbers.`)
	registry.Define("TensorListScatterIntoExistingList").
		Input("input_handle: variant").Input("tensor: element_dtype").Input("indices: int32").
		Output("output_handle: variant").
		Attr("element_dtype: type").
		Doc(`Gives a list in which the slices of a tensor are put at given places.

indices: The place of each slice.`)
}
