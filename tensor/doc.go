// Package tensor holds what flows along the edges of a graph: typed arrays of
// any rank, and the 16-byte [Value] that a token carries.
//
// A [Tensor] is a dtype, a shape and elements in row-major order. A [Value] is
// either a reference to a Tensor or, for the dtypes of at most 8 bytes, a
// scalar held in the value itself, so that the scalars of a loop need no heap.
// Kernels see Values; users see Tensors.
//
// # Ownership
//
// A Tensor is either shared or owned by a step. A shared one may be held by
// anybody, is never written again and belongs to the garbage collector: what a
// caller feeds and fetches, constants, and what a variable or another resource
// holds. An owned one came out of an [Arena] inside a step; the step counts
// the tokens that hold it and takes its buffer back when none is left. [Value.Share]
// turns an owned tensor into a shared one, for good.
//
// Tensors in flight are immutable. A kernel may write into a buffer it has
// just allocated, or into an input that it was given to keep (see package
// kernel), and into nothing else.
package tensor
