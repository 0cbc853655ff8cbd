// Package sparse holds the operations on sparse tensors, which are three tensors: the
// indices of the entries, one a row, their values, and the shape.
package sparse
