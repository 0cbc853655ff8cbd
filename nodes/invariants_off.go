//go:build !invariants

package nodes

// checkUnits says whether units are verified when they are made.
const checkUnits = false
