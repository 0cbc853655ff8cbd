package cuda

import (
	"context"
	"encoding/binary"
	"errors"
	"sync/atomic"
	"unsafe"

	"github.com/troupe-go/troupe/devices"
	"github.com/troupe-go/troupe/devices/cuda/internal/api"
	"github.com/troupe-go/troupe/devices/dynamic"
	"github.com/troupe-go/troupe/status"
)

// A queue is a [devices.Queue]: a stream.
type queue struct {
	device    *Device
	handle    uintptr
	functions map[*devices.Code]uintptr
	blas      *handle // for products, when there was one
	// scratch is memory that the driver reads a launch's arguments from: the numbers,
	// then their addresses; and what cuBLAS reads.
	scratch []byte
}

// mostArgs bounds the arguments of a launch.
const mostArgs = 128

// NewQueue makes a queue.
func (d *Device) NewQueue(string) (devices.Queue, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.closed {
		return nil, d.gone()
	}
	memory, err := dynamic.Pages(scratch)
	if err != nil {
		return nil, err
	}
	factors(memory)
	q := &queue{device: d, functions: map[*devices.Code]uintptr{}, scratch: memory}
	if err := d.failure("cuStreamCreate", d.do(d.driver.StreamCreate, uintptr(unsafe.Pointer(&q.handle)), api.NonBlocking)); err != nil {
		dynamic.Free(memory)
		return nil, err
	}
	d.queues = append(d.queues, q)
	return q, nil
}

// own is memory of the device's.
func (q *queue) own(b devices.Buffer) (*buffer, error) {
	x, ok := b.(*buffer)
	if !ok || x.device != q.device {
		return nil, status.Errorf(status.Internal, "a buffer is not memory of %s", q.device.attributes.Name)
	}
	return x, nil
}

// ownHost is memory of the host's, of any device: it is page-locked for all.
func (q *queue) ownHost(b devices.HostBuffer) (*hostBuffer, error) {
	x, ok := b.(*hostBuffer)
	if !ok {
		return nil, status.Errorf(status.Internal, "a buffer is not host memory that CUDA allocated")
	}
	return x, nil
}

// Write copies from the host.
func (q *queue) Write(dst devices.Buffer, src devices.HostBuffer, n int64) error {
	to, err1 := q.own(dst)
	from, err2 := q.ownHost(src)
	if err := errors.Join(err1, err2); err != nil {
		return err
	}
	if err := devices.CheckCopy(n, to.size, from.size); err != nil {
		return err
	}
	return q.device.failure("cuMemcpyHtoDAsync", q.device.do(q.device.driver.MemcpyHtoDAsync, to.address, from.address, uintptr(n), q.handle))
}

// Read copies to the host.
func (q *queue) Read(dst devices.HostBuffer, src devices.Buffer, n int64) error {
	to, err1 := q.ownHost(dst)
	from, err2 := q.own(src)
	if err := errors.Join(err1, err2); err != nil {
		return err
	}
	if err := devices.CheckCopy(n, to.size, from.size); err != nil {
		return err
	}
	return q.device.failure("cuMemcpyDtoHAsync", q.device.do(q.device.driver.MemcpyDtoHAsync, to.address, from.address, uintptr(n), q.handle))
}

// Copy copies within the device, or from another.
func (q *queue) Copy(dst, src devices.Buffer, n int64) error {
	to, err := q.own(dst)
	if err != nil {
		return err
	}
	from, ok := src.(*buffer)
	if !ok || !q.device.Reaches(from.device) {
		return status.Errorf(status.Internal, "a buffer is not memory that %s can reach", q.device.attributes.Name)
	}
	if err := devices.CheckCopy(n, to.size, from.size); err != nil {
		return err
	}
	if from.device != q.device {
		return q.copyFrom(to, from, n)
	}
	return q.device.failure("cuMemcpyDtoDAsync", q.device.do(q.device.driver.MemcpyDtoDAsync, to.address, from.address, uintptr(n), q.handle))
}

