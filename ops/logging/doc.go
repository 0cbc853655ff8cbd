// Package logging holds the operations that look at tensors for people's sake:
// assertions and prints.
//
// Programs import it for its effect, which is to register these operations.
package logging
