package streams

import (
	"context"
	"sync"

	"github.com/troupe-go/troupe/devices"
	"github.com/troupe-go/troupe/devices/stream"
	"github.com/troupe-go/troupe/status"
)

// Bounds of the staging buffers that are kept while no copy uses them: how many of a class,
// and the bytes of all.
const (
	mostKept      = 8
	mostKeptBytes = 256 << 20
)

// A staging keeps the host buffers that copies go through. A driver may take milliseconds to
// make one, so they are made and released without the lock that commands are ordered by.
type staging struct {
	mu    sync.Mutex
	rest  map[int64][]devices.HostBuffer // unused, by class
	bytes int64                          // of rest
}

// take returns an unused buffer of a class, or nil.
func (s *staging) take(class int64) devices.HostBuffer {
	s.mu.Lock()
	defer s.mu.Unlock()
	rest := s.rest[class]
	if len(rest) == 0 {
		return nil
	}
	b := rest[len(rest)-1]
	rest[len(rest)-1] = nil
	s.rest[class] = rest[:len(rest)-1]
	s.bytes -= class
	return b
}

// keep returns whether it keeps a buffer that no copy uses any more.
func (s *staging) keep(b devices.HostBuffer) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	class := b.Size()
	if len(s.rest[class]) == mostKept || s.bytes+class > mostKeptBytes {
		return false
	}
	s.rest[class] = append(s.rest[class], b)
	s.bytes += class
	return true
}

// empty removes all unused buffers.
func (s *staging) empty() (all []devices.HostBuffer) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for class, rest := range s.rest {
		all = append(all, rest...)
		delete(s.rest, class)
	}
	s.bytes = 0
	return all
}

// stage returns a host buffer that no copy uses. If the budget has no room, it waits for the
// copies under way, which release theirs.
func (g *incarnation) stage(ctx context.Context, bytes int64) (devices.HostBuffer, error) {
	b, err := g.tryStage(bytes)
	if status.CodeOf(err) != status.ResourceExhausted {
		return b, err
	}
	if err := g.owner.Wait(ctx); err != nil {
		return nil, err
	}
	return g.tryStage(bytes)
}

func (g *incarnation) tryStage(bytes int64) (devices.HostBuffer, error) {
	class := stream.Class(bytes)
	if b := g.staging.take(class); b != nil {
		return b, nil
	}
	err := g.account.charge(class)
	if status.CodeOf(err) == status.ResourceExhausted {
		g.memory.Lock()
		g.reclaim()
		g.memory.Unlock()
		err = g.account.charge(class)
	}
	if status.CodeOf(err) == status.Unavailable {
		return nil, g.doubt(err)
	}
	if err != nil {
		return nil, status.Within(err, "device %s: %d bytes of host memory to copy through", g.attributes.Name, class)
	}
	var b devices.HostBuffer
	if err := guarded(func() (err error) { b, err = g.driver.AllocHost(class); return err }); err != nil {
		g.account.release(class)
		return nil, g.doubt(err)
	}
	return b, nil
}

// fill copies to a staging buffer. The driver, which releases the buffer, is not closed
// meanwhile; nothing is copied, and it does not wait, once the driver is being closed.
func (g *incarnation) fill(staged devices.HostBuffer, from []byte) error {
	if !g.lending.TryRLock() {
		return g.ended()
	}
	defer g.lending.RUnlock()
	if g.closed {
		return g.ended()
	}
	copy(staged.Bytes(), from)
	return nil
}

// unstage takes a buffer back that no copy uses any more.
func (g *incarnation) unstage(b devices.HostBuffer) {
	if g.ended() != nil {
		return // the driver may still use it, and releases it when it is closed
	}
	if !g.staging.keep(b) {
		g.discard(b)
	}
}

// reclaim gives back what is charged and unused. The lock of memory is held.
func (g *incarnation) reclaim() {
	for _, b := range g.staging.empty() {
		g.discard(b)
	}
	if g.attributes.Unified {
		g.mu.Lock()
		spare := g.pool.Trim(g.passed)
		g.mu.Unlock()
		g.doubt(g.give(spare))
	}
}

// discard gives a buffer back to the driver.
func (g *incarnation) discard(b devices.HostBuffer) {
	n := b.Size()
	g.doubt(guarded(func() error { b.Release(); return nil }))
	g.account.release(n)
}
