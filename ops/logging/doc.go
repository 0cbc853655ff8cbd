// Package logging holds assertions and prints.
//
// Programs import it for its effect, which is to register these operations.
package logging
