package code

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/nodes/kind"
	"github.com/troupe-go/troupe/nodes/unit/form"
	"github.com/troupe-go/troupe/tensor"
)

// execution executes code with symbols, for [Verify], and keeps books of what each slot
// holds.
type execution struct {
	symbols
	unit *Unit
	form *form.Form
	rng  *rand.Rand
	slab []cell
	pc   int32
	late []int32 // slots of what was started and is not awaited
}

// A cell is what a slot holds.
type cell struct {
	number uint64
	there  bool
	owned  bool         // the slot holds a reference of its own
	plain  bool         // a scalar inside of its value, which nobody need give up
	fixed  bool         // a constant or a feed: it stays
	dtype  tensor.DType // of a register; Invalid before an island has made it one
}

func (s *symbols) index(f *form.Form, side int32) uint64 { return s.constant(f, tensor.Scalar(side)) }

type mistake string

func (x *execution) fail(format string, args ...any) { panic(mistake(fmt.Sprintf(format, args...))) }

func (x *execution) play() (err error) {
	defer func() {
		if r := recover(); r != nil {
			m, ok := r.(mistake)
			if !ok {
				panic(r)
			}
			err = fmt.Errorf("instruction %d: %s", x.pc, string(m))
		}
	}()
	x.slab = make([]cell, x.unit.Slots)
	for _, p := range x.unit.Presets {
		if x.slab[p.Slot].there {
			x.fail("slot %d has two constants", p.Slot)
		}
		x.slab[p.Slot] = cell{number: x.constant(x.form, p.Value), there: true, fixed: true}
	}
	for _, p := range x.unit.Params {
		if x.slab[p.Slot].there {
			x.fail("slot %d is that of another parameter or constant", p.Slot)
		}
		x.slab[p.Slot] = cell{number: x.param(p.Node), there: true, fixed: p.Feed >= 0, owned: p.Feed < 0}
	}
	for left := 4 * steps; ; left-- {
		if left == 0 {
			x.fail("the code does not end where the form does")
		}
		if x.instr(&x.unit.Instrs[x.pc]) {
			break
		}
	}
	if len(x.late) > 0 {
		x.fail("slot %d is never awaited", x.late[0])
	}
	for _, r := range x.unit.Results {
		x.events = append(x.events, event{"result", r.Node, []uint64{x.get(r.Slot)}})
		if r.Move {
			x.giveUp(r.Slot)
		}
	}
	for s, c := range x.slab {
		if c.owned && !c.plain {
			x.fail("slot %d is left", s)
		}
	}
	return nil
}

// get reads a slot.
func (x *execution) get(slot int32) uint64 {
	if !x.slab[slot].there || slices.Contains(x.late, slot) {
		x.fail("slot %d is read, in which there is nothing", slot)
	}
	return x.slab[slot].number
}

// put writes a slot that is to hold a reference of its own.
func (x *execution) put(slot int32, n uint64) {
	c := &x.slab[slot]
	switch {
	case c.fixed:
		x.fail("slot %d is written, which has a constant or a feed", slot)
	case c.owned && !c.plain:
		x.fail("slot %d is written, which owns what it holds", slot)
	}
	c.number, c.there, c.owned, c.plain = n, true, true, false
}

// lend writes a slot that does not own what it holds.
func (x *execution) lend(slot int32, n uint64) {
	c := &x.slab[slot]
	if c.fixed && c.number == n { // from the register that has it in an island
		return
	}
	if c.fixed || c.owned && !c.plain {
		x.fail("slot %d is gathered, which holds something else", slot)
	}
	c.number, c.there, c.owned, c.plain = n, true, false, false
}

// giveUp ends what a slot owns.
func (x *execution) giveUp(slot int32) {
	c := &x.slab[slot]
	if !c.there || !c.owned {
		x.fail("slot %d gives up what it does not own", slot)
	}
	c.there, c.owned = false, false
}

// register reads a register.
func (x *execution) register(r uint8, dt tensor.DType) uint64 {
	if c := &x.slab[r]; dt != tensor.Invalid && c.dtype != dt {
		x.fail("register %d has type %v, not %v", r, c.dtype, dt)
	}
	return x.get(int32(r))
}

