// Package hash holds the string hashes that operations are defined by. Their results
// are stored in models, so they never change.
package hash
