// Package setops holds the operations that take the rows of tensors for sets.
//
// Programs import it for its effect, which is to register these operations.
package setops
