// Package registry knows operations: their inputs, outputs and attributes, as
// TensorFlow's OpDef gives them, written in its little definition language.
//
//	registry.Define("MatMul").
//		Input("a: T").Input("b: T").Output("product: T").
//		Attr("transpose_a: bool = false").
//		Attr("transpose_b: bool = false").
//		Attr("T: {bfloat16, half, float, double, int32, int64, complex64, complex128}").
//		Doc("Multiplies two matrices.")
//
// Definitions register themselves from init functions of the ops packages, so
// a program knows the operations of the families it links. A definition's
// text is parsed when the operation is first looked up: a program that links
// hundreds of operations pays for those it uses. A mistake in a definition is a
// programming error and panics at that first use; the tests of every ops
// package look all of them up.
//
// What a node of a graph gives for its attributes is an [AttrValue]; [Resolve]
// checks a node's attributes and input types against the definition, fills in
// defaults and works out the types of the outputs.
package registry
