// Package function represents functions (FunctionDef) before they are instantiated as
// graphs.
//
// A [Function] is a signature and a serialized FunctionDef; a [Writer] writes
// one, [Function.Definition] says what is in one, and a [Library] holds those
// of a graph and their gradients. To instantiate a function is to [Function.Resolve]
// the attributes it is called with, which gives what is made of it a name ([Key]),
// and to [Library.LayOut] its body: the arguments, the nodes with values for their
// placeholders, the results, in the form in which an import finds the nodes of a
// GraphDef. Package graph builds the body from that, and has all that needs nodes:
// bodies, the inference of shapes through calls, and functions made of parts of
// graphs.
//
// Functions come from strangers. What is wrong with one is INVALID_ARGUMENT with
// the node, the attribute or the offset, and a body has no more nodes and values
// than the size of its definition warrants.
package function
