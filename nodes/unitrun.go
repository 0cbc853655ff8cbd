package nodes

import (
	"github.com/troupe-go/troupe/frames"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

// A register file of a unit, kept with the step between runs.
type registers struct {
	slab  []tensor.Value
	count []int // iteration of each loop
	loop  int32 // innermost loop being played; -1
}

// newRegisters makes the slots of a unit, constants in place.
func (u *unit) newRegisters() *registers {
	r := &registers{slab: make([]tensor.Value, u.slots), count: make([]int, len(u.loops)), loop: -1}
	for _, c := range u.preset {
		r.slab[c.slot] = c.value
	}
	return r
}

// spread copies a kernel's outputs to their readers and clears them; false if
// one that is read is missing.
func (s *Step) spread(u *unit, slab []tensor.Value, c *instr, out []tensor.Value) bool {
	for o := range out {
		v := out[o]
		to := u.ports[c.out+int32(o)]
		if v.IsZero() {
			if to.lo == to.hi {
				continue
			}
			clear(out)
			s.failUnit(u, c.node, status.Errorf(status.Internal, "the kernel left output %d without a value", o))
			return false
		}
		out[o] = tensor.Value{}
		s.put(u, slab, to, v)
	}
	return true
}

// put copies v into the slots of a port.
func (s *Step) put(u *unit, slab []tensor.Value, to port, v tensor.Value) {
	dests := u.dests[to.lo:to.hi]
	if !v.Plain() {
		if len(dests) == 0 {
			s.arena.Sweep(v)
			return
		}
		v.Hold(len(dests))
	}
	for _, d := range dests {
		old := slab[d]
		slab[d] = v
		if !old.Plain() {
			s.arena.Drop(old)
		}
	}
}

// hand copies the value of a slot to a port, and empties the slot unless it is
// to be kept.
func (s *Step) hand(u *unit, slab []tensor.Value, from int32, to port) {
	v := slab[from]
	if v.Plain() {
		for _, d := range u.dests[to.lo:to.hi] {
			old := slab[d]
			slab[d] = v
			if !old.Plain() {
				s.arena.Drop(old)
			}
		}
		return
	}
	if to.lo != to.hi {
		s.put(u, slab, to, v)
	}
	if !u.keep[from] {
		slab[from] = tensor.Value{}
		s.arena.Drop(v)
	}
}

// registersOf is the register file of a unit, made on first use.
func (s *Step) registersOf(u *unit) *registers {
	r := s.regs[u.frame]
	if r == nil {
		r = u.newRegisters()
		s.regs[u.frame] = r
	}
	return r
}

// playWhole plays a program that is one unit. A fetch that has not come then
// is dead.
func (s *Step) playWhole() {
	u := s.p.whole
	r := s.registersOf(u)
	s.inUnit, s.unitAt = u, nil
	for _, a := range u.args {
		s.put(u, r.slab, a.to, s.feeds[a.feed])
	}
	s.playUnit(u, r)
	s.inUnit = nil
	if u.stale || s.err != nil {
		s.clean(u, r)
	}
}

// playLoop plays a loop as a unit once all its Enters have come, if all of
// them are live; if some are dead the tokens go their own ways. The values wait
// in f.Queued.
func (s *Step) playLoop(u *unit, f *frames.Instance) {
	for _, h := range f.Queued {
		if h.Dead {
			s.scatter(f)
			return
		}
	}
	r := s.registersOf(u)
	for _, h := range f.Queued {
		r.slab[u.enters[h.Node]] = h.Value // with the hold it has
	}
	clear(f.Queued)
	f.Queued = f.Queued[:0]
	s.inUnit, s.unitAt = u, f.Parent
	s.playUnit(u, r)
	s.inUnit = nil
	s.ctx.Keep = 0
	if s.err == nil {
		for _, x := range u.exits {
			v := r.slab[x.slot]
			if !u.keep[x.slot] {
				r.slab[x.slot] = tensor.Value{}
			}
			s.arrive(f.Parent, &s.p.nodes[x.node], false, v)
			if !u.keep[x.slot] {
				s.arena.Drop(v)
			}
		}
	}
	s.clean(u, r)
	if s.err == nil {
		s.settle(f)
	}
}

// scatter lets the tokens that wait in front of a loop into it one by one.
func (s *Step) scatter(f *frames.Instance) {
	f.Apart = true
	held := f.Queued
	f.Queued = nil
	for _, h := range held {
		s.enter(f, h.Node, h.Dead, h.Value)
		s.arena.Drop(h.Value)
	}
	clear(held)
	f.Queued = held[:0]
	s.settle(f)
}

// letIn scatters the tokens of a loop that waits for more of them below
// iteration it: nothing else can happen here, and what has come may play a part
// of the loop, even the part that a kernel waits for. False if there is none.
func (s *Step) letIn(it *frames.Iteration) bool {
	for _, f := range it.Children() {
		if f.PendingEnters > 0 && !f.Apart && s.unitOf(int32(f.Static.Index)) != nil {
			s.scatter(f)
			return true
		}
		for k := range f.Alive() {
			if s.letIn(f.At(k)) {
				return true
			}
		}
	}
	return false
}

// playUnit runs a unit to its end, or until the step fails.
func (s *Step) playUnit(u *unit, r *registers) {
	slab, code := r.slab, u.code
	for pc := int32(0); pc < int32(len(code)); pc++ {
		c := &code[pc]
		switch c.op {
		case opKernel:
			s.unitNode = c.node
			in := slab[c.in : c.in+c.nin : c.in+c.nin]
			if c.deref {
				if in = s.derefUnit(u, slab, c); in == nil {
					return
				}
			}
			var out []tensor.Value
			if c.direct { // the kernel writes into its reader's slot
				out = slab[c.aux : c.aux+1 : c.aux+1]
				if !out[0].Plain() {
					s.arena.Drop(out[0])
				}
				out[0] = tensor.Value{}
			} else {
				out = s.out[:c.nout]
			}
			s.ctx.Keep = c.keep
			var err error
			if s.left == 0 {
				err = c.kernel.Run(&s.ctx, in, out)
			} else {
				err = s.run(c.kernel, c.node, in, out)
			}
			if err != nil {
				clear(out)
				s.failUnit(u, c.node, err)
				return
			}
			if c.direct && !out[0].IsZero() {
				if v := out[0]; !v.Plain() {
					v.Hold(1)
				}
			} else if !s.spread(u, slab, c, out) {
				return
			}
			if c.deref {
				in = slab[c.in : c.in+c.nin]
			}
			for i := range in {
				if v := in[i]; !v.Plain() && !u.keep[c.in+int32(i)] {
					in[i] = tensor.Value{}
					s.arena.Drop(v)
				}
			}
		case opMove:
			if c.deref {
				in := s.derefUnit(u, slab, c)
				if in == nil {
					return
				}
				s.put(u, slab, u.ports[c.out], in[0])
				continue
			}
			s.hand(u, slab, c.in, u.ports[c.out])
		case opNoOp:
		case opGuard:
			p := slab[c.in]
			if p.NumElements() != 1 {
				s.failUnit(u, c.node, notScalar(p))
				return
			}
			if tensor.At0[bool](&p) != c.side {
				pc = c.target - 1
			}
		case opLoop:
			l := &u.loops[c.aux]
			r.count[c.aux], r.loop = 0, c.aux
			for i := range l.enters {
				s.hand(u, slab, l.enters[i].slot, l.enters[i].to)
			}
		case opIterate:
			l := &u.loops[c.aux]
			for i := l.vars[0]; i < l.vars[1]; i++ {
				s.put(u, slab, u.vars[i].to, slab[u.vars[i].reg])
			}
		case opTest:
			p := slab[c.in]
			if p.NumElements() != 1 {
				s.failUnit(u, c.node, notScalar(p))
				return
			}
			if !tensor.At0[bool](&p) {
				pc = c.target - 1
				continue
			}
			// The loop goes on: nobody reads the variables' registers any more.
			l := &u.loops[c.aux]
			for i := l.vars[0]; i < l.vars[1]; i++ {
				if v := slab[u.vars[i].reg]; !v.Plain() {
					slab[u.vars[i].reg] = tensor.Value{}
					s.arena.Drop(v)
				}
			}
		case opLatch:
			l := &u.loops[c.aux]
			for i := l.vars[0]; i < l.vars[1]; i++ {
				if x := &u.vars[i]; x.next >= 0 {
					v := slab[x.next]
					if !v.Plain() {
						if u.keep[x.next] {
							v.Hold(1)
						} else {
							slab[x.next] = tensor.Value{}
						}
					}
					slab[x.reg] = v
				}
			}
			r.count[c.aux]++
			if !s.Attend() {
				return
			}
			pc = c.target - 1
		case opLeave:
			s.leaveLoop(u, slab, &u.loops[c.aux])
			r.loop = u.loops[c.aux].outer
		case opFetch:
			v := slab[c.in]
			if c.deref {
				in := s.derefUnit(u, slab, c)
				if in == nil {
					return
				}
				v = in[0]
			}
			if !v.Plain() {
				v.Hold(1)
			}
			s.results[c.aux] = result{v, fetchLive}
		case opPoll:
			if s.cancelled() {
				return
			}
		}
	}
}

// leaveLoop brings a loop's results to where they are read, and empties its
// variables.
func (s *Step) leaveLoop(u *unit, slab []tensor.Value, l *loop) {
	for i := range l.exits {
		if x := &l.exits[i]; x.copy {
			s.put(u, slab, x.to, slab[x.slot])
		} else {
			s.hand(u, slab, x.slot, x.to)
		}
	}
	for i := l.vars[0]; i < l.vars[1]; i++ {
		if v := slab[u.vars[i].reg]; !v.Plain() {
			slab[u.vars[i].reg] = tensor.Value{}
			s.arena.Drop(v)
		}
	}
}

// derefUnit gives a node's inputs with references read where it wants values;
// nil if the step failed. The slots stay as they are: a reference that enters
// a loop is read anew in every iteration.
func (s *Step) derefUnit(u *unit, slab []tensor.Value, c *instr) []tensor.Value {
	n := &s.p.nodes[c.node]
	s.derefed = append(s.derefed[:0], slab[c.in:c.in+c.nin]...)
	for i, v := range s.derefed {
		if !v.IsRef() || n.def != nil && n.def.InputTypes()[i].IsRef() {
			continue
		}
		cur, ok := v.Cell().Read()
		if !ok {
			s.failUnit(u, c.node, uninitialized(v))
			return nil
		}
		s.derefed[i] = cur
	}
	return s.derefed
}

// failUnit fails the step at a node of a unit.
func (s *Step) failUnit(u *unit, node int32, err error) {
	if s.err != nil {
		return
	}
	e := *status.From(err)
	if e.Node == "" {
		e.Node, e.Op, e.Tag, e.Device = s.p.name(node), s.p.op(node), s.unitTag(u), s.p.device
	}
	s.err = &e
	s.ready.clear()
}

// unitTag names the iteration that a unit is in.
func (s *Step) unitTag(u *unit) string {
	r := s.regs[u.frame]
	var tag []byte
	if s.unitAt != nil {
		tag = append(tag, s.unitAt.Tag()...)
	}
	var nest []int32
	for l := r.loop; l >= 0; l = u.loops[l].outer {
		nest = append(nest, l)
	}
	for i := len(nest) - 1; i >= 0; i-- {
		if len(tag) > 0 {
			tag = append(tag, '/')
		}
		tag = frames.AppendTag(tag, s.p.statics[u.loops[nest[i]].frame].Name, r.count[nest[i]])
	}
	return string(tag)
}

// clean empties the slots after a run, constants apart.
func (s *Step) clean(u *unit, r *registers) {
	for i, v := range r.slab {
		if !v.Plain() {
			r.slab[i] = tensor.Value{}
			s.arena.Drop(v)
		}
	}
	for _, c := range u.preset {
		r.slab[c.slot] = c.value
	}
	r.loop = -1
}
