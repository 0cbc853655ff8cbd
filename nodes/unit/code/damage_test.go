package code

import (
	"math/rand/v2"
	"slices"
)

// A Damage is a way to make good code bad, or at least other code. Do damages a unit at a
// random place, and reports whether there is one.
type Damage struct {
	Name string
	Do   func(u *Unit, rng *rand.Rand) bool
}

// one chooses an index of those that fit.
func one(rng *rand.Rand, n int, fits func(i int) bool) (int, bool) {
	var list []int
	for i := range n {
		if fits(i) {
			list = append(list, i)
		}
	}
	if len(list) == 0 {
		return 0, false
	}
	return list[rng.IntN(len(list))], true
}

// instruction damages an instruction that fits.
func instruction(fits func(in instr) bool, do func(u *Unit, pc int, in *instr, rng *rand.Rand) bool) func(*Unit, *rand.Rand) bool {
	return func(u *Unit, rng *rand.Rand) bool {
		pc, ok := one(rng, len(u.Instrs), func(i int) bool { return fits(u.Instrs[i]) })
		return ok && do(u, pc, &u.Instrs[pc], rng)
	}
}

func is(op opcode) func(instr) bool { return func(in instr) bool { return in.Op == op } }

// call damages a call that fits.
func call(fits func(c *Call) bool, do func(u *Unit, c *Call, rng *rand.Rand)) func(*Unit, *rand.Rand) bool {
	return func(u *Unit, rng *rand.Rand) bool {
		i, ok := one(rng, len(u.Calls), func(i int) bool { return fits(&u.Calls[i]) })
		if ok {
			do(u, &u.Calls[i], rng)
		}
		return ok
	}
}

// chain damages a chain that fits.
func chain(fits func(c *Chain) bool, do func(u *Unit, c *Chain, rng *rand.Rand)) func(*Unit, *rand.Rand) bool {
	return func(u *Unit, rng *rand.Rand) bool {
		i, ok := one(rng, len(u.Chains), func(i int) bool { return fits(&u.Chains[i]) })
		if ok {
			do(u, &u.Chains[i], rng)
		}
		return ok
	}
}

// slot returns another slot that is no register.
func slot(u *Unit, rng *rand.Rand, not int32) int32 {
	from := int32(0)
	if u.Scalars {
		from = Registers
	}
	for range 10 {
		if s := from + rng.Int32N(int32(u.Slots)-from); s != not {
			return s
		}
	}
	return not
}

func nothing(u *Unit, pc int, in *instr, _ *rand.Rand) bool {
	*in = instr{Op: OpJump, X: int32(pc) + 1}
	return true
}

func arithmetic(in instr) bool { return in.Op >= firstScalar && in.Op < OpSelect }
func jumping(in instr) bool    { return in.Op > OpLatchIf && !in.Op.Latches() }

