//go:build invariants

package rewrite

// check panics where a pass has left a program that is none.
var check = (*work).verify
