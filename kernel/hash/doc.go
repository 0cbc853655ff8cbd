// Package hash holds the hashes of strings that operations are defined by, which
// stay the same for good: models store what they answer.
package hash
