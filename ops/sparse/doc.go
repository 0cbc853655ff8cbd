// Package sparse holds the operations on sparse tensors, which are three
// tensors: the indices of the entries, one a row, their values, and the shape.
//
// Programs import it for its effect, which is to register these operations.
package sparse
