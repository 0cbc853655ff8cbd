// Package xla holds the operations that programs written for the XLA compiler leave in
// a graph.
//
// Programs import it for its effect, which is to register these operations.
package xla
