// Package list holds the operations on TensorLists, which are immutable values
// of a variant: each operation that changes a list gives a new one.
//
// Programs import it for its effect, which is to register these operations.
package list
