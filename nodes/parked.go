package nodes

import (
	"sync/atomic"

	"github.com/troupe-go/troupe/frames"
	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/nodes/report"
	"github.com/troupe-go/troupe/nodes/unit/code"
	"github.com/troupe-go/troupe/nodes/unit/machine"
	"github.com/troupe-go/troupe/resource"
	"github.com/troupe-go/troupe/tensor"
)

// A parked is a loop that runs as a unit and can be parked: where one of its operations
// waits, and now and then for others that could go on. Those of a step are coroutines of
// its driver, and take turns; docs/design/2026-11-27-loops-that-wait.md.
type parked struct {
	step  *Step
	m     *machine.Machine
	frame *frames.Instance
	at    int   // in Step.parked
	taken int64 // nanoseconds that it has run, if that is recorded

	first  awaited    // the kernel that it waits for
	more   []*awaited // those that were started together, in place of it
	begun  int        // of more, how many are in use
	left   int        // kernels that are not done
	ended  bool       // it has failed while there were some
	broken bool       // a kernel that may still run panicked: not to be used again
}

// An awaited is a kernel that a parked loop waits for.
type awaited struct {
	of    *parked
	wait  Activation
	place resource.Place // in a queue's line
	lined bool           // it waits there
	phase atomic.Int32
	err   error
	done  func(error)
	in    []tensor.Value // of one of several
	out   []tensor.Value
}

func (p *awaited) init(x *parked) {
	s := x.step
	p.of, p.wait.awaited, p.wait.step = x, p, s
	p.place.By, p.place.Served = s, p.served
	p.done = func(err error) {
		p.err = err
		if !p.phase.CompareAndSwap(starting, finished) && p.phase.CompareAndSwap(waiting, finished) {
			s.inbox.Put(&p.wait, err)
		}
	}
}

// begin prepares it for a step.
func (p *awaited) begin() {
	s := p.of.step
	p.wait.ctx = kernel.Context{Step: s.ctx.Step, Arena: &s.away.Arena, Lock: &s.away.Mutex, Keep: ^uint64(0)}
}

// forget drops what it holds of a step.
func (p *awaited) forget() {
	p.err, p.wait.ctx = nil, kernel.Context{}
	p.place.Forget()
	clear(p.in)
	clear(p.out)
}

// The phases of a kernel that was started.
const (
	starting int32 = iota // Start has not returned
	waiting               // it has, and the kernel is not done
	finished
)

// A turns is parked loops that may go on, the first first.
type turns struct {
	buf  []*parked
	head int
}

func (t *turns) len() int { return len(t.buf) - t.head }

func (t *turns) push(x *parked) {
	if t.head > 32 && 2*t.head >= len(t.buf) {
		n := copy(t.buf, t.buf[t.head:])
		clear(t.buf[n:])
		t.buf, t.head = t.buf[:n], 0
	}
	t.buf = append(t.buf, x)
}

func (t *turns) pop() *parked {
	x := t.buf[t.head]
	t.buf[t.head] = nil
	if t.head++; t.head == len(t.buf) {
		t.buf, t.head = t.buf[:0], 0
	}
	return x
}

func (t *turns) clear() {
	if len(t.buf) > 0 {
		clear(t.buf)
	}
	t.buf, t.head = t.buf[:0], 0
}

// parkedOf returns a parked loop for the unit of a frame.
func (s *Step) parkedOf(u *code.Unit) *parked {
	if s.spare == nil {
		s.spare = make([][]*parked, len(s.p.statics))
	}
	if free := s.spare[u.Frame]; len(free) > 0 {
		x := free[len(free)-1]
		s.spare[u.Frame] = free[:len(free)-1]
		return x
	}
	x := &parked{step: s, m: machine.New(u)}
	x.first.init(x)
	return x
}

// beginParked begins a loop that can be parked; its Enters have come.
func (s *Step) beginParked(u *code.Unit, f *frames.Instance) {
	x := s.parkedOf(u)
	for _, h := range f.Queued {
		x.m.Enter(h.Node, h.Value) // with the hold it has
	}
	clear(f.Queued)
	f.Queued = f.Queued[:0]
	s.prepareEnv()
	x.m.Begin(&s.env)
	x.frame, x.at, x.taken, x.begun, x.left, x.ended = f, len(s.parked), 0, 0, 0, false
	s.parked = append(s.parked, x)
	x.first.begin()
	f.Iteration(0).Outstanding++ // it does not end before
	s.turns.push(x)
}

// served notes that a kernel, which waits in a line, is done. What comes from another loop of
// the step, on this goroutine, the step accepts.
func (p *awaited) served(_ *resource.Place, by any) {
	s := p.of.step
	switch {
	case by != any(s):
		s.inbox.Put(&p.wait, p.place.Err)
	case p.place.Err != nil || s.err != nil || p.adopt() != nil:
		s.woken = append(s.woken, p)
	default:
		s.resume(p)
	}
}

