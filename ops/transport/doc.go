// Package transport holds the operations that send a tensor from one device to
// another. They are put into a graph when it is divided among devices; a user's graph
// may not hold them.
//
// Programs import it for its effect, which is to register these operations.
package transport
