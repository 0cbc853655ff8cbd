package nodes

import (
	"runtime/debug"
	"sync"

	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/nodes/kind"
	"github.com/troupe-go/troupe/nodes/report"
	"github.com/troupe-go/troupe/profile"
	"github.com/troupe-go/troupe/tensor"
)

// An Activation is a kernel that may run. It belongs to the driver from
// [Step.Next] to [Step.Complete]; Run or Start may be called on any goroutine.
type Activation struct {
	activation
	step    *Step
	kernel  kernel.Kernel
	in      []tensor.Value
	out     []tensor.Value
	ctx     kernel.Context
	clock   func() int64 // if the run is to be measured
	place   int          // in Step.handed
	gone    bool         // what it puts out has gone out already
	awaited *awaited     // of a unit that waits for it; nil: it is a token's

	// Worker is the worker of the pool that runs it, as whoever drives the step
	// says; 0 is the driver itself, -1 somebody else.
	Worker     int
	meter      *profile.Meter // nil: nothing is recorded
	begin, end int64          // by the meter's clock

	tape               *tape // nil: the step is not recorded
	event              int32 // of the tape
	tapeBegin, tapeEnd int64
}

// awayArena serves kernels that run away from the step's driver.
type awayArena struct {
	sync.Mutex
	tensor.Arena
}

// Number returns the number of the node.
func (a *Activation) Number() int { return int(a.node) }

// Node returns the name of the node.
func (a *Activation) Node() string { return a.step.p.name(a.node) }

// Cost is about how many nanoseconds the kernel runs; 0 if nobody knows.
func (a *Activation) Cost() int64 { return int64(a.step.p.costs.nanos[a.node].Load()) }

// Async reports whether the kernel should be started rather than run: it may
// wait for something outside the step.
func (a *Activation) Async() bool {
	return a.step.p.nodes[a.node].kind == kind.Async || a.Calls()
}

// Run computes the outputs. A panic of the kernel is its error.
func (a *Activation) Run() (err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true)) // see files.Mapping
	defer func() {
		if r := recover(); r != nil {
			err = kernel.Panicked(r)
		}
	}()
	if a.meter != nil || a.tape != nil {
		defer a.time()()
	}
	if a.clock == nil {
		return a.kernel.Run(&a.ctx, a.in, a.out)
	}
	begin := a.clock()
	err = a.kernel.Run(&a.ctx, a.in, a.out)
	a.step.p.costs.note(a.node, a.clock()-begin)
	return err
}

// Start begins an asynchronous kernel: done is called once, perhaps before
// Start returns, perhaps on another goroutine.
//
// A panic within Start is the kernel's error unless it was done by then.
func (a *Activation) Start(done func(error)) {
	var once sync.Once
	finish := func(err error) { once.Do(func() { done(err) }) }
	if a.meter != nil || a.tape != nil {
		stop := a.time()
		finish = func(err error) { once.Do(func() { stop(); done(err) }) }
	}
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true)) // see files.Mapping
	defer func() {
		if r := recover(); r != nil {
			finish(kernel.Panicked(r))
		}
	}()
	a.kernel.(kernel.Async).Start(&a.ctx, a.in, a.out, finish)
}

// Next plays control-flow nodes until a kernel is due, and hands it out; nil
// if nothing is ready.
func (s *Step) Next() *Activation { return s.guarded(false) }

// Advance does what Next does and also runs kernels itself, on this goroutine.
// It hands out those that may block, and those that the program has measured
// to be expensive if share is set and others are ready beside them.
func (s *Step) Advance() *Activation { return s.guarded(true) }

func (s *Step) guarded(inline bool) *Activation {
	for {
		a, panicked := s.attempt(inline)
		if !panicked {
			return a
		}
	}
}

// attempt returns one stretch of advance; a panic in it fails the step.
func (s *Step) attempt(inline bool) (a *Activation, died bool) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true)) // see files.Mapping
	defer func() {
		if r := recover(); r != nil {
			clear(s.out)
			if m := s.unit; m != nil {
				s.failUnit(m.At(), kernel.Panicked(r))
				s.unit = nil
				if x := s.turning; x != nil {
					s.turning, x.broken = nil, true
					s.fails(x)
				} else {
					m.End(true)
				}
			} else {
				s.fail(s.current, kernel.Panicked(r))
			}
			a, died = nil, true
		}
	}()
	return s.advanceReady(inline), false
}

func (s *Step) advanceReady(inline bool) *Activation {
	p := s.p
	if s.whole {
		s.whole = false
		s.playWhole()
		return nil
	}
	for s.ready.len() > 0 || s.nextTurn() || s.stuck() {
		if s.ready.len() == 0 {
			continue // a parked loop had its turn
		}
		if len(s.parked) > 0 {
			if s.since++; s.since > attendEvery {
				if s.since = 0; !s.nextTurn() && s.err != nil {
					return nil
				}
			}
		}
		var a activation
		if s.order == nil {
			a = s.ready.pop()
		} else {
			i := s.order(s.ready.len())
			if i < 0 {
				return nil
			}
			a = s.ready.take(i)
		}
		n := &p.nodes[a.node]
		s.current = a
		if s.seen {
			s.tell(a)
		}
		if n.kind > kind.Async {
			if s.played++; s.played >= attendEvery {
				s.played = 0
				if s.alarm.rung.Load() && !s.answerBefore(a) {
					return nil
				}
			}
			s.play(a, n)
			s.leave(a.it)
			continue
		}
		if n.flags&flagTransfer != 0 { // which carries death, too
			s.ctx.Tag, s.ctx.Dead = a.it.Tag(), a.dead
		} else if actKernel(a.dead).verb == doDie {
			s.die(a.it, n)
			s.drop(a.it, n)
			s.leave(a.it)
			continue
		}
		if s.alarm.rung.Load() && !s.answerBefore(a) {
			return nil
		}
		if n.flags&flagDeref != 0 && !s.deref(a, n) {
			continue
		}
		if !inline || n.kind == kind.Async || s.worthSharing(a.node) || n.flags&flagCall != 0 && !s.useUnits {
			return s.handOut(a, n)
		}
		out := s.out[:n.nout]
		if err := s.run(n.kernel, a.node, a.it.Inputs[n.in:n.in+n.nin:n.in+n.nin], out); err != nil {
			clear(out)
			s.fail(a, err)
			return nil
		}
		s.propagate(a, n, out)
		s.drop(a.it, n)
		s.leave(a.it)
	}
	return nil
}

