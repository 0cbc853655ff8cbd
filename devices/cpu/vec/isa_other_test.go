//go:build !amd64

package vec

import "testing"

// eachISA runs a test with every instruction set that this machine has.
func eachISA(t *testing.T, test func(t *testing.T)) { t.Run(isa.String(), test) }

// withISA calls f with an instruction set; false if this machine lacks it.
func withISA(s instructionSet, f func()) bool {
	if s == isa {
		f()
	}
	return s == isa
}
