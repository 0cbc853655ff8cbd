package main

import (
	"container/heap"
	"iter"
	"time"
)

// A sim is a discrete-event simulation of threads that compute, and use cache lines that
// others use too. It is deterministic: events at the same time happen in the order in
// which they were scheduled.
type sim struct {
	machine *Machine
	now     time.Duration
	events  events
	seq     int

	ready    []*thread     // that have been woken and wait for the runtime to start a thread for them
	starting bool          // the runtime starts one now
	busy     time.Duration // processor time of all threads
}

// A thread is a goroutine on a thread and a core of its own, written as straight code: it
// calls the methods below, each of which takes time.
type thread struct {
	sim   *sim
	core  int
	next  func() (struct{}, bool)
	yield func(struct{}) bool

	foreign int           // busy loops on its core
	mark    time.Duration // until when what it has run is charged
	share   time.Duration // how long it may still run before its core is taken from it
	lost    int           // how often it was
	asleep  bool
	woken   bool // by a value that it has not received yet
	turn    int  // counts its events, so that one that is out of date is passed over
}

type event struct {
	at   time.Duration
	seq  int
	t    *thread
	turn int
	do   func()
}

type events []event

func (e events) Len() int { return len(e) }
func (e events) Less(i, k int) bool {
	return e[i].at < e[k].at || e[i].at == e[k].at && e[i].seq < e[k].seq
}
func (e events) Swap(i, k int) { e[i], e[k] = e[k], e[i] }
func (e *events) Push(x any)   { *e = append(*e, x.(event)) }
func (e *events) Pop() any {
	last := (*e)[len(*e)-1]
	*e = (*e)[:len(*e)-1]
	return last
}

func (s *sim) at(when time.Duration, do func()) {
	s.seq++
	heap.Push(&s.events, event{at: when, seq: s.seq, do: do})
}

// start makes a thread of a function.
func (s *sim) start(core, foreign int, share time.Duration, f func(t *thread)) *thread {
	t := &thread{sim: s, core: core, foreign: foreign, share: share}
	next, stop := iter.Pull(func(yield func(struct{}) bool) {
		t.yield = yield
		f(t)
	})
	_ = stop // all threads run to their end
	t.next = next
	s.resume(t, s.now)
	return t
}

// resume continues a thread at a time.
func (s *sim) resume(t *thread, when time.Duration) {
	t.turn++
	s.seq++
	heap.Push(&s.events, event{at: when, seq: s.seq, t: t, turn: t.turn})
}

// run runs until nothing is left to happen.
func (s *sim) run() {
	for len(s.events) > 0 {
		e := heap.Pop(&s.events).(event)
		switch {
		case e.t == nil:
			s.now = e.at
			e.do()
		case e.turn == e.t.turn:
			s.now = e.at
			e.t.next()
		}
	}
}

// pass lets time pass until when.
func (t *thread) pass(when time.Duration) {
	t.sim.resume(t, when)
	t.yield(struct{}{})
	_, t.share, t.lost = t.on(t.sim.now)
	t.mark = t.sim.now
}

// The scheduler of the system shares a core out evenly: a thread gains as much time as each
// of the others on its core, also while it sleeps, though no more than a slice. When it has
// used that up, each of the others has a slice before it goes on.

// on returns when the thread has its core, at a time or after it, if it runs or spins until
// then, and what is left of its share.
func (t *thread) on(when time.Duration) (at, share time.Duration, lost int) {
	at, share, lost = t.mark, t.share, t.lost
	if t.foreign == 0 {
		return when, share, lost
	}
	n, slice := time.Duration(t.foreign), t.sim.machine.Slice
	for {
		most := share * (n + 1) / n // the share grows while it is used
		if at+most >= when {
			return when, share - (when-at)*n/(n+1), lost
		}
		at += most + n*slice
		share = n * slice / (n + 1)
		lost++
		if at >= when {
			return at, share, lost
		}
	}
}

// onAt is on, of the time alone.
func (t *thread) onAt(when time.Duration) time.Duration {
	at, _, _ := t.on(when)
	return at
}

