package unit

import (
	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

// A band is kernels that follow each other in a loop, do not need each other's
// outputs and have no side effects. While they are measured to be worth it, the
// device's pool runs them beside each other; otherwise they are ordinary calls.
// Programs without loops go by tokens where several cores help.
type band struct {
	end   int32 // the instruction after its calls
	calls []int32
	lone  []uint64 // by call: inputs that it gives up and no other call of the band has
}

// bandAt returns how many of the instructions that code begins with make a band.
func (e *emitter) bandAt(code []Instr) int {
	made := map[int32]bool{}
	for n := range code {
		in := &code[n]
		if in.Op != Call || !e.form.pure(in) || e.becomesScalar(in) || e.isPick(code[n:]) > 0 {
			return n
		}
		for _, u := range in.In {
			if made[u.Value] || u.Read {
				return n
			}
		}
		for _, o := range in.Out {
			made[o] = true
		}
		if len(in.Drop) > 0 {
			return n + 1
		}
	}
	return len(code)
}

// band writes a band: an instruction that plays all of it, and the calls that are
// played one after another otherwise.
func (e *emitter) band(code []Instr) {
	have := map[int32]int{} // how often calls of the band have a value
	for i := range code {
		for _, u := range code[i].In {
			have[u.Value]++
		}
	}
	var b band
	e.add(instr{op: opBand, x: int32(len(e.u.bands))})
	at := len(e.u.bands)
	e.u.bands = append(e.u.bands, band{})
	for i := range code {
		in := &code[i]
		var lone uint64
		for k, u := range in.In {
			if u.Mode == Move && have[u.Value] == 1 && k < 64 {
				lone |= 1 << k
			}
		}
		b.calls, b.lone = append(b.calls, int32(len(e.u.calls))), append(b.lone, lone)
		e.add(instr{op: opCall, x: e.kernelCall(in)})
		if i == len(code)-1 {
			b.end = e.here()
		}
		e.after(in)
	}
	e.u.bands[at] = b
}

// gather puts calls together that can be a band: in loops, arithmetic that may
// turn out to be on scalars goes in front of the calls beside it that it does not
// need. Whatever can fail, or has an effect, stays where it is.
func (f *Form) gather(c *credit) {
	late := make([]bool, len(f.Values)) // made by what stays
	for _, w := range f.Loops {
		for _, b := range []*Block{w.Head, w.Body, w.Tail} {
			f.gatherIn(b, late, c)
		}
	}
}

func (f *Form) gatherIn(b *Block, late []bool, c *credit) {
	if b == nil {
		return
	}
	c.spend(2 * len(b.Code))
	for at := 0; at < len(b.Code); at++ {
		f.gatherIn(b.Code[at].Then, late, c)
		f.gatherIn(b.Code[at].Else, late, c)
		end, kernels := at, 0
		for end < len(b.Code) && b.Code[end].Op == Call && f.pure(&b.Code[end]) {
			if f.scalarOf(&b.Code[end]).op == 0 {
				kernels++
			}
			end++
		}
		if kernels > 1 {
			f.part(b.Code[at:end], late)
		}
		at = max(at, end-1)
	}
}

// part is gather for calls in a row.
func (f *Form) part(code []Instr, late []bool) {
	var rest []Instr
	front := 0
	for i := range code {
		in := &code[i]
		op := f.scalarOf(in).op
		stays := op == 0 || op.asks() || in.Pick != 0
		for _, u := range in.In {
			stays = stays || late[u.Value]
		}
		switch {
		case stays:
			for _, v := range in.Out {
				late[v] = true
			}
			rest = append(rest, *in)
		default:
			code[front] = *in
			front++
		}
	}
	copy(code[front:], rest)
	for i := range rest {
		for _, v := range rest[i].Out {
			late[v] = false
		}
	}
}

// pure reports whether it does not matter when a kernel runs. What takes or reads a
// reference has its place among those that do, though its operation may not be
// called stateful, as Assign is not.
func (f *Form) pure(in *Instr) bool {
	n := f.flow.Nodes[in.Node].Def
	if n == nil || n.Def().Stateful {
		return false
	}
	for _, u := range in.In {
		if u.Read {
			return false
		}
	}
	for _, dt := range n.InputTypes() {
		if dt.IsRef() {
			return false
		}
	}
	return true
}

const (
	// worthwhile is how much shorter a band must get, in nanoseconds, to be
	// shared: handing work to cores that are awake costs less than one, waking
	// them some tens of microseconds.
	worthwhile = 20_000
	// judgeEvery is how many times a band is played in one way before it is
	// judged again.
	judgeEvery = 64
)

// A bandState is what a machine knows of a band.
type bandState struct {
	shared  bool
	left    int // times until it is judged again
	members []member
	run     func(lo, hi int)
}

// A member is a call of a band on its way to the pool.
type member struct {
	ctx     kernel.Context
	kernel  kernel.Kernel
	in, out []tensor.Value
	err     error
	// When it ran.
	begin, end int64
}

// band plays a band if it is worth sharing; false if its calls are to be played
// one after another.
func (m *Machine) band(at int32) (shared, ok bool) {
	if m.env.Clock == nil { // in this step; another one may have shared it
		return false, true
	}
	b, s := &m.code.bands[at], &m.bands[at]
	if s.left--; s.left < 0 {
		s.left = judgeEvery
		s.shared = m.env.Ctx.Step.Pool.Workers() > 1 && (m.env.Eager || m.worthSharing(b))
	}
	if !s.shared {
		return false, true
	}
	return true, m.share(b, s)
}

func (m *Machine) worthSharing(b *band) bool {
	var total, most int64
	for _, c := range b.calls {
		cost := m.env.Cost(m.code.calls[c].node)
		total, most = total+cost, max(most, cost)
	}
	return total-most > worthwhile
}

// share runs the kernels of a band on the pool, and takes what they put out in
// their order.
func (m *Machine) share(b *band, s *bandState) bool {
	if !m.ask() {
		return false
	}
	if s.members == nil {
		s.members = make([]member, len(b.calls))
		s.run = func(lo, hi int) {
			for i := lo; i < hi; i++ {
				x := &s.members[i]
				x.begin = m.env.Clock()
				x.err = x.kernel.Run(&x.ctx, x.in, x.out)
				x.end = m.env.Clock()
				m.env.Note(m.code.calls[b.calls[i]].node, x.end-x.begin)
			}
		}
	}
	for i, at := range b.calls {
		c, x := &m.code.calls[at], &s.members[i]
		x.ctx = kernel.Context{Step: m.env.Ctx.Step, Arena: m.env.Away, Lock: m.env.Lock}
		x.kernel = c.kernel
		x.in, x.out = append(x.in[:0], m.slab[c.in:c.in+c.nin]...), x.out[:0]
		for _, g := range c.gathers {
			x.in[g.to-c.in] = m.slab[g.from]
		}
		for range c.nout {
			x.out = append(x.out, tensor.Value{})
		}
		for k, v := range x.in {
			if k < 64 && (b.lone[i]&(1<<k) == 0 || !v.Sole() && !v.SoleView()) {
				x.ctx.Keep |= 1 << k
			}
		}
	}
	m.at, m.busy = &m.code.calls[b.calls[0]], false
	m.env.Ctx.Step.Pool.Parallel(len(s.members), 1, s.run)
	for i, at := range b.calls {
		if x := &s.members[i]; x.err != nil {
			c := &m.code.calls[at]
			m.clear(s)
			return m.fail(c.node, c.loop, x.err)
		}
	}
	if m.env.Meter != nil {
		m.noteBand(b, s)
	}
	for i, at := range b.calls {
		if !m.take(&m.code.calls[at], &s.members[i]) {
			m.clear(s)
			return false
		}
	}
	m.clear(s)
	return true
}

// take puts what a member made where it belongs, and gives up what it gives up.
func (m *Machine) take(c *call, x *member) bool {
	for o := range x.out {
		v := &x.out[o]
		m.env.Ctx.Arena.Claim(*v)
		switch {
		case v.IsZero() && !c.unread.has(o):
			return m.fail(c.node, c.loop, status.Errorf(status.Internal, "the kernel left output %d without a value", o))
		case v.Plain():
		case c.plain || c.unread.has(o):
			m.unheld(c, v)
		default:
			v.Hold(1)
		}
	}
	for _, g := range c.gives {
		v := x.in[g.slot-c.in] // zero if the kernel has taken it
		if at := &m.slab[g.slot]; !at.Plain() {
			*at = tensor.Value{}
		}
		if g.home >= 0 && !m.slab[g.home].Plain() {
			m.slab[g.home] = tensor.Value{}
		}
		if !v.Plain() {
			m.env.Ctx.Arena.Drop(v)
		}
	}
	copy(m.slab[c.out:c.out+c.nout], x.out)
	return true
}

// clear releases what members hold.
func (m *Machine) clear(s *bandState) {
	for i := range s.members {
		clear(s.members[i].in)
		clear(s.members[i].out)
	}
}
