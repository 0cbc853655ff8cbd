// Package xla holds operations that programs which were written for the XLA
// compiler leave in a graph: they run here as any others.
//
// Programs import it for its effect, which is to register these operations.
package xla
