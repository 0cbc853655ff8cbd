package nodes

import (
	"slices"

	"github.com/troupe-go/troupe/frames"
	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/nodes/kind"
	"github.com/troupe-go/troupe/nodes/report"
	"github.com/troupe-go/troupe/nodes/unit"
	"github.com/troupe-go/troupe/nodes/unit/code"
	"github.com/troupe-go/troupe/nodes/unit/form"
	"github.com/troupe-go/troupe/nodes/unit/machine"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

// Loops, and whole programs, in which nothing can block are played as one:
// package unit makes units of them and plays them. Here is where a step meets
// them.

// Flow returns the program as package unit sees it. The program must have its nodes; see
// [Program.Full].
func (p *Program) Flow() *form.Flow {
	p.mustBeFull()
	f, _ := p.flowOf(nil) // which fails only when watched
	return f
}

// flowOf returns a program as package unit sees it.
func (p *Program) flowOf(watch *status.Watch) (*form.Flow, error) {
	f := &form.Flow{
		Nodes: make([]form.Node, len(p.nodes)), In: make([][]form.Source, len(p.nodes)),
		Frames: make([]form.Frame, len(p.statics)),
		Consts: p.consts, Feeds: p.feeds, Name: p.name, Op: p.op,
	}
	total := 0
	for i := range p.sources {
		total += len(p.sources[i])
	}
	slab := make([]form.Source, 0, total)
	for i := range p.nodes {
		if err := watch.Step(); err != nil {
			return nil, err
		}
		n := &p.nodes[i]
		f.Nodes[i] = form.Node{
			Kind: n.kind, Constant: n.flags&flagConstant != 0, Deref: n.flags&flagDeref != 0, Shares: n.flags&flagShare != 0,
			Frame: n.frame, Outs: n.nout, Aux: n.aux, Kernel: n.kernel, Def: n.def,
		}
		if n.flags&flagTransfer != 0 { // it acts though it is dead, and knows its iteration
			f.Nodes[i].Kind, f.Nodes[i].Transfer = kind.Async, true
		} else if n.kind == kind.Async {
			f.Nodes[i].Waits = canPark(n.kernel)
		}
		at := len(slab)
		for _, s := range p.sources[i] {
			slab = append(slab, form.Source{Node: s.node, Port: s.port})
		}
		f.In[i] = slab[at:len(slab):len(slab)]
	}
	for k, s := range p.statics {
		f.Frames[k] = form.Frame{Name: s.Name, Parent: int32(s.Parent), Members: p.members[k], Parallel: s.Parallel}
	}
	return f, watch.Ask()
}

// canPark reports whether a unit can be parked for an asynchronous kernel: a call
// of a function is a step of its own, and what comes from outside the step comes to nodes.
func canPark(k kernel.Kernel) bool {
	switch k.(type) {
	case *recursiveCall, kernel.Receiver:
		return false
	}
	return true
}

// makeUnits makes the units of a program: one of it all, or those of the
// outermost loops that allow it. It ends with the error of the watch.
func (p *Program) makeUnits(watch *status.Watch) error {
	f, err := p.flowOf(watch)
	if err != nil {
		return err
	}
	c := unit.NewCompiler(f, watch.Ask)
	c.Check, c.Off = checkUnits, p.unitsOff
	if p.whole, p.why, err = c.Compile(0); err != nil {
		return err
	}
	if p.whole != nil {
		if len(p.statics) == 1 {
			p.flow = c.Order()
		}
		return nil
	}
	p.units, p.reasons = make([]*code.Unit, len(p.statics)), make([]string, len(p.statics))
	within := make([]bool, len(p.statics)) // inside a frame that has a unit
	for f := 1; f < len(p.statics); f++ {  // parents come first
		if within[p.statics[f].Parent] {
			within[f] = true
			continue
		}
		if p.units[f], p.reasons[f], err = c.Compile(int32(f)); err != nil {
			return err
		}
		// What is in a loop that waits has units of its own where tokens play the loop.
		within[f] = p.units[f] != nil && !p.units[f].Waits
	}
	return nil
}

// prepareUnits makes what a step needs to play units.
func (s *Step) prepareUnits() {
	s.machines = make([]*machine.Machine, len(s.p.statics))
	s.env.Ctx = &s.ctx
	s.env.Attend = s.answer
	s.env.Cost = func(node int32) int64 { return int64(s.p.costs.nanos[node].Load()) }
	s.env.Note, s.env.Away, s.env.Lock = s.p.costs.note, &s.away.Arena, &s.away.Mutex
	s.env.Fetched = func(index int32, v tensor.Value) { s.results[index] = result{v, fetchLive} }
	s.measured = s.run
	s.env.Wait, s.env.Start, s.env.Started, s.env.Others = s.waitParked, s.startParked, s.startedParked, s.others
}

// machineOf returns what plays the unit of a frame, made on first use.
func (s *Step) machineOf(f int32, u *code.Unit) *machine.Machine {
	if s.machines[f] == nil {
		s.machines[f] = machine.New(u)
	}
	return s.machines[f]
}

// prepareEnv makes the environment of machines that of this step.
func (s *Step) prepareEnv() {
	s.env.Alarm, s.env.Feeds, s.env.Clock, s.env.Run = &s.alarm.rung, s.feeds, s.clock, nil
	if s.left > 0 {
		s.env.Run = s.measured
	}
}

// playUnit plays a unit to its end, or until the step fails. The caller ends the
// machine.
func (s *Step) playUnit(m *machine.Machine, at *frames.Iteration) bool {
	s.unit, s.unitAt = m, at
	s.prepareEnv()
	var ok bool
	if s.meter == nil {
		ok = m.Run(&s.env)
	} else {
		ok = s.meterUnit(m)
	}
	if f := m.Fault(); !ok && f != nil {
		s.failUnit(f.Node, f.Err)
	}
	s.unit = nil
	return ok
}

// playWhole plays a program that is one unit. A fetch that has not come then
// is dead.
func (s *Step) playWhole() {
	m := s.machineOf(0, s.p.whole)
	ok := s.playUnit(m, nil)
	m.End(!ok)
}

// playLoop plays a loop as a unit once all its Enters have come, if all of
// them are live; if some are dead the tokens go their own ways. The values wait
// in f.Queued.
func (s *Step) playLoop(u *code.Unit, f *frames.Instance) {
	for _, h := range f.Queued {
		if h.Dead {
			s.scatter(f)
			return
		}
	}
	if u.Waits {
		s.beginParked(u, f)
		return
	}
	m := s.machineOf(u.Frame, u)
	for _, h := range f.Queued {
		m.Enter(h.Node, h.Value) // with the hold it has
	}
	clear(f.Queued)
	f.Queued = f.Queued[:0]
	ok := s.playUnit(m, f.Parent)
	if ok {
		m.Results(func(node int32, v tensor.Value) {
			s.arrive(f.Parent, &s.p.nodes[node], false, v)
			if !v.Plain() {
				s.arena.Drop(v)
			}
		})
	}
	m.End(!ok)
	if ok {
		s.settle(f)
	}
}

// scatter lets the tokens that wait in front of a loop into it one by one.
func (s *Step) scatter(f *frames.Instance) {
	f.Unfused = true
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
	var few [16]*frames.Iteration // loops may be within each other to any depth
	for open := append(few[:0], it); len(open) > 0; {
		it := open[len(open)-1]
		open = open[:len(open)-1]
		for _, f := range it.Children() {
			if f.PendingEnters > 0 && !f.Unfused && s.unitOf(int32(f.Static.Index)) != nil && s.couldAct(f) {
				s.scatter(f)
				return true
			}
			for k := range f.Alive() {
				open = append(open, f.At(k))
			}
		}
	}
	return false
}

// couldAct reports whether tokens that wait in front of a loop could do more than
// arithmetic that cannot fail: run a kernel, leave the loop or enter one in it.
func (s *Step) couldAct(f *frames.Instance) bool {
	if f.Asked == len(f.Queued)+1 { // nothing has come since it could not
		return false
	}
	p := s.p
	members := p.members[f.Static.Index]
	can := make([]bool, len(members))
	comes := func(from source) bool {
		n := &p.nodes[from.node]
		switch {
		case n.kind == kind.Enter && n.aux == int32(f.Static.Index):
			return slices.ContainsFunc(f.Queued, func(h frames.Held) bool { return h.Node == from.node })
		case n.frame != int32(f.Static.Index): // out of a loop within, which is not entered
			return false
		}
		return can[n.local]
	}
	for more := true; more; {
		more = false
		for local, i := range members {
			n := &p.nodes[i]
			if can[local] {
				continue
			}
			all, any := true, false
			for _, from := range p.sources[i] {
				there := comes(from)
				all, any = all && there, any || there
			}
			if !all && !(any && n.kind == kind.Merge) {
				continue
			}
			switch {
			case n.kind == kind.Exit || n.kind == kind.Enter, n.kind.Runs() && (n.kind == kind.Async || !form.Harmless(p.op(i), p.labels[i].inputs)):
				return true
			}
			can[local], more = true, true
		}
	}
	f.Asked = len(f.Queued) + 1
	return false
}

// failUnit fails the step at a node of the unit that is played.
func (s *Step) failUnit(node int32, err error) {
	if s.err != nil {
		return
	}
	e := *status.From(err)
	if e.Node == "" && node >= 0 {
		e.Node, e.Op = s.p.name(node), s.p.op(node)
	}
	if e.Device == "" && node >= 0 { // a fused kernel names the node itself
		e.Tag, e.Device = s.unitTag(), s.p.Device(node)
	}
	s.err = &e
	if s.ctx.Step.Context.Err() != nil {
		s.err = report.Interrupted(&e, s.Report)
	}
	s.ready.clear()
	s.turns.clear()
}

// unitTag names the iteration that the unit being played is in.
func (s *Step) unitTag() string {
	var tag []byte
	if s.unitAt != nil {
		tag = append(tag, s.unitAt.Tag()...)
	}
	return s.p.tag(tag, s.unit)
}

// tag is tag with the iteration that a machine is in.
func (p *Program) tag(tag []byte, m *machine.Machine) string {
	m.Tag(func(frame int32, iteration int64) {
		if len(tag) > 0 {
			tag = append(tag, '/')
		}
		tag = frames.AppendTag(tag, p.statics[frame].Name, int(iteration))
	})
	return string(tag)
}
