package main

import "golang.org/x/sys/cpu"

// multiplyAdd512 executes 16 instructions of 16 multiplications and additions n times, and
// multiplyAdd256 12 of 8: nothing but these, on registers. What the sums begin with does not
// matter.
//
//go:noescape
func multiplyAdd512(n int)

//go:noescape
func multiplyAdd256(n int)

// multiplyAdd executes so many multiplications at least with the widest vectors that there
// are, and returns how many it were; 0 on machines without such instructions.
func multiplyAdd(least int) int {
	switch x := &cpu.X86; {
	case x.HasAVX512F:
		n := (least-1)/(16*16) + 1
		multiplyAdd512(n)
		return n * 16 * 16
	case x.HasFMA:
		n := (least-1)/(12*8) + 1
		multiplyAdd256(n)
		return n * 12 * 8
	}
	return 0
}
