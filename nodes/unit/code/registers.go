package code

import (
	"math"
	"slices"

	"github.com/troupe-go/troupe/nodes/unit/form"
	"github.com/troupe-go/troupe/tensor"
)

// Where the scalars of islands lie: in registers, the first slots of a machine.

// registers is how many registers of scalars there are.
const Registers = 256

// counters is how many loops a jump of scalars can count.
const Counters = 256

// findReach finds how far values of loops get.
func (e *emitter) findReach() {
	for v := range e.reach {
		if w := e.form.Values[v].Loop; w != nil {
			e.reach[v] = w.Depth
		}
	}
	var block func(b *form.Block, within *form.Loop)
	use := func(u form.Use, within *form.Loop) {
		made := e.form.Values[u.Value].Loop
		for made != within { // to the innermost loop that both are in
			if within == nil || made != nil && made.Depth > within.Depth {
				made = made.Outer
			} else {
				within = within.Outer
			}
		}
		if made == nil {
			e.reach[u.Value] = 0
		} else {
			e.reach[u.Value] = min(e.reach[u.Value], made.Depth)
		}
	}
	block = func(b *form.Block, within *form.Loop) {
		if b == nil {
			return
		}
		e.credit.Spend(len(b.Code))
		for i := range b.Code {
			in := &b.Code[i]
			for _, u := range in.In {
				use(u, within)
			}
			block(in.Then, within)
			block(in.Else, within)
			if w := in.Loop; w != nil {
				for _, x := range w.Vars {
					use(x.Init, within)
					use(x.Next, w)
				}
				use(w.Test, w)
				block(w.Head, w)
				block(w.Body, w)
				block(w.Tail, w)
			}
		}
	}
	block(e.form.Body, nil)
	for _, r := range e.form.Results {
		use(r.Use, nil)
	}
}

// island writes a part of the form with its assumptions, behind a check of them.
// Where it has too many scalars it writes nothing and answers false.
func (e *emitter) island(s *form.Island, body func()) bool {
	for _, v := range slices.Concat(s.Assume, s.Vectors) {
		e.home(v) // so that what is undone below is the island's alone
	}
	before, outer := *e.u, *e // the guards among them
	e.within, e.known, e.loads = s, make([]check, 0, 8), nil
	for dt, list := range outer.idle {
		e.idle[dt] = slices.Clone(list)
	}
	at := len(e.u.Entries)
	e.add(instr{Op: OpEnter, X: int32(at)})
	e.u.Entries = append(e.u.Entries, Entrance{})
	e.here()
	body()
	x := Entrance{Registers: e.known, Loads: e.loads}
	for _, v := range s.Assume {
		x.Checks = append(x.Checks, check{e.home(v), tensor.Descriptor(e.form.Values[v].DType)})
	}
	for _, v := range s.Vectors {
		x.Vectors = append(x.Vectors, check{e.home(v), tensor.Descriptor(e.form.Values[v].DType)})
	}
	for _, v := range e.got[len(outer.got):] {
		e.register[v] = 0
	}
	e.got = e.got[:len(outer.got)]
	e.within, e.known, e.loads, e.idle = outer.within, outer.known, outer.loads, outer.idle
	if e.free > Registers {
		slots, presets := e.u.Slots, e.u.Presets // those of values that were met first
		*e.u = before
		e.u.Slots, e.u.Presets = slots, presets
		e.free, e.guards = outer.free, outer.guards
		return false
	}
	x.Otherwise = e.here()
	e.u.Entries[at] = x
	return true
}

// recount makes a new account of the uses of values, which are written now.
func (e *emitter) recount(from, to int32) {
	for v := from; v < to && e.register != nil; v++ {
		e.left[v] = e.form.Values[v].Uses
	}
}

// isScalar reports whether a value is in a register of scalars here.
func (e *emitter) isScalar(v int32) bool { return e.within != nil && e.within.Knows(v) }

// owner returns the island that knows a value to be a scalar, among its own.
func (e *emitter) owner(v int32) *form.Island {
	for s := e.within; s != nil; s = s.Outer {
		if s.Inside(v) && s.Has[v-s.From] {
			return s
		}
	}
	return nil
}

// reg returns the register of a value for which isScalar holds.
func (e *emitter) reg(v int32) uint8 {
	owner := e.owner(v)
	for owner != nil {
		into := e.form.Values[v].Into
		if into < 0 || e.owner(into) != owner {
			break
		}
		v = into
	}
	if e.register[v] != 0 {
		return uint8(e.register[v] - 1)
	}
	e.got = append(e.got, v)
	dt := e.form.Values[v].DType
	if idle := &e.idle[form.MachineType(dt)]; len(*idle) > 0 && owner != nil {
		e.register[v] = (*idle)[len(*idle)-1]
		*idle = (*idle)[:len(*idle)-1]
		return uint8(e.register[v] - 1)
	}
	e.free++
	r := int32(e.free - 1)
	if r >= Registers {
		r = 0 // the island will be given up
	}
	e.register[v] = int16(r) + 1
	e.known = append(e.known, check{r, tensor.Descriptor(dt)})
	if owner == nil { // it comes from outside
		e.loads = append(e.loads, transfer{e.home(v), r})
	}
	return uint8(r)
}

// used notes that a use of a value was written. After the last one its register
// is free for another of the same type.
func (e *emitter) used(v int32) {
	if !e.isScalar(v) {
		return
	}
	x := &e.form.Values[v]
	if x.Loop != e.around { // used again by the next iteration
		e.left[v] = math.MaxInt32
	}
	e.left[v]--
	if e.left[v] == 0 && e.register[v] != 0 && x.Role == form.RoleLocal && x.Into < 0 && !e.target[v] && e.owner(v) != nil {
		idle := &e.idle[form.MachineType(x.DType)]
		*idle = append(*idle, e.register[v])
	}
}

// at returns the slot of a value here.
func (e *emitter) at(v int32) int32 {
	if e.isScalar(v) {
		return int32(e.reg(v))
	}
	return e.home(v)
}

// descriptor returns a scalar of the type of a register.
func (e *emitter) descriptor(register int32) tensor.Value {
	for _, k := range e.known {
		if k.Slot == register {
			return k.Zero
		}
	}
	return tensor.Value{}
}
