// Package strings holds the operations on strings, element by element unless
// they say otherwise. A string is bytes; those that read characters take it for
// UTF-8.
//
// Programs import it for its effect, which is to register these operations.
package strings
