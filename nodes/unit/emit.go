package unit

import (
	"math"
	"slices"

	"github.com/troupe-go/troupe/tensor"
)

// emit writes the unit of a form whose lifetimes are decided.
//
// Every value has a slot. One that is used once, as a kernel's input, lies where
// the kernel wants it; other inputs are gathered. Scalars of an island have a
// register instead, one of the first 256 slots. An island is written twice: with
// its assumptions, and without.
func (f *Form) emit(c *credit) *Unit {
	e := &emitter{
		form: f, credit: c,
		u:      &Unit{Frame: f.Frame, slots: 0},
		slot:   make([]int32, len(f.Values)),
		reach:  make([]int32, len(f.Values)),
		target: make([]bool, len(f.Values)),
		areas:  map[*Instr]area{},
		loop:   -1, junk: -1, spare: -1,
	}
	for v := range e.slot {
		e.slot[v] = -1
		if into := f.Values[v].Into; into >= 0 {
			e.target[into] = true
		}
	}
	if len(f.Loops) == 0 {
		e.program = newIsland(f, c, nil, nil)
	}
	if e.program != nil || len(f.Loops) > 0 { // whose islands are found as they are written
		e.u.scalars = true
		e.u.slots = registers
		e.register, e.left = make([]int16, len(f.Values)), make([]int32, len(f.Values))
	}
	for _, w := range f.Loops {
		outer := int32(-1)
		if w.Outer != nil {
			outer = w.Outer.Number
		}
		e.u.loops = append(e.u.loops, loop{w.Frame, outer})
	}
	e.allot()
	e.findReach()
	e.write()
	return e.u
}

// registers is how many registers of scalars there are.
const registers = 256

type emitter struct {
	form    *Form
	credit  *credit
	u       *Unit
	slot    []int32 // of each value, of those that others are written to; -1
	reach   []int32 // by value: the depth of the innermost loop that holds all that uses it
	target  []bool  // values that others are written to
	areas   map[*Instr]area
	junk    int32 // a slot for what nobody reads
	spare   int32 // a slot to break a cycle of moves; -1
	scratch int32 // slots for inputs that are all gathered

	program  *island                  // of a program without loops; nil if it is none
	within   *island                  // the innermost one being written; nil outside of all
	got      []int32                  // values that got a register in it
	register []int16                  // by value: its register in the island, plus 1
	free     int                      // registers taken so far
	idle     map[tensor.DType][]int16 // of them, those whose values nobody uses any more, plus 1
	left     []int32                  // by value: uses still to be written
	known    []check                  // registers in use
	loads    []transfer
	loop     int32
	around   *Loop // the loop being written
	twice    bool  // what is written now is written again further on
	label    int   // no instruction before it may be fused with one after it
}

// An area is where a kernel's inputs and outputs lie.
type area struct {
	in, out int32
}

func (e *emitter) fresh(n int32) int32 {
	at := int32(e.u.slots)
	e.u.slots += int(n)
	return at
}

// root is the value whose slot v has.
func (e *emitter) root(v int32) int32 {
	for e.form.Values[v].Into >= 0 {
		v = e.form.Values[v].Into
	}
	return v
}

// home is the slot of a value outside of islands.
func (e *emitter) home(v int32) int32 {
	r := e.root(v)
	if e.slot[r] < 0 {
		e.slot[r] = e.fresh(1)
		if x := &e.form.Values[r]; x.Const >= 0 {
			e.preset(e.slot[r], x)
		}
	}
	return e.slot[r]
}

func (e *emitter) preset(slot int32, x *Value) {
	e.u.presets = append(e.u.presets, preset{slot, e.form.flow.Consts[x.Const]})
}

// lone says whether a use of a value is its only one and may have it in place.
func (e *emitter) lone(u Use) bool {
	x := &e.form.Values[u.Value]
	if x.Uses != 1 || u.Read || x.Into >= 0 || e.target[u.Value] || e.slot[u.Value] >= 0 {
		return false
	}
	switch x.Role {
	case roleLocal, roleParam:
		return u.Mode == Move
	case roleShared:
		return x.Const < 0
	}
	return false
}

