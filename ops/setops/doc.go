// Package setops holds the operations that treat the rows of tensors as sets.
//
// Programs import it for its effect, which is to register these operations.
package setops
