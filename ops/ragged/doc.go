// Package ragged holds the operations on ragged tensors: the values of the innermost
// rows, and for each ragged dimension where its rows begin and end, in a vector
// that has one element more than there are rows.
package ragged