// set writes a register.
func (x *execution) set(r uint8, dt tensor.DType, n uint64) {
	c := &x.slab[r]
	if c.dtype == tensor.Invalid || dt != tensor.Invalid && c.dtype != dt {
		x.fail("register %d has type %v, and is written with %v", r, c.dtype, dt)
	}
	c.number, c.there = n, true
}

// isRegister reports whether a slot is a register of scalars.
func (x *execution) isRegister(slot int32) bool { return x.unit.Scalars && slot < Registers }

func (x *execution) loop(l int32) {
	if l < 0 || int(l) >= len(x.unit.Loops) {
		x.fail("there is no loop %d", l)
	}
}

// instr executes an instruction, and reports whether it is the end.
func (x *execution) instr(in *instr) (end bool) {
	u := x.unit
	at := x.pc
	next := at + 1
	switch in.Op {
	case OpEnd:
		return true
	case OpCall, OpWait:
		x.waits(in)
		c := &u.Calls[in.X]
		x.kernel(c)
		if after := &u.Instrs[next]; in.Op == OpWait && x.guarded(c) && (after.Op != OpGuard || int32(after.D) != c.Out) {
			x.fail("register %d has what %s puts out, without a guard", c.Out, x.form.Flow.Name(c.Node))
		}
	case OpGuard:
		next = x.guard(in)
	case OpStart:
		x.waits(in)
		c := &u.Calls[in.X]
		x.kernel(c)
		for o := range c.Nout {
			x.late = append(x.late, c.Out+o)
		}
	case OpAwait:
		x.late = x.late[:0]
	case OpMove:
		t := u.Moves[in.X]
		n, plain := x.get(t.From), x.slab[t.From].plain
		x.giveUp(t.From)
		x.put(t.To, n)
		x.slab[t.To].plain = plain
	case OpCopy:
		t := u.Moves[in.X]
		x.put(t.To, x.get(t.From))
		x.slab[t.To].plain = x.slab[t.From].plain
	case OpPlain:
		if to := u.Moves[in.X].To; x.isRegister(to) {
			x.set(uint8(to), tensor.Invalid, x.get(u.Moves[in.X].From))
		} else {
			x.put(to, x.get(u.Moves[in.X].From))
			x.slab[to].plain = true
		}
	case OpDrop:
		switch c := &x.slab[in.X]; {
		case c.owned:
			x.giveUp(in.X)
		case c.there:
			x.fail("slot %d is dropped, which does not own what it holds", in.X)
		}
	case OpRead:
		r := &u.Reads[in.X]
		x.put(r.To, x.read(r.Node, x.get(r.From)))
	case OpFetch:
		f := &u.Fetches[in.X]
		n := x.get(f.Slot)
		if f.Read {
			n = x.target(n)
		}
		x.events = append(x.events, event{"fetch", f.Index, []uint64{n}})
		if f.Move {
			x.giveUp(f.Slot)
		}
	case OpJump:
		next = in.X
	case OpTest:
		t := &u.Tests[in.X]
		side := int32(x.get(t.Slot) % uint64(t.Sides))
		if t.Move && !x.isRegister(t.Slot) {
			x.giveUp(t.Slot)
		}
		if side != t.Side {
			next = t.Target
		}
	case OpLoop:
	case OpLatch:
		x.loop(u.Latches[in.X].Loop)
		next = u.Latches[in.X].Target
	case OpPick:
		next = x.pick(in)
	case OpTogether:
		if in.D == TogetherTiles {
			next = x.tile(&u.Tiles[in.X], int(in.A))
		} else {
			next = x.band(&u.Bands[in.X])
		}
	case OpChain:
		next = x.chain(&u.Chains[in.X])
	case OpEnter:
		next = x.enter(&u.Entries[in.X])
	default:
		next = x.scalar(in)
	}
	if next < 0 || int(next) >= len(u.Instrs) {
		x.fail("a jump to %d", next)
	}
	x.pc = next
	return false
}

