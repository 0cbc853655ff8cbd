package code

import (
	"slices"

	"github.com/troupe-go/troupe/nodes/unit/form"
	"github.com/troupe-go/troupe/tensor"
)

// A leaving is a guard whose way out of its island is still to be written: to where what
// the island is in writes the same instruction.
type leaving struct {
	guard int
	in    *form.Instr
	outer *form.Island
}

// guard writes what follows a kernel that may wait: a guard, if an island takes what the
// kernel puts out for a scalar, and the way out of islands that did.
func (e *emitter) guard(in *form.Instr) {
	e.guards = slices.DeleteFunc(slices.Clone(e.guards), func(l leaving) bool {
		if l.in != in || l.outer != e.within {
			return false
		}
		e.u.Guards[l.guard].Otherwise = e.here()
		return true
	})
	if !e.form.Guarded(in) || in.Out[0] < 0 || !e.isScalar(in.Out[0]) {
		return
	}
	v := in.Out[0]
	r, owner, zero := e.reg(v), e.owner(v), tensor.Descriptor(e.form.Values[v].DType)
	g := Guard{Register: check{int32(r), zero}, Moves: []transfer{{int32(r), e.home(v)}}}
	for _, w := range e.got {
		left := e.left[w]
		for _, u := range in.In { // which were used
			if u.Value == w {
				left--
			}
		}
		if at := int32(e.register[w]) - 1; e.owner(w) == owner && at >= 0 && at != int32(r) && left > 0 {
			g.Moves = append(g.Moves, transfer{at, e.home(w)})
		}
	}
	e.u.Guards = append(e.u.Guards, g)
	e.guards = append(e.guards, leaving{len(e.u.Guards) - 1, in, owner.Outer})
	e.add(instr{Op: OpGuard, D: r, A: uint8(zero.DType()), X: int32(len(e.u.Guards) - 1)})
	e.here()
}
