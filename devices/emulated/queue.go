package emulated

import (
	"context"
	"sync"
	"sync/atomic"

	"github.com/troupe-go/troupe/devices"
	"github.com/troupe-go/troupe/status"
)

// mostDelay bounds the ticks that a command is kept back.
const mostDelay = 6

// A queue is a [devices.Queue]. Its device's lock guards it.
type queue struct {
	device *Device
	name   string
	agent  int     // its place in clocks; the host's is 0
	clock  clock   // what happens before the next command
	count  uint64  // works so far
	works  []*work // not done
	closed bool
}

// add puts a command at the end, after checking its accesses. The device is locked.
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
	for _, u := range uses {
		if of := u.memory.device; of != d { // what the host knows of that one
			q.clock.join(of.clock)
		}
	}
	q.clock.set(d, q.agent, q.count)
	for _, u := range uses {
		if of := u.memory.device; of != d && of.err != nil {
			continue // nothing is there any more
		}
		if err := u.memory.check(w, u.access, d, q.agent, q.clock); err != nil {
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

// A use is a command's use of a piece of memory.
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

// Copy copies within the device, or from another one. What that does meanwhile is checked
// as if it had happened when the copy is put into the queue.
func (q *queue) Copy(dst, src devices.Buffer, n int64) error {
	if m, ok := src.(*memory); ok && m.device != q.device && !m.host {
		meeting.Lock()
		defer meeting.Unlock()
		m.device.mu.Lock()
		defer m.device.mu.Unlock()
	}
	return q.copy("copy", dst, src, n)
}

// meeting is held by who holds the locks of two devices.
var meeting sync.Mutex

func (q *queue) copy(name string, dst, src devices.Buffer, n int64) error {
	d := q.device
	d.mu.Lock()
	defer d.mu.Unlock()
	to, from, err := d.memoryOf(dst), d.memoryOf(src), error(nil)
	if m, ok := src.(*memory); ok && name == "copy" && !m.host {
		from = m
	}
	if to == nil || from == nil || n < 0 || n > to.size || n > from.size {
		err = status.Errorf(status.Internal, "%s of %d bytes in queue %q leaves its buffers", name, n, q.name)
		d.fail(err)
		d.wake()
		return err
	}
	w := &work{name: name, run: func() error {
		if from.device != d && from.device.Err() != nil {
			fill(to.bytes[:n])
			return nil
		}
		copy(to.bytes[:n], from.bytes[:n])
		return nil
	}}
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
			return status.Errorf(status.Internal, "%s: argument %d is not memory of %s", l.Code.Entry, i, d.attributes.Name)
		}
		bytes[i] = m.bytes[:m.size:m.size]
		uses = append(uses, use{m, a.Access})
	}
	return q.add(&work{name: l.Code.Entry, run: func() error { return own.Code.Emulate(&own, bytes) }}, uses...)
}

// Record returns an event.
func (q *queue) Record() (devices.Event, error) {
	d := q.device
	d.mu.Lock()
	defer d.mu.Unlock()
	e := &event{device: d}
	if err := q.add(&work{name: "record", event: e}); err != nil {
		return nil, err
	}
	e.clock = q.clock.clone()
	return e, nil
}

// Wait keeps later commands back.
func (q *queue) Wait(ev devices.Event) error {
	d := q.device
	e, ok := ev.(*event)
	if !ok {
		return status.Errorf(status.Internal, "queue %q of %s cannot wait for the event of another driver", q.name, d.attributes.Name)
	}
	if e.device != d {
		e.device.mu.Lock()
		if !e.over.Load() {
			e.wake = append(e.wake, d)
		}
		e.device.mu.Unlock()
	}
	d.mu.Lock()
	defer d.mu.Unlock()
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
	over   atomic.Bool
	err    error
	told   []func(error)
	wake   []*Device // others that wait for it
}

// happen says that the queue has passed the event. The device is locked, and then is not.
func (e *event) happen(err error) {
	e.err = err
	e.over.Store(true)
	told, wake := e.told, e.wake
	e.told, e.wake = nil, nil
	e.device.mu.Unlock()
	if len(told) > 0 {
		e.notified()
	}
	for _, f := range told {
		f(err)
	}
	for _, d := range wake {
		d.mu.Lock()
		d.wake()
		d.mu.Unlock()
	}
}

// Notify calls done when the queue has passed the event.
func (e *event) Notify(done func(error)) {
	e.device.mu.Lock()
	if !e.over.Load() {
		e.told = append(e.told, done)
		e.device.mu.Unlock()
		return
	}
	e.device.mu.Unlock()
	e.notified()
	done(e.err)
}

// notified records that the host is told of the event: all devices that it knows
// something of bear it in mind.
func (e *event) notified() {
	if e.err == nil {
		e.clock.devices(func(d *Device) { d.done.join(e.clock) })
	}
}

// Wait returns how the host gets to know what has happened.
func (e *event) Wait(ctx context.Context) error {
	done := make(chan error, 1)
	e.Notify(func(err error) { done <- err })
	select {
	case err := <-done:
		if err == nil {
			e.clock.devices(func(d *Device) { d.clock.join(e.clock) })
		}
		return err
	case <-ctx.Done():
		return status.FromContext(ctx)
	}
}

// Release does nothing: events are the collector's.
func (e *event) Release() {}
