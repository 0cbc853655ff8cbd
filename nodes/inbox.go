package nodes

import (
	"sync"
	"sync/atomic"
)

// An Inbox brings completions from any goroutine to the one that drives a
// step. Putting never blocks. The zero Inbox is ready for use.
type Inbox struct {
	mu    sync.Mutex
	items []Completion
	bell  chan struct{}
	rung  atomic.Bool // there are items
}

// A Completion is an activation that has run, and its error.
type Completion struct {
	Activation *Activation
	Err        error
}

// Put adds a completion and rings the bell.
func (b *Inbox) Put(a *Activation, err error) {
	b.mu.Lock()
	b.items = append(b.items, Completion{a, err})
	b.rung.Store(true)
	bell := b.ring()
	b.mu.Unlock()
	select {
	case bell <- struct{}{}:
	default:
	}
}

// Take removes all completions that have come, appending them to dst.
func (b *Inbox) Take(dst []Completion) []Completion {
	b.mu.Lock()
	defer b.mu.Unlock()
	dst = append(dst, b.items...)
	clear(b.items)
	b.items = b.items[:0]
	b.rung.Store(false)
	return dst
}

// Any reports whether something has come since the last Take.
func (b *Inbox) Any() bool { return b.rung.Load() }

// Bell is readable once something may have come since the last Take. It can
// ring without need, so a reader looks again.
func (b *Inbox) Bell() <-chan struct{} {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.ring()
}

func (b *Inbox) ring() chan struct{} {
	if b.bell == nil {
		b.bell = make(chan struct{}, 1)
	}
	return b.bell
}
