// Package list holds the operations on TensorLists, which are immutable values of a
// variant: each operation that changes a list gives a new one.
package list
