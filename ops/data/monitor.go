package data

import (
	"container/list"
	"context"
	"sync"

	"github.com/troupe-go/troupe/status"
)

// A monitor guards some state, and keeps a line of those who wait for it to
// change. No goroutine waits. The zero monitor is ready.
type monitor struct {
	mu   sync.Mutex
	line list.List // of *waiter
}

type waiter struct {
	ctx  context.Context
	try  func() (ok bool, err error)
	done func(error)
	stop func() bool // stops watching the context
	gone bool        // from the line
}

// enter calls try, which may read and change the state, until it returns true or
// fails: at once, and then whenever the state has changed. Who came first is
// served first; a waiter whose ctx has ended is not. done is called once, without the
// lock.
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
	w := &waiter{ctx: ctx, try: try, done: done}
	place := m.line.PushBack(w)
	w.stop = context.AfterFunc(ctx, func() {
		if m.leave(place) {
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

// leave takes a waiter out of the line; false if it is not in it any more.
func (m *monitor) leave(place *list.Element) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	w := place.Value.(*waiter)
	if w.gone {
		return false
	}
	w.gone = true
	m.line.Remove(place)
	return true
}

// serve lets those in line try, from the first on, until none gets on. What it
// returns tells those who have.
func (m *monitor) serve() (served []func()) {
	for place := m.line.Front(); place != nil; {
		w := place.Value.(*waiter)
		var ok bool
		var err error
		if ended := status.FromContext(w.ctx); ended != nil {
			err = ended
		} else {
			ok, err = w.try()
		}
		if !ok && err == nil {
			place = place.Next()
			continue
		}
		w.gone = true
		m.line.Remove(place)
		w.stop()
		served = append(served, func() { w.done(err) })
		place = m.line.Front()
	}
	return served
}

// returning is what a kernel has taken, by what puts it back.
type returning func()

// Return puts it back.
func (f returning) Return() { f() }