// Damages are ways to damage code.
var Damages = []Damage{
	{"a drop left out", instruction(is(OpDrop), nothing)},
	{"a drop of another slot", instruction(is(OpDrop), func(u *Unit, _ int, in *instr, rng *rand.Rand) bool { in.X = slot(u, rng, in.X); return true })},
	{"a move made a copy", instruction(is(OpMove), func(_ *Unit, _ int, in *instr, _ *rand.Rand) bool { in.Op = OpCopy; return true })},
	{"a copy made a move", instruction(is(OpCopy), func(_ *Unit, _ int, in *instr, _ *rand.Rand) bool { in.Op = OpMove; return true })},
	{"a move left out", instruction(is(OpMove), nothing)},
	{"a move from another slot", instruction(is(OpMove), func(u *Unit, _ int, in *instr, rng *rand.Rand) bool {
		m := &u.Moves[in.X]
		m.From = slot(u, rng, m.From)
		return true
	})},
	{"a copy to another slot", instruction(is(OpCopy), func(u *Unit, _ int, in *instr, rng *rand.Rand) bool {
		m := &u.Moves[in.X]
		m.To = slot(u, rng, m.To)
		return true
	})},
	{"two moves exchanged", instruction(is(OpMove), func(u *Unit, pc int, in *instr, _ *rand.Rand) bool {
		next := &u.Instrs[pc+1]
		if next.Op != OpMove || u.Moves[next.X].From != u.Moves[in.X].To && u.Moves[next.X].To != u.Moves[in.X].From {
			return false
		}
		*in, *next = *next, *in
		return true
	})},
	{"an input that is not gathered", call(func(c *Call) bool { return len(c.Gathers) > 0 }, func(_ *Unit, c *Call, rng *rand.Rand) {
		k := rng.IntN(len(c.Gathers))
		c.Gathers = slices.Delete(slices.Clone(c.Gathers), k, k+1)
	})},
	{"an input gathered from another slot", call(func(c *Call) bool { return len(c.Gathers) > 0 }, func(u *Unit, c *Call, rng *rand.Rand) {
		g := &c.Gathers[rng.IntN(len(c.Gathers))]
		g.From = slot(u, rng, g.From)
	})},
	{"an input that is not given up", call(func(c *Call) bool { return len(c.Gives) > 0 }, func(_ *Unit, c *Call, _ *rand.Rand) {
		c.Keep |= 1 << (c.Gives[0].Slot - c.In)
		c.Gives = c.Gives[1:]
	})},
	{"an input given up that others have", call(func(c *Call) bool { return c.Keep != 0 }, func(_ *Unit, c *Call, rng *rand.Rand) {
		k, _ := one(rng, int(c.Nin), func(k int) bool { return c.Keep&(1<<k) != 0 })
		c.Keep &^= 1 << k
		c.Gives = append(slices.Clone(c.Gives), give{c.In + int32(k), -1})
	})},
	{"an input that may be written", call(func(c *Call) bool { return c.Keep != 0 }, func(_ *Unit, c *Call, rng *rand.Rand) {
		k, _ := one(rng, int(c.Nin), func(k int) bool { return c.Keep&(1<<k) != 0 })
		c.Keep &^= 1 << k
	})},
	{"what is given up stays where it was", call(func(c *Call) bool {
		return slices.ContainsFunc(c.Gives, func(g give) bool { return g.Home >= 0 })
	}, func(_ *Unit, c *Call, _ *rand.Rand) {
		i := slices.IndexFunc(c.Gives, func(g give) bool { return g.Home >= 0 })
		c.Gives[i].Home = -1
	})},
	{"an output to another slot", call(func(c *Call) bool { return c.Nout == 1 && !c.Plain }, func(u *Unit, c *Call, rng *rand.Rand) {
		c.Out = slot(u, rng, c.Out)
	})},
	{"an output that nobody is said to read", call(func(c *Call) bool { return c.Nout > 0 && !c.Unread.Has(0) }, func(_ *Unit, c *Call, _ *rand.Rand) {
		c.Unread = append(ports(nil), c.Unread...)
		c.Unread.add(0)
	})},
	{"the call of another node", call(func(c *Call) bool { return true }, func(u *Unit, c *Call, rng *rand.Rand) {
		c.Node = u.Calls[rng.IntN(len(u.Calls))].Node
	})},
	{"a call left out", instruction(is(OpCall), nothing)},
	{"a jump one too far", instruction(is(OpJump), func(_ *Unit, _ int, in *instr, _ *rand.Rand) bool { in.X++; return true })},
	{"a test that goes one too far", instruction(is(OpTest), func(u *Unit, _ int, in *instr, _ *rand.Rand) bool { u.Tests[in.X].Target++; return true })},
	{"a test of another side", instruction(is(OpTest), func(u *Unit, _ int, in *instr, _ *rand.Rand) bool {
		t := &u.Tests[in.X]
		t.Side = (t.Side + 1) % t.Sides
		return true
	})},
	{"a test that does not give up its predicate", instruction(is(OpTest), func(u *Unit, _ int, in *instr, _ *rand.Rand) bool {
		t := &u.Tests[in.X]
		was := t.Move
		t.Move = false
		return was
	})},
	{"a latch to the next instruction", instruction(is(OpLatch), func(u *Unit, _ int, in *instr, _ *rand.Rand) bool { u.Latches[in.X].Target++; return true })},
	{"a fetch of another slot", instruction(is(OpFetch), func(u *Unit, _ int, in *instr, rng *rand.Rand) bool {
		f := &u.Fetches[in.X]
		f.Slot = slot(u, rng, f.Slot)
		return true
	})},
	{"a fetch that does not give up, or does", instruction(is(OpFetch), func(u *Unit, _ int, in *instr, _ *rand.Rand) bool {
		f := &u.Fetches[in.X]
		f.Move = !f.Move
		return !f.Read
	})},
	{"another operation on scalars", instruction(arithmetic, func(_ *Unit, _ int, in *instr, rng *rand.Rand) bool {
		was := in.Op
		in.Op = firstScalar + opcode(rng.IntN(int(OpSelect-firstScalar)))
		return in.Op != was
	})},
	{"operands exchanged", instruction(func(in instr) bool { return arithmetic(in) && in.A != in.B && shapes()[in.Op].Inputs == 2 }, func(_ *Unit, _ int, in *instr, _ *rand.Rand) bool {
		in.A, in.B = in.B, in.A
		return true
	})},
	{"another register written", instruction(arithmetic, func(_ *Unit, _ int, in *instr, rng *rand.Rand) bool {
		was := in.D
		in.D = uint8(rng.IntN(8))
		return in.D != was
	})},
	{"another register read", instruction(arithmetic, func(_ *Unit, _ int, in *instr, rng *rand.Rand) bool {
		was := in.A
		in.A = uint8(rng.IntN(8))
		return in.A != was
	})},
	{"a jump if that is one unless", instruction(jumping, func(_ *Unit, _ int, in *instr, _ *rand.Rand) bool {
		if (in.Op-OpJumpIf)%3 == 0 {
			in.Op++
		} else {
			in.Op--
		}
		return true
	})},
	{"a band one call too long", func(u *Unit, rng *rand.Rand) bool {
		i, ok := one(rng, len(u.Bands), func(int) bool { return true })
		if ok {
			u.Bands[i].End++
		}
		return ok
	}},
	{"a band's input that others have is written", func(u *Unit, rng *rand.Rand) bool {
		i, ok := one(rng, len(u.Bands), func(i int) bool { return u.Calls[u.Bands[i].Calls[0]].Keep&1 != 0 })
		if ok {
			u.Bands[i].Lone[0] |= 1
		}
		return ok
	}},
	{"a chain that does not give up an input", chain(func(c *Chain) bool { return len(c.Gives) > 0 }, func(_ *Unit, c *Chain, _ *rand.Rand) { c.Gives = c.Gives[1:] })},
	{"a chain that leaves nothing", chain(func(c *Chain) bool { return len(c.Leaves) > 0 }, func(_ *Unit, c *Chain, _ *rand.Rand) { c.Leaves = c.Leaves[1:] })},
	{"a chain that leaves another value", chain(func(c *Chain) bool { return len(c.Leaves) > 0 && len(c.Steps) > 1 }, func(_ *Unit, c *Chain, rng *rand.Rand) {
		l := &c.Leaves[0]
		for was := l.Value; l.Value == was; {
			l.Value = rng.Int32N(int32(c.Values))
		}
	})},
	{"a chain that leaves it elsewhere", chain(func(c *Chain) bool { return len(c.Leaves) > 0 }, func(u *Unit, c *Chain, rng *rand.Rand) {
		c.Leaves[0].Slot = slot(u, rng, c.Leaves[0].Slot)
	})},
	{"a step of a chain of another value", chain(func(c *Chain) bool { return len(c.Inputs) > 1 }, func(_ *Unit, c *Chain, rng *rand.Rand) {
		s := &c.Steps[rng.IntN(len(c.Steps))]
		k := rng.IntN(len(s.In))
		s.In[k] = (s.In[k] + 1) % int32(len(c.Inputs)+len(c.Consts))
	})},
	{"an input of a chain that is said to be constant", chain(func(c *Chain) bool { return true }, func(_ *Unit, c *Chain, _ *rand.Rand) { c.Steps[0].Constant ^= 1 })},
	{"an entrance that does not load a register", instruction(is(OpEnter), func(u *Unit, _ int, in *instr, _ *rand.Rand) bool {
		e := &u.Entries[in.X]
		if len(e.Loads) == 0 {
			return false
		}
		e.Loads = e.Loads[1:]
		return true
	})},
	{"an entrance that makes a register another type", instruction(is(OpEnter), func(u *Unit, _ int, in *instr, _ *rand.Rand) bool {
		e := &u.Entries[in.X]
		for i := range e.Registers {
			if e.Registers[i].Zero.DType() != e.Registers[0].Zero.DType() {
				e.Registers[0].Zero = e.Registers[i].Zero
				return true
			}
		}
		return false
	})},
	{"an entrance that goes elsewhere", instruction(is(OpEnter), func(u *Unit, _ int, in *instr, _ *rand.Rand) bool { u.Entries[in.X].Otherwise++; return true })},
	{"a guard that goes elsewhere", instruction(is(OpGuard), func(u *Unit, _ int, in *instr, _ *rand.Rand) bool { u.Guards[in.X].Otherwise += 2; return true })},
	{"a guard that leaves a register behind", instruction(is(OpGuard), func(u *Unit, _ int, in *instr, rng *rand.Rand) bool {
		g := &u.Guards[in.X]
		k := rng.IntN(len(g.Moves))
		g.Moves = slices.Delete(slices.Clone(g.Moves), k, k+1)
		return true
	})},
	{"no guard", instruction(is(OpGuard), nothing)},
	{"a guard of another register", instruction(is(OpGuard), func(_ *Unit, _ int, in *instr, _ *rand.Rand) bool { in.D++; return true })},
	{"two constants exchanged", func(u *Unit, rng *rand.Rand) bool {
		if len(u.Presets) < 2 || u.Presets[0].Value == u.Presets[1].Value {
			return false
		}
		u.Presets[0].Value, u.Presets[1].Value = u.Presets[1].Value, u.Presets[0].Value
		return true
	}},
	{"two parameters exchanged", func(u *Unit, rng *rand.Rand) bool {
		if len(u.Params) < 2 {
			return false
		}
		u.Params[0].Slot, u.Params[1].Slot = u.Params[1].Slot, u.Params[0].Slot
		return true
	}},
	{"another result", func(u *Unit, rng *rand.Rand) bool {
		if len(u.Results) < 2 {
			return false
		}
		u.Results[0].Slot = u.Results[1].Slot
		return true
	}},
}
