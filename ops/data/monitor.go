package data

import (
	"context"
	"sync"

	"github.com/troupe-go/troupe/status"
)

// A monitor guards some state, and keeps a line of those who wait for it to
// change. Nobody waits on a goroutine. The zero monitor is ready.
type monitor struct {
	mu   sync.Mutex
	line []*waiter
}

type waiter struct {
	try  func() (ok bool, err error)
	done func(error)
	stop func() bool // stops watching the context
}

// enter calls try, which may read and change the state, until it answers true or
// fails: at once, and then whenever the state has changed. Who came first is
// served first. done is called once, without the lock.
func (m *monitor) enter(ctx context.Context, try func() (bool, error), done func(error)) {
	m.mu.Lock()
	ok, err := try()
	if ok || err != nil {
		served := m.serve()
		m.mu.Unlock()
		done(err)
		for _, f := range served {
			f()
		}
		return
	}
	w := &waiter{try: try, done: done}
	m.line = append(m.line, w)
	w.stop = context.AfterFunc(ctx, func() {
		if m.leave(w) {
			done(status.FromContext(ctx))
		}
	})
	m.mu.Unlock()
}

// change calls f, which changes the state.
func (m *monitor) change(f func()) {
	m.mu.Lock()
	f()
	served := m.serve()
	m.mu.Unlock()
	for _, f := range served {
		f()
	}
}

// leave takes w out of the line; false if it is not in it any more.
func (m *monitor) leave(w *waiter) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	for i, x := range m.line {
		if x == w {
			m.line = append(m.line[:i], m.line[i+1:]...)
			return true
		}
	}
	return false
}

// serve lets those in line try, from the first on, until none gets on. What it
// returns tells those who have.
func (m *monitor) serve() (served []func()) {
	for i := 0; i < len(m.line); {
		w := m.line[i]
		ok, err := w.try()
		if !ok && err == nil {
			i++
			continue
		}
		m.line = append(m.line[:i], m.line[i+1:]...)
		w.stop()
		served = append(served, func() { w.done(err) })
		i = 0
	}
	return served
}
