// Package strided copies elements between rectangular regions of tensors.
//
// A [View] names elements of a tensor by an offset and, for each dimension, a
// size and a stride. Slices, transposes, reversals, repetitions, diagonals,
// concatenations and paddings are all copies from one view to another:
//
//	transpose    permuted dimensions of the source
//	reverse      negative strides in the source
//	broadcast    strides of 0 in the source
//	concat       a slice of the destination for each source
//	diagonal     a stride of columns+1
//
// [Copy] finds the fastest way: runs that are contiguous in both views are
// copied whole, and two dimensions that are contiguous in one view each are
// walked in tiles that fit the cache. Elements of any dtype are moved as words
// of their size, or as the pointers or strings that they are.
package strided
