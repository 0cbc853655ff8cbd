package vec

import "golang.org/x/sys/cpu"

// isa is what this machine has; tests set it to what else it has.
var isa = detect()

func detect() instructionSet {
	x := &cpu.X86
	switch {
	case !x.HasAVX2 || !x.HasFMA || !x.HasBMI2:
		return portable
	case x.HasAVX512F && x.HasAVX512DQ && x.HasAVX512BW && x.HasAVX512VL:
		return avx512
	}
	return avx2
}
