// Package linalg holds the operations of linear algebra on matrices and on
// batches of them: the last two dimensions of a tensor are those of a matrix.
//
// Programs import it for its effect, which is to register these operations.
package linalg
