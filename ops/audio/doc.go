// Package audio holds the operations on sounds.
package audio