// work computes for d.
func (t *thread) work(d time.Duration) {
	t.sim.busy += d
	when := t.onAt(t.sim.now)
	if t.foreign > 0 {
		for n := time.Duration(t.foreign); ; {
			_, share, _ := t.on(when)
			most := share * (n + 1) / n
			if d <= most {
				break
			}
			d -= most
			when = t.onAt(when + most + 1)
		}
	}
	t.pass(when + d)
}

// sleep sleeps until the thread is woken, if it has not been already.
func (t *thread) sleep() {
	if !t.woken {
		t.asleep = true
		t.yield(struct{}{})
		t.share = min(t.share+(t.sim.now-t.mark)/time.Duration(t.foreign+1), t.sim.machine.Slice)
		t.mark = t.sim.now
	}
	t.woken = false
}

// wake wakes another thread, as Go's runtime does: the one that wakes marks it as ready,
// and starts a system thread for it if none is starting already. The thread that has
// started first starts the next, if more is ready, and then runs what it was started for.
// So a hundred that are woken at once start one after another.
func (t *thread) wake(other *thread) {
	m := t.sim.machine
	t.work(m.Send)
	if !other.asleep {
		other.woken = true
		return
	}
	other.asleep = false
	t.sim.ready = append(t.sim.ready, other)
	if !t.sim.starting {
		t.work(m.Futex)
		t.sim.startNext()
	}
}

func (s *sim) startNext() {
	if s.starting || len(s.ready) == 0 {
		return
	}
	s.starting = true
	s.at(s.now+s.machine.Start, func() {
		s.starting = false
		t := s.ready[0]
		s.ready = s.ready[1:]
		when := s.now
		if len(s.ready) > 0 {
			s.startNext()
			when += s.machine.Futex
		}
		s.resume(t, when)
	})
}

// A line is a cache line. One core has it at a time to write to; those that have read it
// since have copies.
type line struct {
	owner   int
	free    time.Duration // when it can be transferred again
	copies  map[int]bool
	version int
	watch   []*thread // wait for it to change
}

func (s *sim) line() *line { return &line{copies: map[int]bool{}} }

// load waits until the thread's core has a copy of the line.
func (t *thread) load(l *line) {
	if l.owner == t.core || l.copies[t.core] {
		return
	}
	m := t.sim.machine
	begin := max(t.onAt(t.sim.now), l.free)
	l.free = begin + m.Port
	v := l.version
	t.pass(t.onAt(begin + m.transfer(l.owner, t.core)))
	if l.version == v {
		l.copies[t.core] = true
	}
}

// change waits until the core has the line for itself: an atomic operation, or a store.
// What the caller then does to the line's variables nobody sees half done.
func (t *thread) change(l *line) {
	m := t.sim.machine
	begin := max(t.onAt(t.sim.now), l.free)
	cost := m.Atomic
	for c := range l.copies {
		if c != t.core {
			cost = max(cost, m.transfer(c, t.core))
		}
	}
	cost = max(cost, m.transfer(l.owner, t.core))
	l.free = begin + cost
	l.owner, l.version = t.core, l.version+1
	clear(l.copies)
	t.pass(t.onAt(begin + cost))
	for _, w := range l.watch {
		t.sim.resume(w, w.onAt(t.sim.now+m.Pause))
	}
	l.watch = l.watch[:0]
}

// until looks at lines until something holds, for at most d; it reports whether it does.
func (t *thread) until(d time.Duration, holds func() bool, lines ...*line) bool {
	end := t.sim.now + d
	began := t.sim.now
	defer func() { t.sim.busy += t.sim.now - began }()
	for {
		for _, l := range lines {
			t.load(l)
		}
		if holds() {
			return true
		}
		if t.sim.now >= end {
			return false
		}
		for _, l := range lines {
			l.watch = append(l.watch, t)
		}
		t.pass(t.onAt(end))
		for _, l := range lines {
			for i, w := range l.watch {
				if w == t {
					l.watch = append(l.watch[:i], l.watch[i+1:]...)
					break
				}
			}
		}
	}
}
