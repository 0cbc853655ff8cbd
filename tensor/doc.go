// Package tensor implements tensors: typed arrays of any rank, and the 16-byte [Value]
// that a token carries.
//
// A [Tensor] is a dtype, a shape and elements in row-major order. A [Value] is
// either a reference to a Tensor or, for the dtypes of at most 8 bytes, a
// scalar held in the value itself, so that the scalars of a loop need no heap.
// Kernels see Values; users see Tensors.
//
// # Conversions
//
//	Go values      NewTensor, FromSlice, FromScalar    Value, Data
//	raw elements   ReadTensor, FromBytes               WriteContentsTo, Contents
//	text                                               String, Printer, ElementText
//
// Other forms have packages of their own: tensorproto (TensorFlow's messages), npy,
// literal (text that is read) and tensorfile (files that hold one tensor). A tensor is a
// json.Marshaler, by package jsontext.
//
// All readers accept hostile input: it allocates no more than a limit, or no
// more than the data that arrives, never what a shape merely declares; what it
// refuses is an error that says where. [Compare] reports how a tensor differs
// from another.
//
// # Elements
//
// Elements lie in memory as Go has them. Quantized types are their integers,
// Half, Bfloat16 and the 8-bit floats their bits, and an integer of 2 or 4
// bits takes a byte, extended by its sign or by zeros. Strings are byte
// strings, of any encoding. There are conversions for the floats that Go
// lacks: [ToFloat16], [ToBFloat16], [ToFloat8] and back.
//
// # Ownership
//
// A Tensor is either shared or owned by a step. A shared one may be held by any
// number of holders, is never written again and belongs to the garbage collector:
// what a caller feeds and fetches, constants, and what a variable or another
// resource holds. An owned one came out of an [Arena] inside a step; the step
// counts the tokens that hold it and takes its buffer back when none is left.
// [Value.Share] turns an owned tensor into a shared one, permanently.
//
// A view, which shows elements of another tensor, is owned as well: it holds
// that tensor as a token does ([Arena.View]). A [BufferSlot] keeps owned tensors for
// an instruction that runs again and again.
//
// Tensors in flight are immutable. A kernel may write into a buffer it has
// just allocated, or into an input that it was given to keep (see package
// kernel), and into nothing else.
package tensor
