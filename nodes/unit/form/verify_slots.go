package form

// slots checks what values share a register for (Value.Into): where one is made
// no other of the register is there, and where one is dropped the register does
// not hold another.
type slots struct {
	v       *verifier
	members map[int32][]int32 // by the value whose register it is, where there are several
	root    []int32
	entered map[*Loop]cond // loops that are open: when, relative to the loop around
}

func newSlots(v *verifier) *slots {
	vals := v.form.Values
	s := &slots{v: v, members: map[int32][]int32{}, root: make([]int32, len(vals)), entered: map[*Loop]cond{}}
	for x := range vals {
		r, steps := int32(x), 0
		for vals[r].Into >= 0 {
			if r = vals[r].Into; steps >= len(vals) {
				v.fail("%%%d is written to its own register by way of others", x)
			}
			steps++
		}
		s.root[x] = r
	}
	for x := range vals {
		if vals[x].Into >= 0 {
			s.members[s.root[x]] = append(s.members[s.root[x]], int32(x))
		}
	}
	for r := range s.members {
		s.members[r] = append(s.members[r], r)
	}
	return s
}

// free looks that no other value of x's register is there where c holds.
func (s *slots) free(x int32, c cond, what string) {
	for _, y := range s.members[s.root[x]] {
		if y == x {
			continue
		}
		at := s.here(s.v.madeIn[y], c)
		for _, k := range s.v.there[y] {
			if !s.v.form.conds.disjoint(k, at) {
				s.v.fail("%%%d is %s in the register of %%%d, which is there", x, what, y)
			}
		}
	}
}

// here returns the condition of the place that is looked at, relative to the loop w
// around it.
func (s *slots) here(w *Loop, c cond) cond {
	at := s.v.within
	for ; at != nil && at != w; at = at.Outer {
		c = s.entered[at]
	}
	if at != w {
		return never // in a loop that is not open
	}
	return c
}
