package tensor

import (
	"runtime"
	"sync"
	"sync/atomic"
	"unsafe"
)

// shelved is the smallest class of the shelves, 256 KiB. Whoever needs a buffer that large
// writes for tens of microseconds what is in it, and a lock takes tens of nanoseconds.
const shelved = 18

// A shelf has the unused buffers of one class, for all steps on all cores, the newest on
// top. Pools for each core, and arenas that keep what they have used, would have a set of
// large buffers for each core that a program has run on. It is safe for concurrent use.
type shelf struct {
	mu      sync.Mutex
	buffers []unsafe.Pointer
	// least and before are the fewest buffers that lay here since the last garbage
	// collection, and between it and the one before: what lay below was not needed.
	least, before int
}

// A shelfSet is a process's shelves.
type shelfSet struct {
	shelves [maxClass + 1 - shelved]shelf // by class from shelved on
	held    atomic.Int64                  // bytes that lie on them
	watched atomic.Bool                   // sweep is called after the next garbage collection
}

var shelves shelfSet

// take returns a buffer of the class with anything in it, nil if none lies here.
func (s *shelfSet) take(class int) unsafe.Pointer {
	f := &s.shelves[class-shelved]
	f.mu.Lock()
	top := len(f.buffers) - 1
	if top < 0 {
		f.mu.Unlock()
		return nil
	}
	b := f.buffers[top]
	f.buffers[top] = nil
	f.buffers = f.buffers[:top]
	f.least = min(f.least, top)
	f.mu.Unlock()
	s.held.Add(-1 << class)
	return b
}

// put takes a buffer of the class to which there is no reference.
func (s *shelfSet) put(class int, b unsafe.Pointer) {
	f := &s.shelves[class-shelved]
	f.mu.Lock()
	f.buffers = append(f.buffers, b)
	f.mu.Unlock()
	s.held.Add(1 << class)
	if !s.watched.Load() && s.watched.CompareAndSwap(false, true) {
		s.watch()
	}
}

// watch has sweep called after the next garbage collection, which finds a mark that
// nothing refers to.
func (s *shelfSet) watch() { runtime.AddCleanup(&struct{ _ [64]byte }{}, (*shelfSet).sweep, s) }

// sweep leaves to the collector the buffers that lay unused through two garbage
// collections, as a sync.Pool does.
func (s *shelfSet) sweep() {
	for i := range s.shelves {
		f := &s.shelves[i]
		f.mu.Lock()
		s.drop(shelved+i, min(f.least, f.before))
		f.least, f.before = len(f.buffers), f.least
		f.mu.Unlock()
	}
	s.watched.Store(false)
	if s.held.Load() > 0 && s.watched.CompareAndSwap(false, true) {
		s.watch()
	}
}

// drop leaves to the collector the n lowest buffers of a class, whose shelf is locked.
func (s *shelfSet) drop(class, n int) {
	f := &s.shelves[class-shelved]
	kept := copy(f.buffers, f.buffers[n:])
	clear(f.buffers[kept:])
	f.buffers = f.buffers[:kept]
	f.least, f.before = max(f.least-n, 0), max(f.before-n, 0)
	s.held.Add(-int64(n) << class)
}

// shed leaves n bytes to the collector, or somewhat more, the largest buffers first.
func (s *shelfSet) shed(n int64) {
	for i := len(s.shelves) - 1; i >= 0 && n > 0; i-- {
		f, class := &s.shelves[i], shelved+i
		f.mu.Lock()
		k := min(int((n+1<<class-1)>>class), len(f.buffers))
		s.drop(class, k)
		f.mu.Unlock()
		n -= int64(k) << class
	}
}