// adopt makes what a line has brought the step's own.
func (p *awaited) adopt() error {
	s, a := p.of.step, &p.wait
	p.lined = false
	s.ctx.Keep, s.ctx.Slots = ^uint64(0), nil
	p.place.Err = a.kernel.(kernel.Waiting).Served(&s.ctx, a.in, a.out)
	return p.place.Err
}

// resume lets a parked loop go on when it has its turn: a kernel that it waits for is done.
func (s *Step) resume(p *awaited) {
	x, a := p.of, &p.wait
	s.unhand(a)
	s.asyncs--
	x.left--
	if a.meter != nil {
		a.end = a.meter.Clock()
		a.note()
		a.meter = nil
	}
	for i := range a.out {
		s.arena.Claim(a.out[i])
	}
	a.in, a.out, a.kernel = nil, nil, nil
	if x.left == 0 {
		s.turns.push(x)
	}
}

// nextTurn lets the next parked loop go on; false if none can and nothing is ready, or if the
// step has failed.
func (s *Step) nextTurn() bool {
	s.admit()
	if s.turns.len() == 0 || s.err != nil {
		return s.ready.len() > 0
	}
	s.turn(s.turns.pop())
	return s.err == nil
}

// admit completes what parked loops wait for and is done.
func (s *Step) admit() {
	for i := 0; i < len(s.woken); i++ {
		s.complete(s.woken[i], s.woken[i].place.Err)
	}
	s.woken = s.woken[:0]
	if s.inbox != nil && s.inbox.rung.Load() {
		s.got = s.inbox.Take(s.got[:0])
		for _, c := range s.got {
			s.Complete(c.Activation, c.Err)
		}
	}
}

// others reports whether another parked loop could go on, or a token.
func (s *Step) others() bool {
	return s.turns.len() > 0 || len(s.woken) > 0 || s.ready.len() > 0 || s.inbox.rung.Load()
}

// turn lets a parked loop go on until it is parked or has come to its end.
func (s *Step) turn(x *parked) {
	m := x.m
	s.turning, s.unit, s.unitAt = x, m, x.frame.Parent
	var begin int64
	if s.meter != nil {
		begin = s.meter.Clock()
	}
	ok := m.Resume()
	if s.meter != nil {
		now := s.meter.Clock()
		x.taken += now - begin
		if m.Report(); m.State() == machine.Over {
			s.meter.PlayedUnit(s.p.statics[m.Frame()].Name, now-x.taken, now)
		}
	}
	if f := m.Fault(); f != nil {
		s.failUnit(f.Node, f.Err)
	}
	s.turning, s.unit = nil, nil
	switch {
	case ok:
		s.finish(x)
	case m.State() == machine.Over:
		s.fails(x)
	default:
		s.ctx.Keep, s.ctx.Slots = 0, nil
		if m.State() == machine.Ready {
			s.turns.push(x)
		}
	}
}

// finish delivers what a parked loop leaves with that has come to its end.
func (s *Step) finish(x *parked) {
	f := x.frame
	f.Iteration(0).Outstanding--
	x.m.Results(func(node int32, v tensor.Value) {
		s.arrive(f.Parent, &s.p.nodes[node], false, v)
		if !v.Plain() {
			s.arena.Drop(v)
		}
	})
	s.endParked(x, false)
	s.settle(f)
}

// fails ends a parked loop that has failed, once nothing runs of it.
func (s *Step) fails(x *parked) {
	if x.ended = true; x.left == 0 {
		s.endParked(x, true)
	}
}

// endParked empties a parked loop and keeps it for later.
func (s *Step) endParked(x *parked, failed bool) {
	x.m.End(failed)
	last := len(s.parked) - 1
	s.parked[x.at] = s.parked[last]
	s.parked[x.at].at = x.at
	s.parked[last] = nil
	s.parked = s.parked[:last]
	x.frame = nil
	x.first.forget()
	for _, p := range x.more {
		p.forget()
	}
	if !x.broken {
		s.spare[x.m.Frame()] = append(s.spare[x.m.Frame()], x)
	}
}

// waitParked runs a kernel that may wait for the loop whose turn it is; false if it is to
// be parked until the kernel is done.
func (s *Step) waitParked(k kernel.Kernel, node int32, in, out []tensor.Value) (done bool, err error) {
	p := &s.turning.first
	w, ok := k.(kernel.Waiting)
	if !ok || s.meter != nil {
		return s.begin(p, k, node, in, out)
	}
	// What stands in line is noted only if it has to wait.
	s.ctx.Keep, s.ctx.Slots = ^uint64(0), nil
	if done, err = w.Try(&s.ctx, in, out, &p.place); !done {
		a := &p.wait
		a.node, a.kernel, a.in, a.out = node, k, in, out
		p.lined = true
		s.park(p)
	}
	return done, err
}

