package cuda

import (
	"context"
	"encoding/binary"
	"sync/atomic"
	"unsafe"

	"github.com/troupe-go/troupe/devices"
	"github.com/troupe-go/troupe/devices/dynamic"
	"github.com/troupe-go/troupe/status"
)

// A queue is a [devices.Queue]: a stream.
type queue struct {
	device    *Device
	handle    uintptr
	functions map[*devices.Code]uintptr
	// scratch is memory that the driver reads a launch's arguments from: the numbers,
	// then their addresses.
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
	scratch, err := dynamic.Pages(2 * 8 * mostArgs)
	if err != nil {
		return nil, err
	}
	q := &queue{device: d, functions: map[*devices.Code]uintptr{}, scratch: scratch}
	if err := failure("cuStreamCreate", d.do(driver.streamCreate, uintptr(unsafe.Pointer(&q.handle)), nonBlocking)); err != nil {
		dynamic.Free(scratch)
		return nil, err
	}
	d.queues = append(d.queues, q)
	return q, nil
}

// Write copies from the host.
func (q *queue) Write(dst devices.Buffer, src devices.HostBuffer, n int64) error {
	to, from := dst.(*buffer), src.(*hostBuffer)
	if err := devices.CheckCopy(n, to.size, from.size); err != nil {
		return err
	}
	return failure("cuMemcpyHtoDAsync", q.device.do(driver.memcpyHtoDAsync, to.address, from.address, uintptr(n), q.handle))
}

// Read copies to the host.
func (q *queue) Read(dst devices.HostBuffer, src devices.Buffer, n int64) error {
	to, from := dst.(*hostBuffer), src.(*buffer)
	if err := devices.CheckCopy(n, to.size, from.size); err != nil {
		return err
	}
	return failure("cuMemcpyDtoHAsync", q.device.do(driver.memcpyDtoHAsync, to.address, from.address, uintptr(n), q.handle))
}

// Copy copies within the device, or from another.
func (q *queue) Copy(dst, src devices.Buffer, n int64) error {
	to, from := dst.(*buffer), src.(*buffer)
	if err := devices.CheckCopy(n, to.size, from.size); err != nil {
		return err
	}
	if from.device != q.device {
		return q.copyFrom(to, from, n)
	}
	return failure("cuMemcpyDtoDAsync", q.device.do(driver.memcpyDtoDAsync, to.address, from.address, uintptr(n), q.handle))
}

// Launch executes code. The driver copies the arguments before it returns.
func (q *queue) Launch(l *devices.Launch) error {
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
			b, ok := a.Buffer.(*buffer)
			if !ok || b.device != q.device {
				return status.Errorf(status.Internal, "%s: argument %d is no memory of %s", l.Code.Entry, i, q.device.attributes.Name)
			}
			bits = uint64(b.address)
		}
		binary.NativeEndian.PutUint64(q.scratch[8*i:], bits)
		binary.NativeEndian.PutUint64(q.scratch[8*(mostArgs+i):], uint64(base)+uint64(8*i))
	}
	return failure("cuLaunchKernel of "+l.Code.Entry, q.device.do(driver.launchKernel, f,
		uintptr(l.Groups[0]), uintptr(l.Groups[1]), uintptr(l.Groups[2]), uintptr(l.Size[0]), uintptr(l.Size[1]), uintptr(l.Size[2]),
		0, q.handle, base+8*mostArgs, 0))
}

// Record gives an event.
func (q *queue) Record() (devices.Event, error) {
	e := &event{device: q.device}
	e.refs.Store(1)
	if err := failure("cuEventCreate", q.device.do(driver.eventCreate, uintptr(unsafe.Pointer(&e.handle)), withoutTiming)); err != nil {
		return nil, err
	}
	if err := failure("cuEventRecord", q.device.do(driver.eventRecord, e.handle, q.handle)); err != nil {
		e.Release()
		return nil, err
	}
	return e, nil
}

// Wait keeps later works back. Events are of any context.
func (q *queue) Wait(ev devices.Event) error {
	e, ok := ev.(*event)
	if !ok {
		return status.Errorf(status.Internal, "CUDA: a queue cannot wait for another driver's event")
	}
	return failure("cuStreamWaitEvent", q.device.do(driver.streamWaitEvent, q.handle, e.handle, 0))
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
		e.device.do(driver.eventDestroy, e.handle)
	}
}