// waits checks that just those kernels may wait for which the unit can be parked.
func (x *execution) waits(in *instr) {
	c := &x.unit.Calls[in.X]
	if waits := x.form.Flow.Nodes[c.Node].Kind == kind.Async; waits != (in.Op != OpCall) || waits && !x.unit.Waits {
		x.fail("%s may wait: %v, and is a %v", x.form.Flow.Name(c.Node), waits, in.Op)
	} else if waits && (len(c.Reads) > 0 || c.Homes[0] != c.Homes[1]) {
		x.fail("%s may wait, and has what nobody holds meanwhile", x.form.Flow.Name(c.Node))
	}
}

// args gathers the inputs of a call, and returns them and the slots that own them; -1
// where none does.
func (x *execution) args(c *Call) (in []uint64, owners []int32) {
	owners = make([]int32, c.Nin)
	for k := range owners {
		owners[k] = -1
		if x.slab[c.In+int32(k)].owned {
			owners[k] = c.In + int32(k)
		}
	}
	for _, g := range c.Gathers {
		x.lend(g.To, x.get(g.From))
		if x.slab[g.From].owned {
			owners[g.To-c.In] = g.From
		}
	}
	for _, r := range c.Reads {
		x.lend(r.To, x.target(x.get(r.From)))
	}
	for k := range c.Nin {
		in = append(in, x.get(c.In+k))
	}
	return in, owners
}

// kernel executes a call, and returns what it was given.
func (x *execution) kernel(c *Call) (in []uint64) {
	in, owners := x.args(c)
	given := make([]bool, c.Nin)
	for _, g := range c.Gives {
		k := g.Slot - c.In
		if k < 0 || k >= c.Nin {
			x.fail("%s gives up slot %d, which is no input of it", x.form.Flow.Name(c.Node), g.Slot)
		}
		owner := owners[k]
		switch {
		case owner < 0:
			x.fail("%s gives up input %d, which nobody owns", x.form.Flow.Name(c.Node), k)
		case g.Home >= 0 && g.Home != owner:
			x.fail("%s clears slot %d for input %d, which slot %d owns", x.form.Flow.Name(c.Node), g.Home, k, owner)
		case g.Home < 0 && owner != g.Slot && (c.Nout != 1 || owner != c.Out):
			x.fail("%s leaves slot %d with what it gives up", x.form.Flow.Name(c.Node), owner)
		}
		for other := range owners {
			if int32(other) != k && owners[other] == owner {
				x.fail("%s gives up input %d, which is its input %d as well", x.form.Flow.Name(c.Node), k, other)
			}
		}
		given[k] = true
		x.giveUp(owner)
	}
	for k, g := range given {
		if k < 64 && g == (c.Keep&(1<<k) != 0) {
			x.fail("%s is told that input %d is to be kept: %v, given up: %v", x.form.Flow.Name(c.Node), k, !g, g)
		}
	}
	if c.Out < c.In+c.Nin && c.In < c.Out+c.Nout {
		x.fail("%s puts out what it is given", x.form.Flow.Name(c.Node))
	}
	for o, n := range x.call(c.Node, in, int(c.Nout)) {
		switch slot := c.Out + int32(o); {
		case c.Unread.Has(o):
			if s := &x.slab[slot]; s.owned && !s.plain || s.fixed {
				x.fail("%s writes to slot %d, which holds something", x.form.Flow.Name(c.Node), slot)
			}
			x.slab[slot].there, x.slab[slot].owned = false, false
		case x.guarded(c):
			x.set(uint8(slot), tensor.Invalid, n)
		case c.Plain != x.isRegister(slot):
			x.fail("%s puts a scalar out: %v, to slot %d", x.form.Flow.Name(c.Node), c.Plain, slot)
		case c.Plain:
			x.set(uint8(slot), tensor.Invalid, n)
		default:
			x.put(slot, n)
			x.slab[slot].plain = x.form.Flow.Nodes[c.Node].Def.OutputTypes()[o].IsRef() // which nobody counts
		}
	}
	for k := range c.Nin { // what was gathered is there for the call alone
		if s := &x.slab[c.In+k]; !s.owned && !s.fixed && (c.Nout != 1 || c.In+k != c.Out) && !x.isRegister(c.In+k) {
			s.there = false
		}
	}
	return in
}

