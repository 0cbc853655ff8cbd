package unit

import (
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
		u:      &Unit{Frame: f.Frame},
		target: make([]bool, len(f.Values)),
		loop:   -1, junk: -1, node: -1,
	}
	n := len(f.Values)
	numbers := make([]int32, 3*n)
	e.slot, e.reach, e.left = numbers[:n], numbers[n:2*n], numbers[2*n:]
	for v := range e.slot {
		c.spend(1)
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
		e.register, e.got = make([]int16, n), make([]int32, 0, n)
	}
	for _, w := range f.Loops {
		outer := int32(-1)
		if w.Outer != nil {
			outer = w.Outer.Number
		}
		e.u.loops = append(e.u.loops, loop{w.Frame, w.Node, outer})
	}
	e.u.calls, e.u.instrs = make([]call, 0, e.allot()), make([]instr, 0, 2*n+4)
	e.findReach()
	e.write()
	return e.u
}

type emitter struct {
	form    *Form
	credit  *credit
	u       *Unit
	slot    []int32 // of each value, of those that others are written to; -1
	reach   []int32 // by value: the depth of the innermost loop that holds all that uses it
	target  []bool  // values that others are written to
	junk    int32   // a slot for what nobody reads
	scratch int32   // slots for inputs that are all gathered

	program  *island               // of a program without loops; nil if it is none
	within   *island               // the innermost one being written; nil outside of all
	got      []int32               // values that got a register, those of inner islands last
	register []int16               // by value: its register in the island, plus 1
	free     int                   // registers taken so far
	idle     [machineTypes][]int16 // of them, by machineType, those whose values nobody uses any more, plus 1
	left     []int32               // by value: uses still to be written
	known    []check               // registers in use
	loads    []transfer
	loop     int32
	around   *Loop // the loop being written
	twice    bool  // what is written now is written again further on
	node     int32 // that the next instruction stands for; -1
	label    int   // no instruction before it may be fused with one after it
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
	e.u.instrs, e.u.nodes = append(e.u.instrs, in), append(e.u.nodes, e.node)
	e.node = -1
	return len(e.u.instrs) - 1
}

func (e *emitter) here() int32 {
	e.label = len(e.u.instrs)
	return int32(e.label)
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
	for code := b.Code; len(code) > 0; {
		n := 0
		if e.loop >= 0 {
			n = e.chainAt(code)
		}
		if n > 1 || n == 1 && e.bandAt(code) < 2 {
			e.chain(code[:n])
		} else {
			n = e.next(code)
		}
		code = code[n:]
	}
}

// next writes what code begins with, apart from chains, and answers how many
// instructions that are.
func (e *emitter) next(code []Instr) int {
	e.credit.spend(4)
	if n := e.pickAt(code); n > 0 {
		return n
	}
	if e.loop >= 0 {
		if n := e.bandAt(code); n > 1 {
			e.band(code[:n])
			return n
		}
	}
	e.instr(&code[0])
	return 1
}

func (e *emitter) instr(in *Instr) {
	switch in.Op {
	case Call:
		e.call(in)
	case Read:
		e.u.reads = append(e.u.reads, read{transfer{e.at(in.In[0].Value), e.out(in.Out[0])}, in.Node, e.loop, e.form.flow.Nodes[in.Node].Shares})
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

// out returns where an instruction puts what it makes.
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
	if e.becomesScalar(in) && e.scalarCall(e.form.scalarOf(in).op, in) {
		return
	}
	e.add(instr{op: opCall, x: e.kernelCall(in)})
}

// becomesScalar reports whether a call needs no kernel here.
func (e *emitter) becomesScalar(in *Instr) bool {
	return e.within != nil && len(in.Out) == 1 && in.Out[0] >= 0 && e.isScalar(in.Out[0]) && e.form.scalarOf(in).op != 0
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
	e.node = in.Node
	e.add(i)
	return true
}

// kernelCall describes the call of a kernel.
func (e *emitter) kernelCall(in *Instr) int32 {
	a := in.area
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
		if v < 0 {
			c.unread.add(o)
		}
	}
	for k, x := range in.In {
		slot, from := c.in+int32(k), e.at(x.Value)
		constant := e.form.Values[x.Value].Const >= 0 && !x.Read && a.in >= 0
		switch {
		case x.Read:
			c.reads = append(c.reads, read{transfer{from, slot}, in.Node, e.loop, false})
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

// fuse takes back the comparison just written if the predicate is its result
// and used once, and answers its jumping forms with its registers.
func (e *emitter) fuse(pred Use) (jumps, instr) {
	r := e.reg(pred.Value)
	if n := len(e.u.instrs) - 1; n >= e.label && e.form.Values[pred.Value].Uses == 1 && e.owner(pred.Value) != nil {
		last := e.u.instrs[n]
		if j, ok := fused[last.op]; ok && last.op != opMoveScalar && last.d == r {
			e.node = e.u.nodes[n]
			e.u.instrs, e.u.nodes = e.u.instrs[:n], e.u.nodes[:n]
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

// drops reports whether anything is left to do of a list of drops.
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

// short reports whether a loop's head is worth writing twice, so that an iteration
// needs one jump and not two.
func (e *emitter) short(b *Block) bool {
	const few = 8
	if len(b.Code) > few || e.drops(b.Drop) {
		return false
	}
	for i := range b.Code {
		in := &b.Code[i]
		if in.Op != Call || len(in.Out) != 1 || in.Out[0] < 0 || !e.isScalar(in.Out[0]) || e.form.scalarOf(in).op == 0 || e.drops(in.Drop) {
			return false
		}
	}
	return true
}
