//go:build !invariants

package plan

// invariants says that programs are verified after every pass.
const invariants = false