// enter executes the entrance of an island: what it takes for granted holds or does not.
func (x *execution) enter(e *Entrance) int32 {
	for _, c := range slices.Concat(e.Checks, e.Vectors) {
		x.get(c.Slot)
	}
	if x.rng.IntN(2) == 0 {
		return e.Otherwise
	}
	for _, c := range e.Checks {
		x.slab[c.Slot].plain = true
	}
	for _, r := range e.Registers {
		if !x.isRegister(r.Slot) {
			x.fail("slot %d is no register", r.Slot)
		}
		x.slab[r.Slot] = cell{dtype: r.Zero.DType()}
	}
	for _, l := range e.Loads {
		c := &x.slab[l.To]
		c.number, c.there = x.get(l.From), true
	}
	return x.pc + 1
}

// guarded reports whether a call puts what it makes into a register whatever that is.
func (x *execution) guarded(c *Call) bool {
	return c.Nout == 1 && !c.Plain && !c.Unread.Has(0) && x.isRegister(c.Out) && x.form.Flow.Nodes[c.Node].Kind == kind.Async
}

// guard executes a guard: what was taken for granted holds or does not.
func (x *execution) guard(in *instr) int32 {
	g := &x.unit.Guards[in.X]
	if g.Register.Slot != int32(in.D) || g.Register.Zero.DType() != tensor.DType(in.A) {
		x.fail("a guard of register %d for %d", in.D, g.Register.Slot)
	}
	x.register(in.D, tensor.DType(in.A))
	if x.rng.IntN(3) == 0 {
		return x.pc + 1
	}
	found := false
	for _, t := range g.Moves {
		if !x.isRegister(t.From) {
			x.fail("slot %d is no register", t.From)
		}
		if !x.slab[t.From].there { // nothing was made yet
			continue
		}
		x.put(t.To, x.get(t.From))
		x.slab[t.To].plain = t.From != g.Register.Slot
		found = found || t.From == g.Register.Slot
	}
	if !found {
		x.fail("what register %d holds goes nowhere", in.D)
	}
	return g.Otherwise
}

// pick executes x[i], which comes to the same as the calls that follow it.
func (x *execution) pick(in *instr) int32 {
	p := &x.unit.Picks[in.X]
	x.register(in.A, tensor.Invalid)
	vector := x.get(p.From)
	if x.rng.IntN(2) == 0 {
		return x.pc + 1
	}
	x.calls(p.End, func(c *Call, args []uint64, last bool) {
		if last && args[0] != vector {
			x.fail("%s picks of another vector", x.form.Flow.Name(c.Node))
		}
		if last && c.Out != int32(in.D) {
			x.fail("%s puts out to register %d, not %d", x.form.Flow.Name(c.Node), c.Out, in.D)
		}
	})
	return p.End
}

// calls executes the calls up to the instruction end, which are told to do.
func (x *execution) calls(end int32, do func(c *Call, args []uint64, last bool)) {
	if end <= x.pc || int(end) > len(x.unit.Instrs) {
		x.fail("calls up to %d", end)
	}
	for x.pc++; x.pc < end; x.pc++ {
		in := &x.unit.Instrs[x.pc]
		if in.Op == OpCall {
			c := &x.unit.Calls[in.X]
			do(c, x.kernel(c), x.lastCall(end))
		} else if x.instr(in); in.Op != OpDrop {
			x.fail("%v is no call", in.Op)
		} else {
			x.pc--
		}
	}
	x.pc = end - 1
}

// lastCall reports whether no call comes before the instruction end.
func (x *execution) lastCall(end int32) bool {
	for _, in := range x.unit.Instrs[x.pc+1 : end] {
		if in.Op == OpCall {
			return false
		}
	}
	return true
}

