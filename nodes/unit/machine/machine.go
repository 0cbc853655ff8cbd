package machine

import (
	"sync"
	"sync/atomic"

	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/nodes/kind"
	"github.com/troupe-go/troupe/nodes/unit/code"
	"github.com/troupe-go/troupe/profile"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

// A Machine plays a unit. It keeps its slots from one run to the next, and is
// for one goroutine at a time.
type Machine struct {
	code    *code.Unit
	env     *Env
	slab    []tensor.Value
	scalars *[code.Registers]tensor.Value
	homes   []tensor.BufferSlot
	bands   []bandState
	chains  []chainState
	tiles   []tileState
	scratch tensor.Value // memory of chains
	count   []int64      // iteration of each loop; at least counters
	played  []int64      // by instruction: how often it was played, where that is counted
	spots   []code.Call  // of loops, for At between calls
	fuel    int          // latches until the next question
	at      *code.Call   // being run, or run last
	busy    bool         // at is being run
	fault   *Fault

	pc       int32 // where to go on
	state    State
	started  []*code.Call // and not awaited
	patience int          // operations that may wait, until others that could go on are let
}

// fuelMost is how many iterations of scalars pass between two looks at the
// alarm: at most about a millisecond.
const fuelMost = 1024

// An Env is what a unit is played with.
type Env struct {
	Ctx     *kernel.Context // of a kernel on this goroutine
	Feeds   []tensor.Value  // by feed
	Fetched func(index int32, v tensor.Value)
	// Alarm is set when somebody wants the step's attention. It is looked at
	// before every kernel, and now and then where there is none; Attend says then
	// whether to go on.
	Alarm  *atomic.Bool
	Attend func() bool
	// Run runs a kernel whose cost is measured; nil: it is run directly.
	Run func(k kernel.Kernel, node int32, in, out []tensor.Value) error
	// Meter records what is played, and then Run gives it kernels; nil: nothing is.
	Meter *profile.Meter

	// Clock is nil where no kernel is worth another core. Otherwise Cost is about
	// how many nanoseconds the kernel of a node takes, 0 if nobody knows, Note is
	// told how many it took, and kernels on other goroutines share Away under
	// Lock.
	Clock func() int64
	Cost  func(node int32) int64
	Note  func(node int32, nanos int64)
	// Wait runs the kernel of a node that may wait, in a unit that can be parked:
	// true if that is done, false if the unit is to be parked until it is. Others
	// reports whether another unit could go on.
	Wait   func(k kernel.Kernel, node int32, in, out []tensor.Value) (done bool, err error)
	Others func() bool
	// Start begins to run the kernel of a node that may wait: true if that is done. If not,
	// and there is no error, it has a copy of in, and the machine holds each of that. Once
	// all is done that was started, Started moves the outputs to out, i in the order of
	// Start, and returns the copy.
	Start   func(k kernel.Kernel, node int32, in, out []tensor.Value) (done bool, err error)
	Started func(i int, out []tensor.Value) (in []tensor.Value)

	Eager bool // bands are shared whatever their kernels cost
	Away  *tensor.Arena
	Lock  *sync.Mutex
}

// A Fault is the error of a node that ended a run.
type Fault struct {
	Node int32
	Err  error
}

// New makes a machine: the slots of a unit.
func New(u *code.Unit) *Machine {
	m := &Machine{code: u, slab: make([]tensor.Value, u.Slots), count: make([]int64, max(code.Counters, len(u.Loops))), fuel: fuelMost}
	if u.Scalars {
		m.scalars = (*[code.Registers]tensor.Value)(m.slab)
	} else {
		m.scalars = new([code.Registers]tensor.Value)
	}
	m.homes, m.bands = make([]tensor.BufferSlot, u.Homes), make([]bandState, len(u.Bands))
	m.chains, m.tiles = make([]chainState, len(u.Chains)), make([]tileState, len(u.Tiles))
	for i := range m.chains {
		m.chains[i] = chainState{shapes: make([]shapeOf, len(u.Chains[i].Inputs)), wait: 1}
		if u.Eager {
			m.chains[i].wait = 0
		}
	}
	m.spots = make([]code.Call, len(u.Loops))
	for l := range u.Loops {
		m.spots[l] = code.Call{Node: u.Loops[l].Node, Loop: int32(l)}
	}
	m.reset()
	return m
}

func (m *Machine) reset() {
	for _, p := range m.code.Presets {
		m.slab[p.Slot] = p.Value
	}
}

// Enter brings what an Enter has, with the token that held it, to where a loop's
// unit begins. All must come before Run.
func (m *Machine) Enter(node int32, v tensor.Value) {
	for _, p := range m.code.Params {
		if p.Node == node {
			m.slab[p.Slot] = v
			return
		}
	}
	panic("unit: an Enter of another loop")
}

// Run plays the unit to its end. Afterwards, also after a panic, End must be
// called. False: Attend has ended it, or a node has failed; see Fault.
func (m *Machine) Run(env *Env) bool {
	m.Begin(env)
	for _, p := range m.code.Params {
		if p.Feed >= 0 {
			m.slab[p.Slot] = env.Feeds[p.Feed]
		}
	}
	if env.Meter != nil {
		return m.execMetered()
	}
	return m.exec()
}

// Fault is why Run failed; nil if no node did.
func (m *Machine) Fault() *Fault { return m.fault }

// Results calls leave with what each Exit leaves with, and the token that holds
// it.
func (m *Machine) Results(leave func(node int32, v tensor.Value)) {
	for _, r := range m.code.Results {
		v := m.slab[r.Slot]
		if r.Move {
			if !v.Plain() {
				m.slab[r.Slot] = tensor.Value{}
			}
		} else {
			v.Hold(1)
		}
		leave(r.Node, v)
	}
}

// End empties the slots. failed says that the run did not come to its end.
func (m *Machine) End(failed bool) {
	ctx := m.env.Ctx
	ctx.Keep, ctx.Slots = 0, nil
	if failed {
		ctx.Arena.Fail()
	}
	for i := range m.chains {
		m.chains[i].release(m, &m.code.Chains[i], failed)
	}
	for i := range m.homes {
		m.homes[i].Release(ctx.Arena)
	}
	if !failed {
		for _, s := range m.code.Stale {
			if !m.slab[s].Plain() {
				m.slab[s] = tensor.Value{}
			}
		}
		m.env = nil
		return
	}
	m.abandon()
	for i, v := range m.slab {
		if !v.Plain() {
			m.slab[i] = tensor.Value{}
			if !m.code.Copies[i] {
				ctx.Arena.Drop(v)
			}
		}
	}
	m.reset()
	m.env = nil
}

// abandon undoes half a call: inputs that the kernel took are not there any
// more, and what it put out counts for nothing.
func (m *Machine) abandon() {
	if !m.busy {
		return
	}
	c := m.at
	for _, g := range c.Gives {
		switch v := m.slab[g.Slot]; {
		case g.Home >= 0 && v.IsZero():
			m.slab[g.Home] = tensor.Value{}
		case g.Home < 0 && m.code.Copies[g.Slot] && !v.Plain(): // the slot alone has it
			m.slab[g.Slot] = tensor.Value{}
			m.env.Ctx.Arena.Drop(v)
		}
	}
	clear(m.slab[c.Out : c.Out+c.Nout])
	m.busy = false
}

// At returns the node whose kernel is run, or was run last; -1 before the first.
func (m *Machine) At() int32 {
	if m.at == nil {
		return -1
	}
	return m.at.Node
}

// Tag calls add with the frame and the number of each iteration that node At is
// in, the outermost first.
func (m *Machine) Tag(add func(frame int32, iteration int64)) {
	if m.at == nil {
		return
	}
	m.tag(m.at.Loop, add)
}

func (m *Machine) tag(l int32, add func(frame int32, iteration int64)) {
	if l < 0 {
		return
	}
	m.tag(m.code.Loops[l].Outer, add)
	add(m.code.Loops[l].Frame, m.count[l])
}

// fail ends the run with the error of a node.
func (m *Machine) fail(node, loop int32, err error) int {
	m.fault = &Fault{Node: node, Err: err}
	if !m.busy {
		m.at = &code.Call{Node: node, Loop: loop}
	}
	return halt
}

// ask looks whether the run is to end.
func (m *Machine) ask() bool {
	return !m.env.Alarm.Load() || m.env.Attend()
}

// halt is the instruction after which none is played.
const halt = -1

// begin begins a loop, and pays for the iterations that it had when it was played
// last.
func (m *Machine) begin(loop int32, pc int) int {
	m.fuel -= int(m.count[loop] % fuelMost)
	m.count[loop] = 0
	if m.fuel <= 0 {
		return m.refuel(loop, pc)
	}
	return pc
}

// latch ends an iteration of a loop.
func (m *Machine) latch(loop int32, pc int) int {
	m.count[loop]++
	if m.count[loop]%fuelMost == 0 {
		return m.refuel(loop, pc)
	}
	return pc
}

// refuel asks whether the run is to end. The machine is at the loop meanwhile.
func (m *Machine) refuel(loop int32, pc int) int {
	m.fuel, m.at = fuelMost, &m.spots[loop]
	if !m.ask() {
		return halt
	}
	return pc
}

// call runs a kernel.
func (m *Machine) call(c *code.Call, pc int) int {
	if m.env.Alarm.Load() && !m.env.Attend() {
		return halt
	}
	slab := m.slab
	for _, g := range c.Gathers {
		slab[g.To] = slab[g.From]
	}
	m.at, m.busy = c, true
	for i := range c.Reads {
		if !m.read(&c.Reads[i]) {
			return halt
		}
	}
	in := slab[c.In : c.In+c.Nin : c.In+c.Nin]
	out := slab[c.Out : c.Out+c.Nout : c.Out+c.Nout]
	for i := range out {
		if o := &out[i]; !o.IsZero() { // as a rule it is, and a store of a pointer costs more
			*o = tensor.Value{}
		}
	}
	ctx := m.env.Ctx
	ctx.Keep, ctx.Slots = c.Keep, m.homes[c.Homes[0]:c.Homes[1]]
	var err error
	if m.env.Run == nil {
		err = c.Kernel.Run(ctx, in, out)
	} else {
		err = m.env.Run(c.Kernel, c.Node, in, out)
	}
	if err != nil {
		return m.fail(c.Node, c.Loop, err)
	}
	for o := range out {
		if v := &out[o]; v.Plain() {
			if v.IsZero() && !c.Unread.Has(o) {
				return m.fail(c.Node, c.Loop, status.Errorf(status.Internal, "the kernel left output %d without a value", o))
			}
		} else if c.Plain || c.Unread.Has(o) {
			m.unheld(c, v)
		} else {
			v.Hold(1)
		}
	}
	for i := range c.Gives {
		g := &c.Gives[i]
		if g.Home >= 0 && !slab[g.Home].Plain() {
			slab[g.Home] = tensor.Value{}
		}
		if v := slab[g.Slot]; !v.Plain() {
			slab[g.Slot] = tensor.Value{}
			ctx.Arena.Drop(v)
		}
	}
	m.busy = false
	return pc
}

// unheld deals with an output that no slot is to hold: nobody reads it, or it is
// a scalar that is not inside its value, as a register of scalars wants it.
func (m *Machine) unheld(c *code.Call, v *tensor.Value) {
	t := *v
	*v = tensor.Value{}
	if c.Plain {
		*v = tensor.ScalarAt(&t, 0)
	}
	m.env.Ctx.Arena.Reclaim(t)
}

func (m *Machine) move(from, to int32, pc int) int {
	v := m.slab[from]
	m.slab[to] = v
	if !v.Plain() {
		m.slab[from] = tensor.Value{}
	}
	return pc
}

func (m *Machine) copy(from, to int32, pc int) int {
	v := m.slab[from]
	if !v.Plain() {
		v.Hold(1)
	}
	m.slab[to] = v
	return pc
}

func (m *Machine) drop(slot int32, pc int) int {
	m.free(slot)
	return pc
}

func (m *Machine) free(slot int32) {
	if v := m.slab[slot]; !v.Plain() {
		m.slab[slot] = tensor.Value{}
		m.env.Ctx.Arena.Drop(v)
	}
}

// read puts the value of a variable, or a token of what it shares, into a slot. The
// slot does not own it.
func (m *Machine) read(r *code.Read) bool {
	ref := m.slab[r.From]
	if !ref.IsRef() { // one of values and references that come together
		m.slab[r.To] = ref
		return true
	}
	of := kind.Read
	if r.Share {
		of = kind.Share
	}
	v, err := of(ref)
	if err != nil {
		m.fail(r.Node, r.Loop, err)
		return false
	}
	m.slab[r.To] = v
	return true
}

// readOwned is read for a slot that owns what it holds.
func (m *Machine) readOwned(r *code.Read, pc int) int {
	if !m.read(r) {
		return halt
	}
	if v := m.slab[r.To]; !v.Plain() {
		v.Hold(1)
	}
	return pc
}

func (m *Machine) fetch(f *code.Fetch, pc int) int {
	v := m.slab[f.Slot]
	if f.Read && v.IsRef() {
		var err error
		if v, err = kind.Share(v); err != nil { // it is read when the step ends
			return m.fail(f.Node, f.Loop, err)
		}
		m.env.Fetched(f.Index, v)
		return pc
	}
	if !v.Plain() {
		if f.Move {
			m.slab[f.Slot] = tensor.Value{}
		} else {
			v.Hold(1)
		}
	}
	m.env.Fetched(f.Index, v)
	return pc
}

// test looks at a predicate.
func (m *Machine) test(t *code.Test, pc int) int {
	p := m.slab[t.Slot]
	if p.NumElements() != 1 {
		return m.fail(t.Node, t.Loop, kind.NotScalar(p))
	}
	var side int32
	if t.Sides == 2 && p.DType() == tensor.Bool {
		if tensor.At0[bool](&p) {
			side = 1
		}
	} else if side = tensor.At0[int32](&p); side < 0 || side >= t.Sides {
		side = t.Sides - 1
	}
	if t.Move && !p.Plain() {
		m.slab[t.Slot] = tensor.Value{}
		m.env.Ctx.Arena.Drop(p)
	}
	if side == t.Side {
		return pc
	}
	return int(t.Target)
}

// guard deals with what a kernel has put into a register and is not inside its value: a
// scalar is brought there, with anything else the machine leaves the island.
func (m *Machine) guard(g *code.Guard, pc int) int {
	v, dt := m.slab[g.Register.Slot], g.Register.Zero.DType()
	if v.IsScalar() && v.DType() == dt {
		m.slab[g.Register.Slot] = tensor.ScalarAt(&v, 0)
		m.env.Ctx.Arena.Drop(v)
		return pc
	}
	for _, t := range g.Moves {
		m.slab[t.To] = m.slab[t.From]
	}
	m.slab[g.Register.Slot] = g.Register.Zero
	return int(g.Otherwise)
}

// enter looks whether what an island takes for granted holds, and makes its
// registers ready.
func (m *Machine) enter(e *code.Entrance, pc int) int {
	for i := range e.Checks {
		if c := &e.Checks[i]; !m.slab[c.Slot].Inside(c.Zero.DType()) {
			return int(e.Otherwise)
		}
	}
	for i := range e.Vectors {
		c := &e.Vectors[i]
		if v := m.slab[c.Slot]; v.IsZero() || v.DType() != c.Zero.DType() || v.Rank() != 1 {
			return int(e.Otherwise)
		}
	}
	for i := range e.Registers {
		m.slab[e.Registers[i].Slot] = e.Registers[i].Zero
	}
	for i := range e.Loads {
		m.slab[e.Loads[i].To] = m.slab[e.Loads[i].From]
	}
	return pc
}
