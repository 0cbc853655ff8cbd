//go:build !invariants

package nodes

// checkUnits reports whether units are verified when they are made.
const checkUnits = false
