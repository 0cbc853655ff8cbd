package simulated

import (
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
)

// A stream does works one after another, on a goroutine of its own.
type stream struct {
	context *context
	number  int
	clock   clock // of what was put last
	works   []*work
	wake    sync.Cond
	empty   sync.Cond
	closed  bool
	rng     *rand.Rand
}

// A work is a copy, a launch, a place where an event was recorded, or a wait.
type work struct {
	name   string
	stream *stream
	n      uint64
	clock  clock // what it comes after
	told   clock // and what the host knew to be done
	uses   []use // that are known before it runs
	run    func() int32
	after  *mark // it waits for
	mark   *mark // it sets
}

type use struct {
	of    *memory
	write bool
}

// A mark is one recording of an event.
type mark struct {
	done  bool
	clock clock
	of    *context
}

// An event is the driver's.
type event struct {
	context *context
	mark    *mark // the last; nil: it was never recorded
}

func streamCreate(out uintptr, flags uint32) int32 {
	m, c, r := inContext("cuStreamCreate")
	defer m.mu.Unlock()
	if r != success {
		return r
	}
	if flags != 1 {
		m.mistake("cuStreamCreate makes a stream that waits for the default one")
	}
	s := &stream{context: c, number: m.streams, rng: rand.New(rand.NewPCG(m.rng.Uint64(), 2))}
	s.wake.L, s.empty.L = &m.mu, &m.mu
	m.streams++
	c.streams[s] = struct{}{}
	put64(out, uint64(m.add(s)))
	m.running.Go(s.run)
	return success
}

// streamOf returns a stream of the context. Stream 0 is none that is used here.
func (m *Machine) streamOf(c *context, function string, h uintptr) (*stream, int32) {
	s, ok := handle[*stream](m, function, h)
	switch {
	case !ok:
		return nil, invalidHandle
	case s.context != c:
		m.mistake("%s is given a stream of another context", function)
		return nil, invalidHandle
	}
	return s, success
}

func streamDestroy(h uintptr) int32 {
	m, c, r := inContext("cuStreamDestroy")
	defer m.mu.Unlock()
	if r != success {
		return r
	}
	s, r := m.streamOf(c, "cuStreamDestroy", h)
	if r != success {
		return r
	}
	if len(s.works) > 0 {
		m.mistake("cuStreamDestroy of stream %d, which has %d works", s.number, len(s.works))
	}
	delete(c.streams, s)
	delete(m.handles, h)
	s.closed = true
	s.wake.Broadcast()
	return success
}

// put adds a work. The machine is locked.
func (s *stream) put(w *work) {
	m := s.context.machine
	s.clock = s.clock.join(make(clock, s.number+1))
	s.clock[s.number]++
	w.stream, w.n, w.clock = s, s.clock[s.number], slices.Clone(s.clock)
	w.told = slices.Clone(s.clock).join(m.told)
	s.works = append(s.works, w)
	s.wake.Broadcast()
}

// run does works until the stream is closed.
func (s *stream) run() {
	m := s.context.machine
	m.mu.Lock()
	defer m.mu.Unlock()
	for {
		for len(s.works) == 0 && !s.closed {
			s.empty.Broadcast()
			s.wake.Wait()
		}
		if len(s.works) == 0 {
			return
		}
		w := s.works[0]
		if w.after != nil {
			for !w.after.done && s.context.failed == 0 && w.after.of.failed == 0 {
				m.marked.Wait()
			}
		}
		if s.context.failed == 0 {
			for _, u := range w.uses {
				m.use(u.of, w, u.write)
			}
			pauses := s.rng.IntN(8)
			m.mu.Unlock()
			for range pauses {
				runtime.Gosched()
			}
			result := success
			if w.run != nil {
				result = w.run()
			}
			m.mu.Lock()
			if result != success {
				s.context.fail(result)
				m.marked.Broadcast()
			}
		}
		if w.mark != nil {
			w.mark.done = true
			m.marked.Broadcast()
		}
		s.works[0] = nil
		s.works = s.works[1:]
		if len(s.works) == 0 {
			s.works = nil
			s.empty.Broadcast()
		}
	}
}

func streamWait(h, on uintptr, flags uint32) int32 {
	m, c, r := inContext("cuStreamWaitEvent")
	defer m.mu.Unlock()
	if r != success {
		return r
	}
	s, r := m.streamOf(c, "cuStreamWaitEvent", h)
	e, ok := handle[*event](m, "cuStreamWaitEvent", on) // of any context
	switch {
	case r != success:
		return r
	case !ok:
		return invalidHandle
	case flags != 0:
		return invalidValue
	case e.mark == nil: // it waits for nothing
		return success
	}
	s.clock = s.clock.join(e.mark.clock)
	s.put(&work{name: "a wait", after: e.mark})
	return success
}

func eventCreate(out uintptr, flags uint32) int32 {
	m, c, r := inContext("cuEventCreate")
	defer m.mu.Unlock()
	if r != success {
		return r
	}
	if flags&^3 != 0 {
		return invalidValue
	}
	e := &event{context: c}
	c.events[e] = struct{}{}
	put64(out, uint64(m.add(e)))
	return success
}

// eventOf returns an event of the context.
func (m *Machine) eventOf(c *context, function string, h uintptr) (*event, int32) {
	e, ok := handle[*event](m, function, h)
	switch {
	case !ok:
		return nil, invalidHandle
	case e.context != c:
		m.mistake("%s is given an event of another context", function)
		return nil, invalidHandle
	}
	return e, success
}

func eventDestroy(h uintptr) int32 {
	m, c, r := inContext("cuEventDestroy")
	defer m.mu.Unlock()
	if r != success {
		return r
	}
	e, r := m.eventOf(c, "cuEventDestroy", h)
	if r == success {
		delete(c.events, e)
		delete(m.handles, h)
	}
	return r
}

func eventRecord(h, on uintptr) int32 {
	m, c, r := inContext("cuEventRecord")
	defer m.mu.Unlock()
	if r != success {
		return r
	}
	e, r := m.eventOf(c, "cuEventRecord", h)
	if r != success {
		return r
	}
	s, r := m.streamOf(c, "cuEventRecord", on)
	if r != success {
		return r
	}
	e.mark = &mark{of: c}
	w := &work{name: "an event", mark: e.mark}
	s.put(w)
	e.mark.clock = w.clock
	return success
}

func eventQuery(h uintptr) int32 {
	m, c, r := inContext("cuEventQuery")
	defer m.mu.Unlock()
	if r != success {
		return r
	}
	e, r := m.eventOf(c, "cuEventQuery", h)
	switch {
	case r != success:
		return r
	case e.mark == nil:
		return success
	case !e.mark.done:
		return notReady
	}
	m.told = m.told.join(e.mark.clock)
	return success
}
