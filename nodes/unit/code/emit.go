package code

import (
	"github.com/troupe-go/troupe/nodes/unit/form"
	"github.com/troupe-go/troupe/tensor"
)

// Emit writes the unit of a form whose lifetimes are decided.
//
// Every value has a slot. One that is used once, as a kernel's input, lies where
// the kernel wants it; other inputs are gathered. Scalars of an island have a
// register instead, one of the first 256 slots. An island is written twice: with
// its assumptions, and without.
func Emit(f *form.Form, c *form.Credit) *Unit {
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
		c.Spend(1)
		e.slot[v] = -1
		if into := f.Values[v].Into; into >= 0 {
			e.target[into] = true
		}
	}
	if len(f.Loops) == 0 {
		e.program = form.NewIsland(f, c, nil, nil)
	}
	if e.program != nil || len(f.Loops) > 0 { // whose islands are found as they are written
		e.u.Scalars = true
		e.u.Slots = Registers
		e.register, e.got = make([]int16, n), make([]int32, 0, n)
	}
	for _, w := range f.Loops {
		outer := int32(-1)
		if w.Outer != nil {
			outer = w.Outer.Number
		}
		e.u.Loops = append(e.u.Loops, loop{w.Frame, w.Node, outer})
	}
	e.areas = make([]area, f.Calls)
	e.allot()
	e.u.Calls, e.u.Instrs = make([]Call, 0, f.Calls), make([]instr, 0, 2*n+4)
	e.findReach()
	e.write()
	return e.u
}

type emitter struct {
	form    *form.Form
	credit  *form.Credit
	u       *Unit
	slot    []int32 // of each value, of those that others are written to; -1
	areas   []area  // by the number of a Call
	reach   []int32 // by value: the depth of the innermost loop that holds all that uses it
	target  []bool  // values that others are written to
	junk    int32   // a slot for what nobody reads
	scratch int32   // slots for inputs that are all gathered

	program  *form.Island               // of a program without loops; nil if it is none
	within   *form.Island               // the innermost one being written; nil outside of all
	got      []int32                    // values that got a register, those of inner islands last
	register []int16                    // by value: its register in the island, plus 1
	free     int                        // registers taken so far
	idle     [form.MachineTypes][]int16 // of them, by machineType, those whose values nobody uses any more, plus 1
	left     []int32                    // by value: uses still to be written
	known    []check                    // registers in use
	loads    []transfer
	loop     int32
	around   *form.Loop // the loop being written
	twice    bool       // what is written now is written again further on
	node     int32      // that the next instruction stands for; -1
	guards   []leaving  // whose way out of their island is still to be written
	label    int        // no instruction before it may be fused with one after it
}

func (e *emitter) write() {
	if s := e.program; s != nil {
		e.recount(s.From, s.To)
		e.island(s, func() { e.block(e.form.Body); e.add(instr{Op: OpEnd}) })
	}
	e.block(e.form.Body)
	for _, r := range e.form.Results {
		e.u.Results = append(e.u.Results, result{r.Node, e.home(r.Use.Value), r.Use.Mode == form.Move})
	}
	e.add(instr{Op: OpEnd})
	e.u.Copies = make([]bool, e.u.Slots)
	for _, p := range e.u.Presets {
		e.u.Copies[p.Slot] = true
	}
	for _, p := range e.u.Params {
		if p.Feed >= 0 {
			e.u.Copies[p.Slot] = true
			e.u.Stale = append(e.u.Stale, p.Slot)
		}
	}
	note := func(slot int32) {
		if !e.u.Copies[slot] {
			e.u.Copies[slot] = true
			e.u.Stale = append(e.u.Stale, slot)
		}
	}
	for i := range e.u.Calls {
		for _, g := range e.u.Calls[i].Gathers {
			note(g.To)
		}
		for _, r := range e.u.Calls[i].Reads {
			note(r.To)
		}
	}
}

func (e *emitter) add(in instr) int {
	e.u.Instrs, e.u.Nodes = append(e.u.Instrs, in), append(e.u.Nodes, e.node)
	e.node = -1
	return len(e.u.Instrs) - 1
}

func (e *emitter) here() int32 {
	e.label = len(e.u.Instrs)
	return int32(e.label)
}

func (e *emitter) drop(list []int32) {
	for _, v := range list {
		if !e.isScalar(v) {
			e.add(instr{Op: OpDrop, X: e.home(v)})
		}
	}
}

