// Package linalg holds the operations of linear algebra on matrices and on
// batches of them: the last two dimensions of a tensor are those of a matrix.
//
// Elimination and Cholesky's decomposition compute in the type of the tensor, so
// that a float matrix is singular where TensorFlow finds it singular. Everything
// iterative computes in float64 or complex128 and rounds once. The matrices of a
// batch are shared out among the workers.
package linalg
