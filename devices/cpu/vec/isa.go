package vec

//go:generate go -C gen run . ..

// An instructionSet is what the assembly is written for.
type instructionSet uint8

const (
	portable instructionSet = iota
	avx2                    // with FMA and BMI2
	avx512                  // F, DQ, BW and VL
)

// String is such as "AVX-512".
func (s instructionSet) String() string {
	switch s {
	case avx2:
		return "AVX2"
	case avx512:
		return "AVX-512"
	}
	return "portable"
}

// InstructionSet names what the functions of this package use on this machine:
// "AVX-512", "AVX2" or "portable".
func InstructionSet() string { return isa.String() }

// choose returns the function for this machine.
func choose[F any](wide, narrow, portable F) F {
	switch isa {
	case avx512:
		return wide
	case avx2:
		return narrow
	}
	return portable
}

// whole returns how many of n elements fill vectors of float32, which assembly without masks
// handles: what is left is Go's.
func whole(n int) int {
	switch isa {
	case avx512:
		return n &^ 15
	case avx2:
		return n &^ 7
	}
	return 0
}
