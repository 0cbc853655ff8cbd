package streams

import (
	"context"
	"sync"

	"github.com/troupe-go/troupe/devices"
	"github.com/troupe-go/troupe/devices/stream"
	"github.com/troupe-go/troupe/status"
)

// A copy from one device to another is handed to both under both locks, so that the two
// streams that meet in it meet in the same order in all such copies, and never wait for
// each other in a circle:
//
//	receiver's device-to-device: Wait for the source's last write, Copy, Record
//	source's lent:               Wait for the last write, Wait for that Record, Record
//
// It is done when both have passed it: the receiver has made the copy, and the source was
// there all the while. Whichever fails first is whose error there is.
//
// A wait for an event of a receiver that fails ends at once, though its copy may still read. So
// the source's block has no other owner before the copy is known to have ended: the host was
// told, or the receiver's driver is closed. Nor is the source's driver closed before: streams of
// a device that has ended do nothing more, the source's lent included, but what they have told
// their drivers goes on.

// Bring copies n bytes from the start of memory of another device, or of this one, to that
// of dst. See [devices.Streams].
func (d *Device) Bring(ctx context.Context, to, from devices.Buffer, n int64, done func(error)) error {
	dst, err := d.memory(to)
	if err != nil {
		return err
	}
	src, ok := from.(*Memory)
	if !ok {
		return status.Errorf(status.Internal, "a buffer is not memory of a device")
	}
	if n < 0 || n > src.size || n > dst.size {
		return status.Errorf(status.Internal, "%d bytes are copied from memory of %d to memory of %d", n, src.size, dst.size)
	}
	switch a, b := src.of, dst.of; {
	case n == 0:
		if err := d.Write(ctx, dst, nil); err != nil {
			return err
		}
		done(nil)
		return nil
	case a.owner == d:
		return d.bringWithin(dst, src, n, done)
	case b.driver.Reaches(a.driver):
		return bring(a, b, dst, src, n, done)
	}
	return src.of.owner.Read(ctx, src, n, func(bytes []byte, err error) {
		var staged devices.HostBuffer
		if err == nil {
			staged, err = dst.of.tryStage(n)
		}
		if err == nil {
			err = dst.of.put(dst, bytes, staged, done)
		}
		if err != nil {
			done(err)
		}
	})
}

// bringWithin copies within the device.
func (d *Device) bringWithin(dst, src *Memory, n int64, done func(error)) error {
	g, err := d.enter()
	if err != nil {
		return err
	}
	defer g.mu.Unlock()
	if err := g.copy(dst, src, n); err != nil {
		return err
	}
	g.after(stream.DeviceToDevice, dst, done)
	return nil
}

// bring has b copy from a.
func bring(a, b *incarnation, dst, src *Memory, n int64, done func(error)) error {
	first, second := a, b
	if b.number < a.number {
		first, second = b, a
	}
	first.mu.Lock()
	defer first.mu.Unlock()
	second.mu.Lock()
	defer second.mu.Unlock()
	for _, g := range []*incarnation{a, b} {
		if err := g.ended(); err != nil {
			return err
		}
		g.uses = g.uses[:0]
	}
	from, err := a.use(src, devices.Reads)
	if err != nil {
		return err
	}
	to, err := b.use(dst, devices.Writes)
	if err != nil {
		return err
	}
	written := a.at(src.block.Wrote())
	a.promise(written, b, stream.DeviceToDevice)
	b.send(stream.DeviceToDevice, &Copy{to: to, from: from, dst: dst, src: src, bytes: n})
	copied := b.latest[stream.DeviceToDevice]

	a.join(stream.Lent) // also where the copy is never made
	b.promise(copied, a, stream.Lent)
	a.record(stream.Lent)

	t := &twofold{left: 2, done: func(err error) {
		if err != nil {
			dst.fail(err)
		}
		if b.ended() == nil {
			src.returned()
		} else {
			b.afterwards(src.returned)
		}
		done(err)
	}}
	src.lent++
	b.after(stream.DeviceToDevice, dst, t.passed)
	a.after(stream.Lent, src, t.passed)
	return nil
}

// at returns an event of a place, or of one behind it. It is locked.
func (g *incarnation) at(p stream.Place) *event {
	if e := g.latest[p.Stream]; e != nil && e.place.N >= p.N {
		return e
	}
	return g.record(p.Stream)
}

// promise lets a stream of another incarnation wait for an event. Both are locked.
func (g *incarnation) promise(e *event, to *incarnation, s stream.Kind) {
	if e.promise() {
		g.promised[e] = struct{}{}
	}
	e.refs.Add(1)
	to.owner.root.Send(to.streams[s], &Wait{e})
}

// kept says that a promised event has been recorded.
func (g *incarnation) kept(e *event) {
	g.mu.Lock()
	defer g.mu.Unlock()
	delete(g.promised, e)
}

// close ends the driver, when no other device copies from its memory any more, and lets the
// streams of other devices go on that wait for what will not be recorded any more: nothing of
// this device is at anybody's memory now.
func (g *incarnation) close() {
	g.lending.Lock()
	closed := g.closed
	g.closed = true
	g.lending.Unlock()
	if !closed {
		g.await()
		guarded(g.driver.Close) // of one that panics nothing more is known
	}
	g.account.end()
	g.mu.Lock()
	promised, finally := g.promised, g.finally
	g.promised, g.finally = nil, nil
	if g.look != nil {
		g.look.Stop()
	}
	g.mu.Unlock()
	for e := range promised {
		e.settle(nil)
	}
	for _, f := range finally {
		f()
	}
}

// afterwards calls f when the driver is closed.
func (g *incarnation) afterwards(f func()) {
	g.mu.Lock()
	closed := g.promised == nil
	if !closed {
		g.finally = append(g.finally, f)
	}
	g.mu.Unlock()
	if closed {
		f()
	}
}

// await waits until the copies have ended that other devices make from this one's memory. They
// wait for nothing but what drivers have been told already, so two may await each other.
func (g *incarnation) await() {
	for g.loans.Load() > 0 {
		if seeded := g.owner.options.Seeded; seeded == nil {
			<-g.repaid
		} else if !seeded.Step() {
			return
		}
	}
}

// repay says that one of them has ended.
func (g *incarnation) repay() {
	if g.loans.Add(-1) == 0 {
		select {
		case g.repaid <- struct{}{}:
		default:
		}
	}
}

// lend calls f, in which another device's stream tells its driver of something of this one's.
// It is false if there is nothing of it any more.
func (g *incarnation) lend(f func() error) (lent bool, err error) {
	g.lending.RLock()
	defer g.lending.RUnlock()
	if g.closed {
		return false, nil
	}
	return true, f()
}

// A twofold is done when two are, or one has failed.
type twofold struct {
	mu   sync.Mutex
	left int
	done func(error)
}

func (t *twofold) passed(err error) {
	t.mu.Lock()
	due := t.left > 0 && (err != nil || t.left == 1)
	if t.left--; err != nil {
		t.left = 0
	}
	t.mu.Unlock()
	if due {
		t.done(err)
	}
}
