package machine

import (
	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/nodes/unit/code"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

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

// band plays a band if it is worth sharing; otherwise its calls, which come next, are
// played one after another.
func (m *Machine) band(at int32, pc int) int {
	if m.env.Clock == nil { // in this step; another one may have shared it
		return pc
	}
	b, s := &m.code.Bands[at], &m.bands[at]
	if s.left--; s.left < 0 {
		s.left = judgeEvery
		s.shared = m.env.Ctx.Step.Pool.Workers() > 1 && (m.env.Eager || m.worthSharing(b))
	}
	if !s.shared {
		return pc
	}
	if !m.share(b, s) {
		return halt
	}
	return int(b.End)
}

func (m *Machine) worthSharing(b *code.Band) bool {
	var total, most int64
	for _, c := range b.Calls {
		cost := m.env.Cost(m.code.Calls[c].Node)
		total, most = total+cost, max(most, cost)
	}
	return total-most > worthwhile
}

// share runs the kernels of a band on the pool, and takes what they put out in
// their order.
func (m *Machine) share(b *code.Band, s *bandState) bool {
	if !m.ask() {
		return false
	}
	if s.members == nil {
		s.members = make([]member, len(b.Calls))
		s.run = func(lo, hi int) {
			for i := lo; i < hi; i++ {
				x := &s.members[i]
				x.begin = m.env.Clock()
				x.err = x.kernel.Run(&x.ctx, x.in, x.out)
				x.end = m.env.Clock()
				m.env.Note(m.code.Calls[b.Calls[i]].Node, x.end-x.begin)
			}
		}
	}
	for i, at := range b.Calls {
		c, x := &m.code.Calls[at], &s.members[i]
		x.ctx = kernel.Context{Step: m.env.Ctx.Step, Arena: m.env.Away, Lock: m.env.Lock}
		x.kernel = c.Kernel
		x.in, x.out = append(x.in[:0], m.slab[c.In:c.In+c.Nin]...), x.out[:0]
		for _, g := range c.Gathers {
			x.in[g.To-c.In] = m.slab[g.From]
		}
		for range c.Nout {
			x.out = append(x.out, tensor.Value{})
		}
		for k, v := range x.in {
			if k < 64 && (b.Lone[i]&(1<<k) == 0 || !v.Sole() && !v.SoleView()) {
				x.ctx.Keep |= 1 << k
			}
		}
	}
	m.at, m.busy = &m.code.Calls[b.Calls[0]], false
	m.env.Ctx.Step.Pool.Parallel(len(s.members), 1, s.run)
	for i, at := range b.Calls {
		if x := &s.members[i]; x.err != nil {
			c := &m.code.Calls[at]
			m.clear(s)
			m.fail(c.Node, c.Loop, x.err)
			return false
		}
	}
	if m.env.Meter != nil {
		m.noteBand(b, s)
	}
	for i, at := range b.Calls {
		if !m.take(&m.code.Calls[at], &s.members[i]) {
			m.clear(s)
			return false
		}
	}
	m.clear(s)
	return true
}

// take puts what a member made where it belongs, and gives up what it gives up.
func (m *Machine) take(c *code.Call, x *member) bool {
	for o := range x.out {
		v := &x.out[o]
		m.env.Ctx.Arena.Claim(*v)
		switch {
		case v.IsZero() && !c.Unread.Has(o):
			m.fail(c.Node, c.Loop, status.Errorf(status.Internal, "the kernel left output %d without a value", o))
			return false
		case v.Plain():
		case c.Plain || c.Unread.Has(o):
			m.unheld(c, v)
		default:
			v.Hold(1)
		}
	}
	for _, g := range c.Gives {
		v := x.in[g.Slot-c.In] // zero if the kernel has taken it
		if at := &m.slab[g.Slot]; !at.Plain() {
			*at = tensor.Value{}
		}
		if g.Home >= 0 && !m.slab[g.Home].Plain() {
			m.slab[g.Home] = tensor.Value{}
		}
		if !v.Plain() {
			m.env.Ctx.Arena.Drop(v)
		}
	}
	copy(m.slab[c.Out:c.Out+c.Nout], x.out)
	return true
}

// clear releases what members hold.
func (m *Machine) clear(s *bandState) {
	for i := range s.members {
		clear(s.members[i].in)
		clear(s.members[i].out)
	}
}