// band executes kernels side by side: what the calls that follow do.
func (x *execution) band(b *Band) int32 {
	if x.rng.IntN(2) == 0 {
		return x.pc + 1
	}
	if len(b.Calls) < 2 || len(b.Lone) != len(b.Calls) {
		x.fail("a band of %d calls", len(b.Calls))
	}
	have := map[int32]int{}
	made := map[int32]bool{}
	for _, at := range b.Calls {
		c := &x.unit.Calls[at]
		for _, s := range x.sources(c) {
			if have[s]++; made[s] {
				x.fail("%s needs what another call of its band makes", x.form.Flow.Name(c.Node))
			}
		}
		for o := range c.Nout {
			made[c.Out+o] = true
		}
	}
	for i, at := range b.Calls {
		c := &x.unit.Calls[at]
		for k, s := range x.sources(c) {
			given := slices.ContainsFunc(c.Gives, func(g give) bool { return g.Slot == c.In+int32(k) })
			if lone := k < 64 && b.Lone[i]&(1<<k) != 0; lone && !x.isRegister(s) && (!given || have[s] > 1) {
				x.fail("%s may write its input %d, which others have", x.form.Flow.Name(c.Node), k)
			}
		}
	}
	i := 0
	x.calls(b.End, func(c *Call, _ []uint64, _ bool) {
		if i >= len(b.Calls) || &x.unit.Calls[b.Calls[i]] != c {
			x.fail("%s is not the call %d of its band", x.form.Flow.Name(c.Node), i)
		}
		i++
	})
	if i != len(b.Calls) {
		x.fail("a band of %d calls, of which %d follow", len(b.Calls), i)
	}
	return b.End
}

// sources returns the slots that the inputs of a call come from.
func (x *execution) sources(c *Call) []int32 {
	list := make([]int32, c.Nin)
	for k := range list {
		list[k] = c.In + int32(k)
	}
	for _, g := range c.Gathers {
		list[g.To-c.In] = g.From
	}
	return list
}

// chain executes prepared kernels as they are described.
func (x *execution) chain(c *Chain) int32 {
	if x.rng.IntN(2) == 0 {
		return x.pc + 1
	}
	if len(c.Steps) != len(c.Calls) {
		x.fail("a chain of %d steps and %d calls", len(c.Steps), len(c.Calls))
	}
	values := make([]uint64, 0, c.Values)
	for _, s := range c.Inputs {
		values = append(values, x.get(s))
	}
	for _, v := range c.Consts {
		values = append(values, x.constant(x.form, v))
	}
	for i := range c.Steps {
		s, call := &c.Steps[i], &x.unit.Calls[c.Calls[i]]
		if k, ok := s.Kernel.(kernel.Kernel); ok && !identical(k, call.Kernel) {
			x.fail("step %d of a chain has the kernel of another node than %s", i, x.form.Flow.Name(call.Node))
		}
		var in []uint64
		for k, v := range s.In {
			if int(v) >= len(values) {
				x.fail("step %d of a chain needs a value that is not made", i)
			}
			in = append(in, values[v])
			if constant := int(v) >= len(c.Inputs) && int(v) < len(c.Inputs)+len(c.Consts); k < 64 && constant != (s.Constant&(1<<k) != 0) {
				x.fail("input %d of step %d of a chain is a constant: %v", k, i, constant)
			}
		}
		for o, n := range x.call(call.Node, in, len(s.Out)) {
			if int(s.Out[o]) != len(values) {
				x.fail("step %d of a chain makes value %d as number %d", i, len(values), s.Out[o])
			}
			values = append(values, n)
		}
	}
	for _, s := range c.Gives {
		if x.giveUp(s); !slices.Contains(c.Inputs, s) {
			x.fail("a chain gives up slot %d, which it does not have", s)
		}
	}
	for _, l := range c.Leaves {
		if l.Sum >= 0 {
			x.giveUp(l.Sum)
		}
	}
	for _, l := range c.Leaves {
		if int(l.Value) < len(c.Inputs)+len(c.Consts) || int(l.Value) >= len(values) {
			x.fail("a chain leaves value %d, which it does not make", l.Value)
		}
		x.put(l.Slot, values[l.Value])
	}
	return c.End
}

