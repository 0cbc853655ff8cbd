package list

import "github.com/troupe-go/troupe/registry"

func init() {
	registry.Define("TensorListStack").
		Input("input_handle: variant").Input("element_shape: int32").Output("tensor: element_dtype").
		Attr("element_dtype: type").
		Attr("num_elements: int = -1").
		Doc(`Stacks the elements of a list, all of one shape, into a tensor.

element_shape: A shape that the elements fit; it is needed if elements are not set.
element_dtype: The type of the elements.
num_elements: The length that the list has to have; -1 for any.`)
	registry.Define("TensorListGather").
		Input("input_handle: variant").Input("indices: int32").Input("element_shape: int32").
		Output("values: element_dtype").
		Attr("element_dtype: type").
		Doc(`Stacks elements of a list, chosen by their places, into a tensor.

indices: Their places, a vector.
element_shape: A shape that the elements fit.
element_dtype: The type of the elements.`)
	registry.Define("TensorListConcat").
		Input("input_handle: variant").Output("tensor: element_dtype").Output("lengths: int64").
		Attr("element_dtype: type").
		Attr("element_shape: shape = ?").
		Doc(`Joins the elements of a list along their first dimension.

tensor: All elements, one after another.
lengths: The first dimension of each element, by which TensorListSplit takes them apart again.
element_dtype: The type of the elements.
element_shape: A shape that the elements fit, of which the first dimension is open.`)
	registry.Define("TensorListConcatV2").
		Input("input_handle: variant").Input("element_shape: shape_type").Input("leading_dims: int64").
		Output("tensor: element_dtype").Output("lengths: int64").
		Attr("element_dtype: type").
		Attr("shape_type: {int32, int64}").
		Doc(`Joins the elements of a list along their first dimension.

element_shape: A shape that the elements fit, of which the first dimension is open.
leading_dims: The first dimension of each element that is not set.
tensor: All elements, one after another.
lengths: The first dimension of each element.
element_dtype: The type of the elements.`)
	registry.Define("TensorListConcatLists").
		Input("input_a: variant").Input("input_b: variant").Output("output: variant").
		Attr("element_dtype: type").
		Doc(`Joins the elements of pairs of lists: those of the one, then those of the other.

input_a: Lists, in a tensor of any shape.
input_b: As many lists, in a tensor of the same shape.
element_dtype: The type of the elements.`)
}
