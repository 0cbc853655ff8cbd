// Package logging holds the operations that look at tensors for people's sake:
// assertions and prints.
package logging