// tile executes some members of a group of tiles together, or none.
func (x *execution) tile(t *Tiles, first int) int32 {
	last := first + x.rng.IntN(len(t.Members)+1-first)
	if last == first || last == len(t.Members) || !t.Closed(first, last) {
		return x.pc + 1
	}
	made := map[int]uint64{}
	for i := first; i <= last; i++ {
		m := &t.Members[i]
		c := &x.unit.Calls[m.Call]
		if k, ok := m.Kernel.(kernel.Kernel); ok && !identical(k, c.Kernel) {
			x.fail("member %d of tiles has the kernel of another node than %s", i, x.form.Flow.Name(c.Node))
		}
		var in []uint64
		for _, from := range m.In {
			if from.Member >= first {
				if _, ok := made[from.Member]; !ok {
					x.fail("member %d of tiles needs what is not made", i)
				}
				in = append(in, made[from.Member])
			} else {
				in = append(in, x.get(from.Slot))
			}
		}
		made[i] = x.call(c.Node, in, 1)[0]
		for _, g := range m.Gives {
			if g.Member < first {
				x.giveUp(g.Slot)
			} else if g.Member >= i {
				x.fail("member %d of tiles gives up what member %d makes", i, g.Member)
			}
		}
	}
	for i := first; i <= last; i++ {
		if i == last || t.Needed(i, last) {
			x.put(x.unit.Calls[t.Members[i].Call].Out, made[i])
		}
	}
	return t.Members[last].End
}

// scalar executes an instruction on registers.
func (x *execution) scalar(in *instr) int32 {
	op, shape := in.Op, shapes()[in.Op]
	next := x.pc + 1
	switch {
	case op == OpMoveScalar:
		n := x.register(in.A, tensor.Invalid)
		x.set(in.D, x.slab[in.A].dtype, n)
	case op == OpSelect:
		node := x.node()
		dt := x.slab[in.B].dtype
		args := []uint64{x.register(in.A, tensor.Bool), x.register(in.B, dt), x.register(uint8(in.X), dt)}
		x.set(in.D, dt, x.call(node, args, 1)[0])
	case op < OpMoveScalar:
		node := x.node()
		args := []uint64{x.register(in.A, shape.In)}
		if shape.Inputs == 2 {
			args = append(args, x.register(in.B, shape.In))
		}
		if shape.Code.Asks() {
			c := &x.unit.Calls[in.X]
			if c.Node != node {
				x.fail("%s asks %s", x.form.Flow.Name(node), x.form.Flow.Name(c.Node))
			}
			if x.rng.IntN(2) == 0 {
				x.kernel(c)
				return next
			}
		}
		x.fits(node, op)
		x.set(in.D, shape.Out, x.call(node, args, 1)[0])
	default:
		var holds bool
		kind := (op - OpJumpIf) % 3 // if, unless, latch
		if op <= OpLatchIf {
			holds = x.register(in.A, tensor.Bool)%2 == 1
		} else {
			compare := compared()[op]
			node, s := x.node(), shapes()[compare]
			x.fits(node, compare)
			holds = x.call(node, []uint64{x.register(in.A, s.In), x.register(in.B, s.In)}, 1)[0]%2 == 1
		}
		if kind == 2 {
			x.loop(int32(in.D))
		}
		if holds != (kind == 1) {
			return in.X
		}
	}
	return next
}

// node returns the node that an instruction stands for.
func (x *execution) node() int32 {
	n := x.unit.Nodes[x.pc]
	if n < 0 {
		x.fail("%v stands for no node", x.unit.Instrs[x.pc].Op)
	}
	return n
}

// fits checks that an opcode is that of a node's operation and types.
func (x *execution) fits(node int32, op opcode) {
	def, s := x.form.Flow.Nodes[node].Def, shapes()[op]
	if types := def.InputTypes(); types[len(types)-1] != s.In || def.OutputTypes()[0] != s.Out || !slices.Contains(s.ops, def.Type()) {
		x.fail("%v is no %s of %v (%s)", op, def.Type(), types, x.form.Flow.Name(node))
	}
}
