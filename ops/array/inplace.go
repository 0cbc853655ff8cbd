package array

import "github.com/troupe-go/troupe/registry"

func init() {
	registry.Define("InplaceUpdate").
		Input("x: T").Input("i: int32").Input("v: T").Output("y: T").
		Attr("T: type").
		Doc(`Sets rows of a tensor, perhaps in its own memory.

i: Which rows, a vector.
v: Their values.`)
	registry.Define("InplaceAdd").
		Input("x: T").Input("i: int32").Input("v: T").Output("y: T").
		Attr("T: type").
		Doc(`Adds to rows of a tensor, perhaps in its own memory.

i: Which rows, a vector.
v: What is added.`)
	registry.Define("InplaceSub").
		Input("x: T").Input("i: int32").Input("v: T").Output("y: T").
		Attr("T: type").
		Doc(`Subtracts from rows of a tensor, perhaps in its own memory.

i: Which rows, a vector.
v: What is subtracted.`)
	registry.Define("ScatterNdNonAliasingAdd").
		Input("input: T").Input("indices: Tindices").Input("updates: T").Output("output: T").
		Attr("T: {numbertype, bool}").
		Attr("Tindices: {int32, int64}").
		Attr("bad_indices_policy: string = ''").
		Doc(`Adds updates to a tensor at given coordinates, perhaps in its own memory.

indices: Vectors of coordinates in the last dimension, each as long as the tensor has dimensions, for elements, or shorter, for slices.
updates: For each vector an element or slice.`)
}
