package emulated

import (
	"context"

	"github.com/troupe-go/troupe/devices"
	"github.com/troupe-go/troupe/status"
)

// mostDelay bounds the ticks that a work is kept back.
const mostDelay = 6

// A queue is a [devices.Queue]. Its device's lock guards it.
type queue struct {
	device *Device
	name   string
	agent  int     // its place in clocks; the host's is 0
	clock  clock   // what happens before the next work
	count  uint64  // works so far
	works  []*work // not done
	closed bool
}

// add puts a work at the end, after checking its accesses. The device is locked.
func (q *queue) add(w *work, uses ...use) error {
	d := q.device
	if err := d.failed(); err != nil {
		return err
	}
	if q.closed {
		return status.Errorf(status.FailedPrecondition, "queue %q of %s is closed", q.name, d.attributes.Name)
	}
	q.count++
	w.queue, w.number = q, int(q.count)
	q.clock.join(d.clock)
	q.clock.set(q.agent, q.count)
	for _, u := range uses {
		if err := u.memory.check(w, u.access, q.agent, q.clock); err != nil {
			d.fail(err)
			d.wake()
			return err
		}
	}
	if w.run != nil {
		w.delay = d.rng.IntN(mostDelay + 1)
	}
	q.works = append(q.works, w)
	d.wake()
	return nil
}

// A use is a work's use of a piece of memory.
type use struct {
	memory *memory
	access devices.Access
}

// Write copies from the host.
func (q *queue) Write(dst devices.Buffer, src devices.HostBuffer, n int64) error {
	return q.copy("write", dst, src, n)
}

// Read copies to the host.
func (q *queue) Read(dst devices.HostBuffer, src devices.Buffer, n int64) error {
	return q.copy("read", dst, src, n)
}

// Copy copies within the device.
func (q *queue) Copy(dst, src devices.Buffer, n int64) error { return q.copy("copy", dst, src, n) }

func (q *queue) copy(name string, dst, src devices.Buffer, n int64) error {
	d := q.device
	d.mu.Lock()
	defer d.mu.Unlock()
	to, from, err := d.memoryOf(dst), d.memoryOf(src), error(nil)
	if to == nil || from == nil || n < 0 || n > to.size || n > from.size {
		err = status.Errorf(status.Internal, "%s of %d bytes in queue %q leaves its buffers", name, n, q.name)
		d.fail(err)
		d.wake()
		return err
	}
	w := &work{name: name, run: func() error { copy(to.bytes[:n], from.bytes[:n]); return nil }}
	quiet := to.quiet()
	if err := q.add(w, use{from, devices.Reads}, use{to, devices.Writes}); err != nil {
		return err
	}
	if to.host && quiet {
		fill(to.bytes[:n])
	}
	return nil
}

// Launch runs code.
func (q *queue) Launch(l *devices.Launch) error {
	d := q.device
	if err := d.Load(l.Code); err != nil {
		return err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	own := *l
	own.Args = append([]devices.Arg(nil), l.Args...)
	bytes := make([][]byte, len(own.Args))
	var uses []use
	for i, a := range own.Args {
		if a.Buffer == nil {
			continue
		}
		m := d.memoryOf(a.Buffer)
		if m == nil || m.host {
			return status.Errorf(status.Internal, "%s: argument %d is no memory of %s", l.Code.Entry, i, d.attributes.Name)
		}
		bytes[i] = m.bytes[:m.size:m.size]
		uses = append(uses, use{m, a.Access})
	}
	return q.add(&work{name: l.Code.Entry, run: func() error { return own.Code.Emulate(&own, bytes) }}, uses...)
}

// Record gives an event.
func (q *queue) Record() (devices.Event, error) {
	d := q.device
	d.mu.Lock()
	defer d.mu.Unlock()
	e := &event{device: d}
	if err := q.add(&work{name: "record", event: e}); err != nil {
		return nil, err
	}
	e.clock = append(clock(nil), q.clock...)
	return e, nil
}

// Wait keeps later works back.
func (q *queue) Wait(ev devices.Event) error {
	d := q.device
	d.mu.Lock()
	defer d.mu.Unlock()
	e, ok := ev.(*event)
	if !ok || e.device != d {
		return status.Errorf(status.Internal, "queue %q of %s cannot wait for another device's event", q.name, d.attributes.Name)
	}
	if err := q.add(&work{name: "wait", wait: e}); err != nil {
		return err
	}
	q.clock.join(e.clock)
	return nil
}

// Flush does nothing.
func (q *queue) Flush() error { return nil }

// Close ends the queue.
func (q *queue) Close() error {
	q.device.mu.Lock()
	defer q.device.mu.Unlock()
	q.closed = true
	return nil
}

// An event is a [devices.Event]. Its device's lock guards it.
type event struct {
	device *Device
	clock  clock
	over   bool
	err    error
	told   []func(error)
}

// Notify calls done when the queue has passed the event.
func (e *event) Notify(done func(error)) {
	e.device.mu.Lock()
	if !e.over {
		e.told = append(e.told, done)
		e.device.mu.Unlock()
		return
	}
	if e.err == nil {
		e.device.done.join(e.clock)
	}
	e.device.mu.Unlock()
	done(e.err)
}

// Wait is how the host gets to know what has happened.
func (e *event) Wait(ctx context.Context) error {
	done := make(chan error, 1)
	e.Notify(func(err error) { done <- err })
	select {
	case err := <-done:
		if err == nil {
			e.device.mu.Lock()
			e.device.clock.join(e.clock)
			e.device.mu.Unlock()
		}
		return err
	case <-ctx.Done():
		return status.FromContext(ctx)
	}
}

// Release does nothing: events are the collector's.
func (e *event) Release() {}
