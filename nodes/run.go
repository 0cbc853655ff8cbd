package nodes

import (
	"github.com/troupe-go/troupe/frames"
	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/nodes/report"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

// Options of a step.
type Options struct {
	Order  Order // which of the ready nodes acts next; nil: the newest
	Budget *tensor.Budget
	// Alarm is what the driver rings for the step's attention; it is rung for the
	// driver when the step's context ends. Nil: the step has one of its own.
	Alarm *Alarm
	// Poll is asked on the driver's goroutine, before the next kernel runs, when
	// the alarm has been rung, perhaps for nothing. It looks at the step's context
	// too; an error of it aborts the step. Nil: the context alone is asked.
	Poll func() error
	// Inbox is the driver's: units that can be parked report there what they wait for.
	// Nil: loops with operations that may wait are run by tokens.
	Inbox *Inbox
	// Trace is told of every node that acts; it turns Units off.
	Trace func(Event)
	// Clock measures what kernels cost, in nanoseconds from any beginning; nil:
	// nothing is measured. With a Clock the driver of [Step.Advance] is handed
	// kernels that are worth another core.
	Clock func() int64
	// Eager shares out the kernels of a unit that may run beside each other whatever
	// they cost, which is for tests. It needs a Clock.
	Eager bool
	// Units lets loops, and whole programs, in which nothing can block be
	// played as one. It is ignored with an Order, which wants to
	// see every token.
	Units bool
}

// NewStep makes a step of the program, for [Step.Begin].
func (p *Program) NewStep() *Step {
	s := &Step{
		p:       p,
		frames:  frames.NewTable(p.statics),
		out:     make([]tensor.Value, p.maxOut),
		results: make([]result, len(p.fetches)),
	}
	s.ctx.Arena, s.ctx.Driver = &s.arena, s
	s.prepareUnits()
	return s
}

// Begin takes a step that is not in use and begins it; [Step.End] returns it to the
// program, which uses it again.
func (p *Program) Begin(shared *kernel.Step, feeds []tensor.Value, o Options) *Step {
	s, _ := p.pool.Get().(*Step)
	if s == nil {
		s = p.NewStep()
		s.pooled = true
	}
	s.Begin(shared, feeds, o)
	return s
}

// Begin makes a step ready to be driven. feeds[i] is the value of
// Program.Feeds()[i]; the slice is read until End. A step may begin again after its
// end.
func (s *Step) Begin(shared *kernel.Step, feeds []tensor.Value, o Options) {
	p := s.p
	s.ctx.Step = shared
	s.arena.Budget, s.away.Budget = o.Budget, o.Budget
	if shared.Spare != nil {
		s.recycle(shared)
	}
	s.order, s.feeds, s.inbox = o.Order, feeds, o.Inbox
	s.ctx.Keep, s.poll, s.trace = 0, o.Poll, o.Trace
	s.listen(o.Alarm)
	s.useUnits = o.Units && o.Order == nil && o.Trace == nil
	s.clock, s.left, s.env.Eager = o.Clock, 0, o.Eager
	if s.clock != nil {
		if s.runs%measureEvery == 0 {
			s.left = measureMost
		}
		s.runs++
	}
	if s.seen = o.Trace != nil; shared.Profile != nil {
		s.takeMeter()
	}
	if shared.Record != nil {
		s.takeTape()
	}
	if shared.Transfers != nil && len(p.routes) > 0 {
		s.seen, s.useUnits = true, false
	}
	if s.whole = s.useUnits && p.whole != nil; s.whole && s.clock != nil && p.costs.wide.Load() {
		if s.byTokens, s.timed = p.costs.race.choose(); s.timed {
			s.began = s.clock()
		}
		s.whole = !s.byTokens
	}
	if s.whole {
		return
	}
	root := s.frames.Start()
	for i := len(p.roots) - 1; i >= 0; i-- { // the newest is taken first
		s.wake(root, p.roots[i], 0)
	}
}

// recycle gives the arena the tensors that the caller no longer needs.
func (s *Step) recycle(shared *kernel.Step) {
	for i, t := range shared.Spare {
		if t != nil && s.arena.Recycle(t) {
			shared.Spare[i] = nil
		}
	}
	shared.Spare = nil
}

// End closes a step in which nothing runs any more. It stores what was fetched,
// by position: a tensor that is not shared yet (see [tensor.Value.Exclusive]) is
// the caller's alone. It answers the step's error: the first failure; a fetch that
// came dead; a fetch that never came, with what waits for what.
func (s *Step) End(fetched []tensor.Value) error {
	if s.running > 0 {
		panic("nodes: End of a step with kernels running")
	}
	s.turns.clear()
	for len(s.parked) > 0 {
		s.endParked(s.parked[len(s.parked)-1], true)
	}
	err := s.err
	for i := range s.results {
		r := &s.results[i]
		switch {
		case err != nil:
		case r.state == fetchMissing && s.frames.Root() != nil:
			err = report.Hung(i, s.p.fetches[i], s.Waiting)
		case r.state == fetchDead, r.state == fetchMissing:
			err = status.Invalid("Retval[%d] does not have value: the tensor %s was on a branch not taken", s.p.fetch(int32(i)), s.p.fetches[i])
		default:
			fetched[i] = r.value
			if r.value.IsRef() { // what a variable shares: looked at now
				fetched[i], _ = r.value.Cell().Read()
			}
		}
		*r = result{}
	}
	if err != nil {
		clear(fetched)
		s.arena.Fail()
	}
	if s.timed {
		if s.timed = false; err == nil && s.left == 0 && s.meter == nil {
			s.p.costs.race.note(s.byTokens, s.clock()-s.began)
		}
	}
	if s.clock != nil && (s.left < measureMost && s.left > 0 || s.meter != nil) && s.p.flow != nil {
		s.p.judge()
	}
	if s.meter != nil {
		s.meter.Return()
		s.meter, s.env.Meter, s.left = nil, nil, 0
	}
	if s.tape != nil {
		s.returnTape(err)
	}
	s.deafen()
	s.ready.clear()
	if s.frames.Root() != nil { // not where a step is one unit
		s.frames.Reset(s.giveBack)
	}
	s.arena.Finish()
	s.away.Finish()
	s.err, s.running, s.asyncs, s.feeds, s.order, s.poll, s.clock, s.inbox = nil, 0, 0, nil, nil, nil, nil, nil
	s.current, s.ctx.Step = activation{}, nil
	if s.pooled {
		s.p.pool.Put(s)
	}
	if err != nil {
		return err
	}
	return nil
}
