package session

import (
	"sync"
	"sync/atomic"

	"github.com/troupe-go/troupe/status"
)

// A gate counts who is inside and can be shut: a wait group that refuses those
// who come late. Entering costs one atomic addition.
type gate struct {
	state atomic.Int64 // who is inside, plus shutBit once it is shut
	once  sync.Once
	mu    sync.Mutex
	empty chan struct{} // closed when the gate is shut and nobody is inside
}

const shutBit = 1 << 62

func (g *gate) enter() error {
	if g.state.Add(1)&shutBit != 0 {
		g.leave()
		return errClosed()
	}
	return nil
}

func errClosed() error { return status.Errorf(status.FailedPrecondition, "session is closed") }

// errEnded returns the error of a step that Close has ended.
func errEnded() *status.Error {
	return status.Errorf(status.Canceled, "Step was cancelled by an explicit call to `Session::Close()`.")
}

func (g *gate) leave() {
	if g.state.Add(-1) == shutBit {
		g.open()
	}
}

// shut lets nobody in any more.
func (g *gate) shut() {
	if g.state.Or(shutBit)&^shutBit == 0 {
		g.open()
	}
}

// wait returns when the gate, which has been shut, is empty.
func (g *gate) wait() { <-g.done() }

func (g *gate) done() chan struct{} {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.empty == nil {
		g.empty = make(chan struct{})
	}
	return g.empty
}

func (g *gate) open() {
	done := g.done()
	g.once.Do(func() { close(done) })
}