func (e *emitter) block(b *form.Block) {
	e.drop(b.Drop)
	for code := b.Code; len(code) > 0; {
		n := 0
		if e.loop >= 0 {
			n = e.chainAt(code)
		} else if n := e.tilesAt(code); n > 1 {
			e.tiles(code[:n])
			code = code[n:]
			continue
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
func (e *emitter) next(code []form.Instr) int {
	e.credit.Spend(4)
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

func (e *emitter) instr(in *form.Instr) {
	switch in.Op {
	case form.Call:
		e.call(in)
	case form.Read:
		e.u.Reads = append(e.u.Reads, Read{transfer{e.at(in.In[0].Value), e.out(in.Out[0])}, in.Node, e.loop, e.form.Flow.Nodes[in.Node].Shares})
		e.add(instr{Op: OpRead, X: int32(len(e.u.Reads) - 1)})
		if in.Out[0] < 0 { // only whether it can be read matters
			e.add(instr{Op: OpDrop, X: e.junk})
		}
	case form.Join:
		if in.Out[0] >= 0 {
			e.transfer(e.move(in.Out[0], in.In[0]))
		} else if u := in.In[0]; u.Mode == form.Move {
			e.drop([]int32{u.Value})
		}
	case form.Index:
		if in.Out[0] >= 0 {
			at := e.fresh(1)
			e.u.Presets = append(e.u.Presets, preset{at, tensor.Scalar(in.Side)})
			e.transfer(transfers{from: at, to: e.at(in.Out[0]), op: OpPlain})
		}
	case form.Fetch:
		u := in.In[0]
		e.u.Fetches = append(e.u.Fetches, Fetch{e.at(u.Value), in.Side, in.Node, e.loop, u.Mode == form.Move && !e.isScalar(u.Value), u.Read})
		e.add(instr{Op: OpFetch, X: int32(len(e.u.Fetches) - 1)})
	case form.If:
		e.conditional(in)
	case form.While:
		e.while(in.Loop)
	case form.Await:
		e.add(instr{Op: OpAwait})
	}
	e.after(in)
}

// after writes what follows an instruction: drops.
func (e *emitter) after(in *form.Instr) {
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
func (e *emitter) call(in *form.Instr) {
	if e.becomesScalar(in) && e.scalarCall(e.form.ScalarOf(in).Op, in) {
		return
	}
	op := OpCall
	if e.form.Waits(in) {
		op, e.u.Waits = OpWait, true
		if in.Starts {
			op = OpStart
		}
	}
	e.add(instr{Op: op, X: e.kernelCall(in)})
	if op == OpWait {
		e.guard(in)
	}
}

// becomesScalar reports whether a call needs no kernel here.
func (e *emitter) becomesScalar(in *form.Instr) bool {
	return e.within != nil && len(in.Out) == 1 && in.Out[0] >= 0 && e.isScalar(in.Out[0]) && e.form.ScalarOf(in).Op != 0
}

// scalarCall writes an instruction on scalars.
func (e *emitter) scalarCall(op form.ScalarOp, in *form.Instr) bool {
	for _, u := range in.In {
		if !e.isScalar(u.Value) {
			return false
		}
	}
	i := instr{Op: opcodeOf(op), D: e.reg(in.Out[0]), A: e.reg(in.In[0].Value)}
	switch {
	case op == form.ScalarMove:
		// What was just made for this alone is made where it goes.
		if n := len(e.u.Instrs) - 1; n >= e.label && e.form.Values[in.In[0].Value].Uses == 1 {
			if last := &e.u.Instrs[n]; last.Op >= firstScalar && last.Op <= OpMoveScalar && last.D == i.A {
				last.D = i.D
				return true
			}
		}
	case op == form.ScalarSelect:
		i.B, i.X = e.reg(in.In[1].Value), int32(e.reg(in.In[2].Value))
	case len(in.In) == 2:
		i.B = e.reg(in.In[1].Value)
		if op.Asks() {
			i.X = e.kernelCall(in)
		}
	}
	e.node = in.Node
	e.add(i)
	return true
}

// kernelCall describes the call of a kernel.
func (e *emitter) kernelCall(in *form.Instr) int32 {
	a := e.areas[in.Number]
	u := e.u
	c := Call{
		Kernel: e.form.Flow.Nodes[in.Node].Kernel, Node: in.Node, Loop: e.loop,
		In: a.in, Nin: int32(len(in.In)), Out: a.out, Nout: int32(len(in.Out)),
	}
	if c.In < 0 {
		c.In = e.scratch
	}
	if len(in.Out) == 1 {
		c.Out = e.out(in.Out[0])
		c.Plain = in.Out[0] >= 0 && e.isScalar(in.Out[0]) && !e.form.Guarded(in)
	}
	for o, v := range in.Out {
		if v < 0 {
			c.Unread.add(o)
		}
	}
	for k, x := range in.In {
		slot, from := c.In+int32(k), e.at(x.Value)
		constant := e.form.Values[x.Value].Const >= 0 && !x.Read && a.in >= 0
		switch {
		case x.Read:
			c.Reads = append(c.Reads, Read{transfer{from, slot}, in.Node, e.loop, false})
		case !constant && from != slot:
			c.Gathers = append(c.Gathers, transfer{from, slot})
		}
		if x.Mode == form.Move && !x.Read && !e.isScalar(x.Value) {
			g := give{slot, from}
			if from == slot || len(in.Out) == 1 && from == c.Out { // where the result goes
				g.Home = -1
			}
			c.Gives = append(c.Gives, g)
		} else if k < 64 {
			c.Keep |= 1 << k
		}
	}
	if e.loop >= 0 && !e.form.Waits(in) { // one for each output, and one for what the kernel needs itself
		c.Homes = [2]int32{u.Homes, u.Homes + min(c.Nout, 8) + 1}
		u.Homes = c.Homes[1]
	}
	u.Calls = append(u.Calls, c)
	return int32(len(u.Calls) - 1)
}

// fuse takes back the comparison just written if the predicate is its result
// and used once, and answers its jumping forms with its registers.
func (e *emitter) fuse(pred form.Use) (jumps, instr) {
	r := e.reg(pred.Value)
	if n := len(e.u.Instrs) - 1; n >= e.label && !e.form.Off.Has(form.Fuse) && e.form.Values[pred.Value].Uses == 1 && e.owner(pred.Value) != nil {
		last := e.u.Instrs[n]
		if j, ok := fused[last.Op]; ok && last.Op != OpMoveScalar && last.D == r {
			e.node = e.u.Nodes[n]
			e.u.Instrs, e.u.Nodes = e.u.Instrs[:n], e.u.Nodes[:n]
			return j, last
		}
	}
	return fused[OpMoveScalar], instr{A: r}
}

// unless writes a jump that is taken unless a predicate chooses side, and answers
// what sets its target.
func (e *emitter) unless(pred form.Use, side, sides, node int32) func(target int32) {
	if e.isScalar(pred.Value) && sides == 2 && e.form.Values[pred.Value].DType == tensor.Bool { // the index of a Case may be any number
		j, in := e.fuse(pred)
		in.Op = j.unless
		if side == 0 {
			in.Op = j.when
		}
		at := e.add(in)
		return func(target int32) { e.u.Instrs[at].X = target }
	}
	e.u.Tests = append(e.u.Tests, Test{e.at(pred.Value), side, sides, 0, node, e.loop, pred.Mode == form.Move})
	at := len(e.u.Tests) - 1
	e.add(instr{Op: OpTest, X: int32(at)})
	return func(target int32) { e.u.Tests[at].Target = target }
}

func (e *emitter) conditional(in *form.Instr) {
	sides := e.form.Sides(in.Rank)
	otherwise := e.unless(in.In[0], in.Side, sides, in.Node)
	e.block(in.Then)
	if in.Else == nil || len(in.Else.Code) == 0 && !e.drops(in.Else.Drop) {
		otherwise(e.here())
		return
	}
	end := e.add(instr{Op: OpJump})
	otherwise(e.here())
	e.block(in.Else)
	e.u.Instrs[end].X = e.here()
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
func (e *emitter) while(w *form.Loop) {
	// Loops in loops that are islands of their own double what is written; what
	// is written is bounded.
	if len(e.u.Instrs) < roomy+room*len(e.form.Values) {
		if s := form.NewIsland(e.form, e.credit, w, e.within); s != nil {
			for v := w.From; v < w.To; v++ { // what gets out lies in one place, whichever is played
				if e.reach[v] < w.Depth && e.isScalar(v) {
					e.reg(v)
				}
			}
			var end int
			if e.island(s, func() {
				e.iterate(w)
				for v := w.From; v < w.To; v++ {
					if s.Has[v-s.From] && e.reach[v] < w.Depth {
						e.transfer(transfers{from: e.at(v), to: e.home(v), op: OpPlain})
					}
				}
				end = e.add(instr{Op: OpJump})
			}) {
				e.iterate(w)
				e.u.Instrs[end].X = e.here()
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

func (e *emitter) iterate(w *form.Loop) {
	outer := e.loop
	e.recount(w.From, w.To)
	inits := make([]transfers, len(w.Vars))
	for i, x := range w.Vars {
		inits[i] = e.move(x.Value, x.Init)
	}
	e.parallel(inits)
	within := e.around
	e.loop, e.around = w.Number, w
	e.add(instr{Op: OpLoop, X: w.Number})
	head := e.here()
	twice := w.Number < Counters && e.isScalar(w.Test.Value) && e.short(w.Head)
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
		in.Op, in.D, in.X = j.latch, uint8(w.Number), body
		e.add(in)
	} else {
		e.u.Latches = append(e.u.Latches, latch{w.Number, head})
		e.add(instr{Op: OpLatch, X: int32(len(e.u.Latches) - 1)})
	}
	leave(e.here())
	e.block(w.Tail)
	e.loop, e.around = outer, within
}

// short reports whether a loop's head is worth writing twice, so that an iteration
// needs one jump and not two.
func (e *emitter) short(b *form.Block) bool {
	const few = 8
	if len(b.Code) > few || e.drops(b.Drop) {
		return false
	}
	for i := range b.Code {
		in := &b.Code[i]
		if in.Op != form.Call || len(in.Out) != 1 || in.Out[0] < 0 || !e.isScalar(in.Out[0]) || e.form.ScalarOf(in).Op == 0 || e.drops(in.Drop) {
			return false
		}
	}
	return true
}
