package code

import (
	"errors"
	"fmt"
	"unsafe"
)

// First is where a unit's instructions lie, for [At].
func (u *Unit) First() unsafe.Pointer { return unsafe.Pointer(unsafe.SliceData(u.Instrs)) }

// At is the instruction with a number that is not checked: in a unit that is [Unit.Enclosed]
// none leads out of it. The comparison would be a quarter of the code between two
// instructions, which is to lie in one line of the cache.
func At(first unsafe.Pointer, pc int) *instr {
	return (*instr)(unsafe.Add(first, pc*int(unsafe.Sizeof(instr{}))))
}

// Enclosed checks that whatever says which instruction is next names one of the unit.
func (u *Unit) Enclosed() error {
	n := len(u.Instrs)
	if n == 0 || u.Instrs[n-1].Op != OpEnd {
		return errors.New("the last instruction is no end")
	}
	var err error
	next := func(what any, target int32) {
		if target < 0 || int(target) >= n {
			err = fmt.Errorf("%v leads to instruction %d of %d", what, target, n)
		}
	}
	for _, in := range u.Instrs {
		if in.Op == OpJump || in.Op >= OpJumpIf {
			next(in.Op, in.X)
		}
	}
	for i := range u.Tests {
		next("a test", u.Tests[i].Target)
	}
	for i := range u.Entries {
		next("an entry", u.Entries[i].Otherwise)
	}
	for i := range u.Guards {
		next("a guard", u.Guards[i].Otherwise)
	}
	for i := range u.Latches {
		next("a latch", u.Latches[i].Target)
	}
	for i := range u.Bands {
		next("a band", u.Bands[i].End)
	}
	for i := range u.Chains {
		next("a chain", u.Chains[i].End)
	}
	for i := range u.Picks {
		next("a pick", u.Picks[i].End)
	}
	return err
}