// startParked is waitParked for one of several kernels that are started together.
func (s *Step) startParked(k kernel.Kernel, node int32, in, out []tensor.Value) (done bool, err error) {
	x := s.turning
	if x.begun == len(x.more) {
		p := &awaited{}
		p.init(x)
		x.more = append(x.more, p)
	}
	p := x.more[x.begun]
	p.begin()
	p.in, p.out = append(p.in[:0], in...), append(p.out[:0], out...)
	if done, err = s.begin(p, k, node, p.in, p.out); !done {
		x.begun++
		return false, nil
	}
	copy(out, p.out)
	clear(p.in)
	clear(p.out)
	return true, err
}

// startedParked moves the outputs of the i-th kernel that was started.
func (s *Step) startedParked(i int, out []tensor.Value) (in []tensor.Value) {
	p := s.turning.more[i]
	copy(out, p.out)
	clear(p.out)
	if i == s.turning.begun-1 {
		s.turning.begun = 0
	}
	return p.in
}

// begin runs a kernel that may wait; false if it is not done.
func (s *Step) begin(p *awaited, k kernel.Kernel, node int32, in, out []tensor.Value) (done bool, err error) {
	a := &p.wait
	a.node, a.kernel, a.in, a.out = node, k, in, out
	if s.meter != nil {
		a.meter, a.Worker, a.begin = s.meter, -1, s.meter.Clock()
	}
	if w, ok := k.(kernel.Waiting); ok {
		s.ctx.Keep, s.ctx.Slots = ^uint64(0), nil
		if done, err = w.Try(&s.ctx, in, out, &p.place); !done {
			p.lined = true
			s.park(p)
			return false, nil
		}
	} else {
		p.start()
		if p.phase.CompareAndSwap(starting, waiting) {
			s.park(p)
			return false, nil
		}
		undo := a.ctx.Undo
		err, a.ctx.Undo = p.err, nil
		for i := range out {
			s.arena.Claim(out[i])
		}
		if undo != nil && err == nil && s.cancelled() { // it came too late
			undo.Return()
			err = s.Err()
		}
	}
	if a.meter != nil {
		a.end = a.meter.Clock()
		a.note()
		a.meter = nil
	}
	return true, err
}

// start starts the kernel; a panic is its error.
func (p *awaited) start() {
	p.phase.Store(starting)
	defer func() {
		if r := recover(); r != nil {
			p.of.broken, p.err = true, kernel.Panicked(r)
			p.phase.Store(finished)
		}
	}()
	a := &p.wait
	a.kernel.(kernel.Async).Start(&a.ctx, a.in, a.out, p.done)
}

// park notes that a parked loop has a kernel that is not done.
func (s *Step) park(p *awaited) {
	p.wait.place = len(s.handed)
	s.handed = append(s.handed, &p.wait)
	s.running++
	s.asyncs++
	p.of.left++
}

// complete takes the outputs of a kernel that a parked loop waits for, or its error: see
// [Step.Complete].
func (s *Step) complete(p *awaited, err error) {
	x, a := p.of, &p.wait
	undo := a.ctx.Undo
	a.ctx.Undo = nil
	if p.lined {
		undo = nil
		if t := p.place.Taken; t != nil {
			undo = t
		}
		if err == nil && s.err == nil {
			err = p.adopt()
		}
		p.lined = false
	}
	if undo != nil && err == nil && (s.err != nil || s.cancelled()) { // it came too late
		undo.Return()
	}
	if err == nil && s.err == nil {
		s.resume(p)
		return
	}
	s.unhand(a)
	s.asyncs--
	x.left--
	if s.err != nil {
		report.Nest(s.err, err)
	} else {
		s.unit, s.unitAt = x.m, x.frame.Parent
		s.failUnit(a.node, err)
		s.unit = nil
	}
	a.in, a.out, a.kernel, a.meter = nil, nil, nil, nil
	s.fails(x)
}

// Release lets go of what the step's units wait for in lines. A driver calls it when the
// step has failed, before it waits until nothing runs.
func (s *Step) Release() {
	s.admit()
	for i := len(s.handed) - 1; i >= 0; i-- {
		if i < len(s.handed) {
			if p := s.handed[i].awaited; p != nil && p.lined && p.place.Leave() {
				s.complete(p, nil)
			}
		}
	}
}

// tag names the iteration that the parked loop is in.
func (x *parked) tag() string {
	var tag []byte
	if x.frame.Parent != nil {
		tag = append(tag, x.frame.Parent.Tag()...)
	}
	return x.step.p.tag(tag, x.m)
}
