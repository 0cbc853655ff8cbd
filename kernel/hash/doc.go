// Package hash implements the string hashes on which operations are defined; their
// values never change, as models store them.
package hash
