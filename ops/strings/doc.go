// Package strings holds the operations on strings, element by element unless
// they say otherwise. A string is bytes; those that read characters take it for
// UTF-8.
package strings
