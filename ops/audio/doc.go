// Package audio holds the operations on sounds.
//
// Programs import it for its effect, which is to register these operations.
package audio
