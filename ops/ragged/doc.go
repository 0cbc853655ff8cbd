// Package ragged holds the operations on ragged tensors: the values of the
// innermost rows, and for each ragged dimension where its rows begin and end, in
// a vector that has one element more than there are rows.
//
// Programs import it for its effect, which is to register these operations.
package ragged