// Launch executes code. The driver copies the arguments before it returns.
func (q *queue) Launch(l *devices.Launch) error {
	if l.Product != nil {
		return q.multiply(l)
	}
	f, ok := q.functions[l.Code]
	if !ok {
		var err error
		if f, err = q.device.function(l.Code); err != nil {
			return err
		}
		q.functions[l.Code] = f
	}
	if len(l.Args) > mostArgs {
		return status.Errorf(status.Internal, "%s has %d arguments", l.Code.Entry, len(l.Args))
	}
	base := uintptr(unsafe.Pointer(&q.scratch[0])) // not the collector's
	for i, a := range l.Args {
		bits := a.Bits
		if a.Buffer != nil {
			b, err := q.own(a.Buffer)
			if err != nil {
				return status.Within(err, "%s: argument %d", l.Code.Entry, i)
			}
			bits = uint64(b.address)
		}
		binary.NativeEndian.PutUint64(q.scratch[8*i:], bits)
		binary.NativeEndian.PutUint64(q.scratch[8*(mostArgs+i):], uint64(base)+uint64(8*i))
	}
	return q.device.failure("cuLaunchKernel of "+l.Code.Entry, q.device.do(q.device.driver.LaunchKernel, f,
		uintptr(l.Groups[0]), uintptr(l.Groups[1]), uintptr(l.Groups[2]), uintptr(l.Size[0]), uintptr(l.Size[1]), uintptr(l.Size[2]),
		0, q.handle, base+8*mostArgs, 0))
}

// Record returns an event. A driver's event is recycled when it is no longer in use; a stream
// that was told to wait for it waits for what it had been recorded after at that time.
func (q *queue) Record() (devices.Event, error) {
	d := q.device
	e := &event{device: d}
	e.refs.Store(1)
	d.mu.Lock()
	if n := len(d.idle); n > 0 {
		e.handle, d.idle = d.idle[n-1], d.idle[:n-1]
	}
	closed := d.closed
	d.mu.Unlock()
	if closed {
		return nil, d.gone()
	}
	if e.handle == 0 {
		if err := d.failure("cuEventCreate", d.do(d.driver.EventCreate, uintptr(unsafe.Pointer(&e.handle)), api.WithoutTiming)); err != nil {
			return nil, err
		}
		d.mu.Lock()
		d.events = append(d.events, e.handle)
		d.mu.Unlock()
	}
	if err := d.failure("cuEventRecord", d.do(d.driver.EventRecord, e.handle, q.handle)); err != nil {
		e.Release()
		return nil, err
	}
	return e, nil
}

// Wait keeps later commands back. Events are of any context.
func (q *queue) Wait(ev devices.Event) error {
	e, ok := ev.(*event)
	if !ok || !q.device.Reaches(e.device) {
		return status.Errorf(status.Internal, "CUDA: a queue cannot wait for another driver's event")
	}
	d := q.device
	if e.device == d {
		return d.failure("cuStreamWaitEvent", d.do(d.driver.StreamWaitEvent, q.handle, e.handle, 0))
	}
	return d.failure("cuStreamWaitEvent", d.beside(e.device, func() int32 { return d.primary.call(d.driver.StreamWaitEvent, q.handle, e.handle, 0) }))
}

// Flush does nothing: the driver begins at once.
func (q *queue) Flush() error { return nil }

// Close does nothing: a queue ends with its device.
func (q *queue) Close() error { return nil }

// An event is a [devices.Event].
type event struct {
	device *Device
	handle uintptr
	refs   atomic.Int32 // the owner, and each Notify that is due
}

// Notify calls done when the queue has passed the event.
func (e *event) Notify(done func(error)) {
	e.refs.Add(1)
	e.device.poll.add(e, done)
}

// Wait waits for the same.
func (e *event) Wait(ctx context.Context) error {
	done := make(chan error, 1)
	e.Notify(func(err error) { done <- err })
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
		return status.FromContext(ctx)
	}
}

// Release forgets the event.
func (e *event) Release() {
	if e.refs.Add(-1) == 0 {
		e.device.mu.Lock()
		e.device.idle = append(e.device.idle, e.handle)
		e.device.mu.Unlock()
	}
}