// allot gives slots to what kernels are called with and to what they make.
func (e *emitter) allot() {
	var scratch int32
	e.calls(e.form.Body, func(in *Instr) {
		a := area{in: -1}
		for _, u := range in.In {
			if e.form.Values[u.Value].Const >= 0 && !u.Read || e.lone(u) {
				a.in = e.fresh(int32(len(in.In)))
				break
			}
		}
		if a.in < 0 {
			scratch = max(scratch, int32(len(in.In)))
		} else {
			for k, u := range in.In {
				if x := &e.form.Values[u.Value]; x.Const >= 0 && !u.Read {
					e.preset(a.in+int32(k), x)
				} else if e.lone(u) {
					e.slot[u.Value] = a.in + int32(k)
				}
			}
		}
		if len(in.Out) > 1 {
			a.out = e.fresh(int32(len(in.Out)))
			for o, v := range in.Out {
				if v >= 0 {
					e.slot[v] = a.out + int32(o)
				}
			}
		}
		e.areas[in] = a
	})
	e.scratch = e.fresh(scratch)
	for _, p := range e.form.Params {
		x := param{slot: e.home(p.Value), node: p.Node, feed: -1}
		if e.form.Frame == 0 {
			x.feed = e.form.flow.Nodes[p.Node].Aux
		}
		e.u.params = append(e.u.params, x)
	}
}

// calls does something for every Call of a block and those within it. What one
// call makes may lie in the area of a later one, so a block's calls come last
// first.
func (e *emitter) calls(b *Block, do func(*Instr)) {
	if b == nil {
		return
	}
	for i := len(b.Code) - 1; i >= 0; i-- {
		in := &b.Code[i]
		switch {
		case in.Op == Call:
			do(in)
		case in.Loop != nil:
			e.calls(in.Loop.Tail, do)
			e.calls(in.Loop.Body, do)
			e.calls(in.Loop.Head, do)
		}
		e.calls(in.Else, do)
		e.calls(in.Then, do)
	}
}

