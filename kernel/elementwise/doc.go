// Package elementwise applies functions to the elements of tensors: one to
// one, or two to one with broadcasting.
//
// An operation gives its arithmetic either as a function on elements ([Map],
// [Zip], complete kernels) or, where a function call for each element is too
// dear, as inner loops ([Loops]) that [Binary] and [Unary] drive over shapes,
// blocks and workers.
//
// Broadcasting follows TensorFlow: shapes are aligned at their last dimension,
// and a dimension of 1, or one that is missing, is repeated. Adjacent
// dimensions that behave alike are collapsed, so that the inner loops see runs
// as long as possible, each of one of three kinds: vector with vector, vector
// with scalar, scalar with vector.
//
// Blocks have a fixed size, whatever the number of workers. Results go into an
// input's buffer where the step lets the kernel have it. Scalars held inside
// values are computed without allocation.
package elementwise
