// Package setops holds the operations that take the rows of tensors for sets.
package setops