// findReach finds how far values of loops get.
func (e *emitter) findReach() {
	for v := range e.reach {
		if w := e.form.Values[v].Loop; w != nil {
			e.reach[v] = w.Depth
		}
	}
	var block func(b *Block, within *Loop)
	use := func(u Use, within *Loop) {
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
	block = func(b *Block, within *Loop) {
		if b == nil {
			return
		}
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

func (e *emitter) write() {
	if s := e.program; s != nil {
		e.recount(s.from, s.to)
		e.island(s, func() { e.block(e.form.Body); e.add(instr{op: opEnd}) })
	}
	e.block(e.form.Body)
	for _, r := range e.form.Results {
		e.u.results = append(e.u.results, result{r.Node, e.home(r.Use.Value), r.Use.Mode == Move})
	}
	e.add(instr{op: opEnd})
	e.u.copies = make([]bool, e.u.slots)
	for _, p := range e.u.presets {
		e.u.copies[p.slot] = true
	}
	for _, p := range e.u.params {
		if p.feed >= 0 {
			e.u.copies[p.slot] = true
			e.u.stale = append(e.u.stale, p.slot)
		}
	}
	note := func(slot int32) {
		if !e.u.copies[slot] {
			e.u.copies[slot] = true
			e.u.stale = append(e.u.stale, slot)
		}
	}
	for i := range e.u.calls {
		for _, g := range e.u.calls[i].gathers {
			note(g.to)
		}
		for _, r := range e.u.calls[i].reads {
			note(r.to)
		}
	}
}

func (e *emitter) add(in instr) int {
	e.u.instrs = append(e.u.instrs, in)
	return len(e.u.instrs) - 1
}

func (e *emitter) here() int32 {
	e.label = len(e.u.instrs)
	return int32(e.label)
}

// island writes a part of the form with its assumptions, behind a check of them.
// Where it has too many scalars it writes nothing and answers false.
func (e *emitter) island(s *island, body func()) bool {
	for _, v := range s.assume {
		e.home(v) // so that what is undone below is the island's alone
	}
	before, outer := *e.u, *e
	e.within, e.known, e.loads, e.got = s, nil, nil, nil
	e.idle = make(map[tensor.DType][]int16, len(outer.idle))
	for dt, list := range outer.idle {
		e.idle[dt] = slices.Clone(list)
	}
	at := len(e.u.entries)
	e.add(instr{op: opEnter, x: int32(at)})
	e.u.entries = append(e.u.entries, entrance{})
	e.here()
	body()
	x := entrance{registers: e.known, loads: e.loads}
	for _, v := range s.assume {
		x.checks = append(x.checks, check{e.home(v), tensor.Descriptor(e.form.Values[v].DType)})
	}
	for _, v := range e.got {
		e.register[v] = 0
	}
	e.within, e.known, e.loads, e.got, e.idle = outer.within, outer.known, outer.loads, outer.got, outer.idle
	if e.free > registers {
		slots, presets := e.u.slots, e.u.presets // those of values that were met first
		*e.u = before
		e.u.slots, e.u.presets = slots, presets
		e.free = outer.free
		return false
	}
	x.otherwise = e.here()
	e.u.entries[at] = x
	return true
}

// recount makes a new account of the uses of values, which are written now.
func (e *emitter) recount(from, to int32) {
	for v := from; v < to && e.left != nil; v++ {
		e.left[v] = e.form.Values[v].Uses
	}
}

// isScalar says whether a value is in a register of scalars here.
func (e *emitter) isScalar(v int32) bool { return e.within != nil && e.within.knows(v) }

// owner is the island that knows a value to be a scalar, among its own.
func (e *emitter) owner(v int32) *island {
	for s := e.within; s != nil; s = s.outer {
		if s.inside(v) && s.has[v-s.from] {
			return s
		}
	}
	return nil
}

// reg is the register of a value for which isScalar holds.
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
	if idle := e.idle[dt]; len(idle) > 0 && owner != nil {
		e.register[v] = idle[len(idle)-1]
		e.idle[dt] = idle[:len(idle)-1]
		return uint8(e.register[v] - 1)
	}
	e.free++
	r := int32(e.free - 1)
	if r >= registers {
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
	if e.left[v] == 0 && e.register[v] != 0 && x.Role == roleLocal && x.Into < 0 && !e.target[v] && e.owner(v) != nil {
		e.idle[x.DType] = append(e.idle[x.DType], e.register[v])
	}
}

// at is the slot of a value here.
func (e *emitter) at(v int32) int32 {
	if e.isScalar(v) {
		return int32(e.reg(v))
	}
	return e.home(v)
}

func (e *emitter) drop(list []int32) {
	for _, v := range list {
		if !e.isScalar(v) {
			e.add(instr{op: opDrop, x: e.home(v)})
		}
	}
}

func (e *emitter) block(b *Block) {
	e.drop(b.Drop)
	for i := 0; i < len(b.Code); i++ {
		e.credit.spend(4)
		if e.loop >= 0 {
			if n := e.bandAt(b.Code[i:]); n > 1 {
				e.band(b.Code[i : i+n])
				i += n - 1
				continue
			}
		}
		e.instr(&b.Code[i])
	}
}

func (e *emitter) instr(in *Instr) {
	switch in.Op {
	case Call:
		e.call(in)
	case Read:
		e.u.reads = append(e.u.reads, read{transfer{e.at(in.In[0].Value), e.out(in.Out[0])}, in.Node, e.loop})
		e.add(instr{op: opRead, x: int32(len(e.u.reads) - 1)})
	case Join:
		if in.Out[0] >= 0 {
			e.transfer(e.move(in.Out[0], in.In[0]))
		} else if u := in.In[0]; u.Mode == Move {
			e.drop([]int32{u.Value})
		}
	case Index:
		if in.Out[0] >= 0 {
			at := e.fresh(1)
			e.u.presets = append(e.u.presets, preset{at, tensor.Scalar(in.Side)})
			e.transfer(transfers{from: at, to: e.at(in.Out[0]), op: opPlain})
		}
	case Fetch:
		u := in.In[0]
		e.u.fetches = append(e.u.fetches, fetch{e.at(u.Value), in.Side, in.Node, e.loop, u.Mode == Move && !e.isScalar(u.Value), u.Read})
		e.add(instr{op: opFetch, x: int32(len(e.u.fetches) - 1)})
	case If:
		e.conditional(in)
	case While:
		e.while(in.Loop)
	}
	e.after(in)
}

// after writes what follows an instruction: drops.
func (e *emitter) after(in *Instr) {
	e.drop(in.Drop)
	if e.within != nil && in.Loop == nil && !e.twice {
		for _, u := range in.In {
			e.used(u.Value)
		}
	}
}

// out is where an instruction puts what it makes.
func (e *emitter) out(v int32) int32 {
	if v >= 0 {
		return e.at(v)
	}
	if e.junk < 0 {
		e.junk = e.fresh(1)
	}
	return e.junk
}

// call writes a kernel's call, or the instruction that does the same for
// scalars.
func (e *emitter) call(in *Instr) {
	if e.becomesScalar(in) && e.scalarCall(scalarOp(e.form, in), in) {
		return
	}
	e.add(instr{op: opCall, x: e.kernelCall(in)})
}

// becomesScalar says whether a call needs no kernel here.
func (e *emitter) becomesScalar(in *Instr) bool {
	return e.within != nil && len(in.Out) == 1 && in.Out[0] >= 0 && e.isScalar(in.Out[0]) && scalarOp(e.form, in) != 0
}

// scalarCall writes an instruction on scalars.
func (e *emitter) scalarCall(op opcode, in *Instr) bool {
	for _, u := range in.In {
		if !e.isScalar(u.Value) {
			return false
		}
	}
	i := instr{op: op, d: e.reg(in.Out[0]), a: e.reg(in.In[0].Value)}
	switch {
	case op == opMoveScalar:
		// What was just made for this alone is made where it goes.
		if n := len(e.u.instrs) - 1; n >= e.label && e.form.Values[in.In[0].Value].Uses == 1 {
			if last := &e.u.instrs[n]; last.op >= firstScalar && last.op <= opMoveScalar && last.d == i.a {
				last.d = i.d
				return true
			}
		}
	case op == opSelect:
		i.b, i.x = e.reg(in.In[1].Value), int32(e.reg(in.In[2].Value))
	case len(in.In) == 2:
		i.b = e.reg(in.In[1].Value)
		if op.asks() {
			i.x = e.kernelCall(in)
		}
	}
	e.add(i)
	return true
}

// kernelCall describes the call of a kernel.
func (e *emitter) kernelCall(in *Instr) int32 {
	a := e.areas[in]
	u := e.u
	c := call{
		kernel: e.form.flow.Nodes[in.Node].Kernel, node: in.Node, loop: e.loop,
		in: a.in, nin: int32(len(in.In)), out: a.out, nout: int32(len(in.Out)),
	}
	if c.in < 0 {
		c.in = e.scratch
	}
	if len(in.Out) == 1 {
		c.out = e.out(in.Out[0])
		c.plain = in.Out[0] >= 0 && e.isScalar(in.Out[0])
	}
	for o, v := range in.Out {
		if v < 0 && o < 64 {
			c.unread |= 1 << o
		}
	}
	for k, x := range in.In {
		slot, from := c.in+int32(k), e.at(x.Value)
		constant := e.form.Values[x.Value].Const >= 0 && !x.Read && a.in >= 0
		switch {
		case x.Read:
			c.reads = append(c.reads, read{transfer{from, slot}, in.Node, e.loop})
		case !constant && from != slot:
			c.gathers = append(c.gathers, transfer{from, slot})
		}
		if x.Mode == Move && !x.Read && !e.isScalar(x.Value) {
			g := give{slot, from}
			if from == slot || len(in.Out) == 1 && from == c.out { // where the result goes
				g.home = -1
			}
			c.gives = append(c.gives, g)
		} else if k < 64 {
			c.keep |= 1 << k
		}
	}
	if e.loop >= 0 { // one for each output, and one for what the kernel needs itself
		c.homes = [2]int32{u.homes, u.homes + min(c.nout, 8) + 1}
		u.homes = c.homes[1]
	}
	u.calls = append(u.calls, c)
	return int32(len(u.calls) - 1)
}

// transfers is a move to be written.
type transfers struct {
	from, to int32
	op       opcode
	same     tensor.DType
}

// move is how a value becomes another.
func (e *emitter) move(to int32, u Use) transfers {
	t := transfers{from: e.at(u.Value), to: e.at(to)}
	from := e.isScalar(u.Value)
	switch {
	case from && e.isScalar(to):
		t.op = opMoveScalar
	case from:
		t.op = opPlain
	case u.Mode == Move:
		t.op = opMove
	default:
		t.op = opCopy
	}
	return t
}

func (e *emitter) transfer(t transfers) {
	switch {
	case t.from == t.to:
	case t.op == opMoveScalar:
		e.add(instr{op: opMoveScalar, d: uint8(t.to), a: uint8(t.from)})
	default:
		e.u.moves = append(e.u.moves, transfer{t.from, t.to})
		e.add(instr{op: t.op, x: int32(len(e.u.moves) - 1)})
	}
}

// parallel writes moves that happen at once: each reads what was there before
// any of them.
func (e *emitter) parallel(list []transfers) {
	pending := list[:0]
	sources, crossed := make(map[int32]bool, len(list)), false
	for _, t := range list {
		if t.from != t.to {
			pending = append(pending, t)
			crossed = crossed || sources[t.from] // by two
			sources[t.from] = true
		}
	}
	for _, t := range pending {
		crossed = crossed || sources[t.to]
	}
	if !crossed {
		for _, t := range pending {
			e.transfer(t)
		}
		return
	}
	for len(pending) > 0 {
		e.credit.spend(len(pending))
		at := -1
		for i, t := range pending {
			free := true
			for k, other := range pending {
				if k != i && (other.from == t.to || t.op == opMove && other.from == t.from) {
					free = false
					break
				}
			}
			if free {
				at = i
				break
			}
		}
		if at < 0 { // a cycle: what its first move overwrites is put aside
			t := pending[0]
			aside := transfers{from: t.to, op: t.op}
			switch t.op {
			case opMoveScalar:
				e.free++
				r := min(e.free-1, registers-1)
				e.known = append(e.known, check{int32(r), e.descriptor(t.to)})
				aside.to = int32(r)
			default:
				if e.spare < 0 {
					e.spare = e.fresh(1)
				}
				aside.to, aside.op = e.fresh(1), opMove
			}
			e.transfer(aside)
			for k := range pending {
				if pending[k].from == t.to {
					pending[k].from = aside.to
				}
			}
			continue
		}
		e.transfer(pending[at])
		pending = append(pending[:at], pending[at+1:]...)
	}
}

// descriptor is a scalar of the type of a register.
func (e *emitter) descriptor(register int32) tensor.Value {
	for _, k := range e.known {
		if k.slot == register {
			return k.zero
		}
	}
	return tensor.Value{}
}

// fuse takes back the comparison just written if the predicate is its result
// and used once, and answers its jumping forms with its registers.
func (e *emitter) fuse(pred Use) (jumps, instr) {
	r := e.reg(pred.Value)
	if n := len(e.u.instrs) - 1; n >= e.label && e.form.Values[pred.Value].Uses == 1 && e.owner(pred.Value) != nil {
		last := e.u.instrs[n]
		if j, ok := fused[last.op]; ok && last.op != opMoveScalar && last.d == r {
			e.u.instrs = e.u.instrs[:n]
			return j, last
		}
	}
	return fused[opMoveScalar], instr{a: r}
}

// unless writes a jump that is taken unless a predicate chooses side, and answers
// what sets its target.
func (e *emitter) unless(pred Use, side, sides, node int32) func(target int32) {
	if e.isScalar(pred.Value) && sides == 2 {
		j, in := e.fuse(pred)
		in.op = j.unless
		if side == 0 {
			in.op = j.when
		}
		at := e.add(in)
		return func(target int32) { e.u.instrs[at].x = target }
	}
	e.u.tests = append(e.u.tests, test{e.at(pred.Value), side, sides, 0, node, e.loop, pred.Mode == Move})
	at := len(e.u.tests) - 1
	e.add(instr{op: opTest, x: int32(at)})
	return func(target int32) { e.u.tests[at].target = target }
}

func (e *emitter) conditional(in *Instr) {
	sides := e.form.conds.preds[in.Rank].sides
	otherwise := e.unless(in.In[0], in.Side, sides, in.Node)
	e.block(in.Then)
	if in.Else == nil || len(in.Else.Code) == 0 && !e.drops(in.Else.Drop) {
		otherwise(e.here())
		return
	}
	end := e.add(instr{op: opJump})
	otherwise(e.here())
	e.block(in.Else)
	e.u.instrs[end].x = e.here()
}

// drops says whether anything is left to do of a list of drops.
func (e *emitter) drops(list []int32) bool {
	for _, v := range list {
		if !e.isScalar(v) {
			return true
		}
	}
	return false
}

// while writes a loop, twice if it is an island.
func (e *emitter) while(w *Loop) {
	// Loops in loops that are islands of their own double what is written; what
	// is written is bounded.
	if len(e.u.instrs) < roomy+room*len(e.form.Values) {
		if s := newIsland(e.form, e.credit, w, e.within); s != nil {
			for v := w.from; v < w.to; v++ { // what gets out lies in one place, whichever is played
				if e.reach[v] < w.Depth && e.isScalar(v) {
					e.reg(v)
				}
			}
			var end int
			if e.island(s, func() {
				e.iterate(w)
				for v := w.from; v < w.to; v++ {
					if s.has[v-s.from] && e.reach[v] < w.Depth {
						e.transfer(transfers{from: e.at(v), to: e.home(v), op: opPlain})
					}
				}
				end = e.add(instr{op: opJump})
			}) {
				e.iterate(w)
				e.u.instrs[end].x = e.here()
				return
			}
		}
	}
	e.iterate(w)
}

// The instructions of a unit, beyond which no more islands are written.
const (
	roomy = 1 << 12
	room  = 8 // for each value
)

func (e *emitter) iterate(w *Loop) {
	outer := e.loop
	e.recount(w.from, w.to)
	inits := make([]transfers, len(w.Vars))
	for i, x := range w.Vars {
		inits[i] = e.move(x.Value, x.Init)
	}
	e.parallel(inits)
	within := e.around
	e.loop, e.around = w.Number, w
	e.add(instr{op: opLoop, x: w.Number})
	head := e.here()
	twice := w.Number < counters && e.isScalar(w.Test.Value) && e.short(w.Head)
	e.twice = twice
	e.block(w.Head)
	e.twice = false
	leave := e.unless(w.Test, 1, 2, w.Node)
	body := e.here()
	e.block(w.Body)
	nexts := make([]transfers, 0, len(w.Vars))
	for _, x := range w.Vars {
		if x.Next.Value != x.Value {
			nexts = append(nexts, e.move(x.Value, x.Next))
		}
	}
	e.parallel(nexts)
	if twice {
		e.here()
		e.block(w.Head)
		j, in := e.fuse(w.Test)
		in.op, in.d, in.x = j.latch, uint8(w.Number), body
		e.add(in)
	} else {
		e.u.latches = append(e.u.latches, latch{w.Number, head})
		e.add(instr{op: opLatch, x: int32(len(e.u.latches) - 1)})
	}
	leave(e.here())
	e.block(w.Tail)
	e.loop, e.around = outer, within
}

// short says whether a loop's head is worth writing twice, so that an iteration
// needs one jump and not two.
func (e *emitter) short(b *Block) bool {
	const few = 8
	if len(b.Code) > few || e.drops(b.Drop) {
		return false
	}
	for i := range b.Code {
		in := &b.Code[i]
		if in.Op != Call || len(in.Out) != 1 || in.Out[0] < 0 || !e.isScalar(in.Out[0]) || scalarOp(e.form, in) == 0 || e.drops(in.Drop) {
			return false
		}
	}
	return true
}