// stuck looks for something to do where nothing is ready.
func (s *Step) stuck() bool {
	root := s.frames.Root()
	return s.running == s.asyncs && s.err == nil && s.useUnits && root != nil && s.letIn(root) && s.ready.len() > 0
}

// run runs a kernel on the driver's goroutine, with the clock if the run is measured.
func (s *Step) run(k kernel.Kernel, node int32, in, out []tensor.Value) error {
	if s.left == 0 {
		return k.Run(&s.ctx, in, out)
	}
	if s.tape != nil {
		return s.runRecorded(k, node, in, out)
	}
	if s.meter != nil {
		return s.runMetered(k, node, in, out)
	}
	if s.p.nodes[node].flags&flagCall != 0 { // what a call costs is different each time
		return k.Run(&s.ctx, in, out)
	}
	if s.left--; s.left == 0 {
		s.env.Run = nil // enough is known: units play as they do otherwise
	}
	begin := s.clock()
	err := k.Run(&s.ctx, in, out)
	s.p.costs.note(node, s.clock()-begin)
	return err
}

// worthSharing reports whether a kernel is better run on another core, while this
// one has something else to do.
func (s *Step) worthSharing(node int32) bool {
	return s.clock != nil && (s.ready.len() > 0 || s.running > 0) && s.p.costs.nanos[node].Load() >= expensive
}

// handOut makes an activation of a kernel for the driver.
func (s *Step) handOut(a activation, n *node) *Activation {
	var h *Activation
	if k := len(s.free); k > 0 {
		h = s.free[k-1]
		s.free = s.free[:k-1]
	} else {
		h = &Activation{}
	}
	in := a.it.Inputs[n.in : n.in+n.nin : n.in+n.nin]
	h.activation, h.step, h.kernel, h.in = a, s, n.kernel, in
	if cap(h.out) < int(n.nout) {
		h.out = make([]tensor.Value, n.nout)
	}
	h.out = h.out[:n.nout]
	h.ctx = kernel.Context{Step: s.ctx.Step, Arena: &s.away.Arena, Lock: &s.away.Mutex}
	if n.flags&flagTransfer != 0 {
		h.ctx.Tag, h.ctx.Dead = a.it.Tag(), a.dead
	}
	for i := range min(len(in), 64) {
		if !in[i].Sole() && !in[i].SoleView() {
			h.ctx.Keep |= 1 << uint(i)
		}
	}
	h.place = len(s.handed)
	s.handed = append(s.handed, h)
	s.running++
	switch {
	case n.kind == kind.Async:
		s.asyncs++
	case s.left > 0:
		s.left--
		h.clock = s.clock
	}
	if s.meter != nil {
		h.meter, h.Worker = s.meter, -1
	}
	if s.tape != nil {
		s.lend(h)
	}
	return h
}

// unhand forgets that an activation was handed out.
func (s *Step) unhand(a *Activation) {
	s.running--
	last := s.handed[len(s.handed)-1]
	s.handed[a.place], last.place = last, a.place
	s.handed[len(s.handed)-1] = nil
	s.handed = s.handed[:len(s.handed)-1]
}

// Complete takes a kernel's outputs, or its error, and wakes whoever waited
// for them. After the step has failed outputs are dropped, and what the kernel took from a
// resource for them is returned. So it is where the step's context has ended: a step
// accepts what was taken, or the resource has it back.
func (s *Step) Complete(a *Activation, err error) {
	if a.awaited != nil {
		s.complete(a.awaited, err)
		return
	}
	s.unhand(a)
	n := &s.p.nodes[a.node]
	if n.kind == kind.Async {
		s.asyncs--
	}
	if t := a.ctx.Undo; t != nil {
		a.ctx.Undo = nil
		if err == nil && (s.err != nil || s.cancelled()) { // it came too late
			t.Return()
		}
		s.played = 0 // the context was looked at
	}
	if a.tape != nil {
		a.recordEnd(err != nil)
	}
	switch {
	case s.err != nil:
		report.Nest(s.err, err)
	case err != nil:
		s.fail(a.activation, err)
	default:
		if a.meter != nil {
			a.note()
		}
		switch {
		case a.gone:
		case n.flags&flagTransfer != 0 && (n.nout == 0 && a.ctx.Dead || n.nout == 1 && a.out[0].IsZero()):
			s.die(a.it, n)
		default:
			for i := range a.out {
				s.arena.Claim(a.out[i])
			}
			s.propagate(a.activation, n, a.out)
		}
		s.drop(a.it, n)
		s.leave(a.it)
	}
	clear(a.out)
	a.in, a.kernel, a.clock, a.meter, a.gone, a.activation = nil, nil, nil, nil, false, activation{}
	a.tape, a.tapeBegin, a.tapeEnd = nil, 0, 0
	s.free = append(s.free, a)
}
