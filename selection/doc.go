// Package selection reads which members of a set are wanted, as flags and options have them:
// "fold,common" is these two, "-hoist,+algebra" the default with one less and one more.
//
// A set is a number whose bits are the members. What the names mean is the caller's.
package selection
