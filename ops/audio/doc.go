// Package audio holds the operations on audio.
//
// Programs import it for its effect, which is to register these operations.
package audio
