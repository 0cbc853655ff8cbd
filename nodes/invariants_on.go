//go:build invariants

package nodes

const checkUnits = true
