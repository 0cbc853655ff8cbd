//go:build invariants

package tensor

const invariants = true
