package vec

import "testing"

// eachISA runs a test with every instruction set that this machine has.
func eachISA(t *testing.T, test func(t *testing.T)) {
	best := isa
	defer func() { isa = best }()
	for s := portable; s <= best; s++ {
		isa = s
		t.Run(s.String(), test)
	}
}

// withISA calls f with an instruction set; false if this machine lacks it.
func withISA(s instructionSet, f func()) bool {
	best := isa
	if s > best {
		return false
	}
	defer func() { isa = best }()
	isa = s
	f()
	return true
}
