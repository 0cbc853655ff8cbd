// Package list holds the operations on TensorLists, which are immutable variants: each
// operation that changes a list returns a new one.
//
// Programs import it for its effect, which is to register these operations.
package list
