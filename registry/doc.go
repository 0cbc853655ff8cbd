// Package registry holds the definitions of operations: their inputs, outputs and
// attributes, as in TensorFlow's OpDef, written in its definition language.
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
// # The language
//
// An attribute is "name: type", perhaps with ">= minimum", of an int or of the
// length of a list, perhaps with "= default". Its type is one of
//
//	string int float bool type shape tensor func
//	{float, int32}                           a type out of a set
//	numbertype realnumbertype quantizedtype  a type out of a set with a name
//	{'SAME', 'VALID'}                        a string out of a set
//	list(type)                               a list of any of these
//
// A set of types may have named sets among its elements. Defaults are written
// as [ParseAttr] reads them.
//
// An input or output is "name: type", where type is
//
//	float      a data type
//	T          an attr of type type
//	N * float  as many tensors as the int attr N says; also N * T
//	L          tensors of the types in the list(type) attr L
//	Ref(T)     a reference to any of these
//
// An attr that is a length has the minimum 1 unless it states one.
//
// # Nodes
//
// [Attrs] holds the attributes of a node. [Resolve] checks them against the
// definition, fills in defaults and determines the types of inputs and outputs;
// [Infer] also takes attributes from the types of inputs, for a node under
// construction. An [AttrDecoder] reads attributes from messages, within bounds: a
// few bytes of a hostile graph cannot take up much memory.
//
// Everything here is safe for concurrent use but [AttrDecoder].
package registry
