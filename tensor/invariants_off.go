//go:build !invariants

package tensor

const invariants = false
