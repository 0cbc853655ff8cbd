package cpu

import "sync/atomic"

// boardSize is how many tasks may wait. A power of two.
const boardSize = 1024

// A board is where tasks wait: a bounded queue for any number of publishers
// and claimers, after Dmitry Vyukov's array of cells with sequence numbers
// (1024cores.net, "Bounded MPMC queue"). A cell at position p holds nothing
// while its number is p, a task while it is p+1, and is the cell of position
// p+boardSize from then on.
type board struct {
	_     [cacheLine]byte
	tail  atomic.Uint64 // the next position to publish at
	_     [cacheLine]byte
	head  atomic.Uint64 // the next position to claim
	_     [cacheLine]byte
	cells [boardSize]cell
}

type cell struct {
	number atomic.Uint64
	task   Task
	nanos  int64
}

func (b *board) init() {
	for i := range b.cells {
		b.cells[i].number.Store(uint64(i))
	}
}

// empty may be wrong a moment later.
func (b *board) empty() bool { return b.head.Load() == b.tail.Load() }

// push adds a task; false if there is no room.
func (b *board) push(t Task, nanos int64) bool {
	for {
		pos := b.tail.Load()
		c := &b.cells[pos%boardSize]
		switch d := int64(c.number.Load() - pos); {
		case d < 0:
			return false
		case d == 0 && b.tail.CompareAndSwap(pos, pos+1):
			c.task, c.nanos = t, nanos
			c.number.Store(pos + 1)
			return true
		}
	}
}

// pop claims the oldest task. False says that at some moment during the call
// there was none: it waits for a push that has begun.
func (b *board) pop() (t Task, nanos int64, ok bool) {
	for spins := 0; ; {
		pos := b.head.Load()
		c := &b.cells[pos%boardSize]
		switch d := int64(c.number.Load() - (pos + 1)); {
		case d < 0:
			if b.tail.Load() == pos {
				return nil, 0, false
			}
			backOff(&spins)
		case d == 0 && b.head.CompareAndSwap(pos, pos+1):
			t, nanos = c.task, c.nanos
			c.task = nil
			c.number.Store(pos + boardSize)
			return t, nanos, true
		}
	}
}
