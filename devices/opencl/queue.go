package opencl

import (
	"context"
	"sync/atomic"
	"unsafe"

	"github.com/troupe-go/troupe/devices"
	"github.com/troupe-go/troupe/status"
)

// A queue is a [devices.Queue]: an in-order command queue.
type queue struct {
	device  *Device
	handle  uintptr
	kernels map[*devices.Code]uintptr // of this queue alone: arguments are set in them
	// What calls point to, kept here so that a call allocates nothing.
	global, local [3]uintptr
	value         uint64
	event         uintptr
}

// NewQueue makes a queue.
func (d *Device) NewQueue(string) (devices.Queue, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.closed {
		return nil, d.gone()
	}
	var r int32
	handle := api.createCommandQueue.Call(d.context, d.id, 0, uintptr(unsafe.Pointer(&r)))
	if err := failure("clCreateCommandQueue", r); err != nil {
		return nil, err
	}
	q := &queue{device: d, handle: handle, kernels: map[*devices.Code]uintptr{}}
	d.queues = append(d.queues, q)
	return q, nil
}

// Write copies from the host.
func (q *queue) Write(dst devices.Buffer, src devices.HostBuffer, n int64) error {
	to, from := dst.(*buffer), src.(*hostBuffer)
	if err := devices.CheckCopy(n, to.size, from.Size()); err != nil {
		return err
	}
	return failure("clEnqueueWriteBuffer", int32(api.enqueueWriteBuffer.Call(q.handle, to.handle, 0, 0, uintptr(n),
		uintptr(unsafe.Pointer(&from.bytes[0])), 0, 0, 0)))
}

// Read copies to the host.
func (q *queue) Read(dst devices.HostBuffer, src devices.Buffer, n int64) error {
	to, from := dst.(*hostBuffer), src.(*buffer)
	if err := devices.CheckCopy(n, to.Size(), from.size); err != nil {
		return err
	}
	return failure("clEnqueueReadBuffer", int32(api.enqueueReadBuffer.Call(q.handle, from.handle, 0, 0, uintptr(n),
		uintptr(unsafe.Pointer(&to.bytes[0])), 0, 0, 0)))
}

// Copy copies within the device, or from another in its context.
func (q *queue) Copy(dst, src devices.Buffer, n int64) error {
	to, from := dst.(*buffer), src.(*buffer)
	if err := devices.CheckCopy(n, to.size, from.size); err != nil {
		return err
	}
	return failure("clEnqueueCopyBuffer", int32(api.enqueueCopyBuffer.Call(q.handle, from.handle, to.handle, 0, 0, uintptr(n), 0, 0, 0)))
}

// Launch executes code.
func (q *queue) Launch(l *devices.Launch) error {
	k, ok := q.kernels[l.Code]
	if !ok {
		var err error
		if k, err = q.device.kernel(l.Code); err != nil {
			return err
		}
		q.kernels[l.Code] = k
	}
	for i, a := range l.Args {
		size := uintptr(a.Bytes)
		q.value = a.Bits
		if a.Buffer != nil {
			b, ok := a.Buffer.(*buffer)
			if !ok || b.device != q.device {
				return status.Errorf(status.Internal, "%s: argument %d is not memory of %s", l.Code.Entry, i, q.device.attributes.Name)
			}
			q.value, size = uint64(b.handle), unsafe.Sizeof(b.handle)
		}
		if r := int32(api.setKernelArg.Call(k, uintptr(i), size, uintptr(unsafe.Pointer(&q.value)))); r != 0 {
			return status.Within(failure("clSetKernelArg", r), "%s: argument %d", l.Code.Entry, i)
		}
	}
	threads := 1
	for i := range 3 {
		if l.Groups[i] < 1 || l.Size[i] < 1 {
			return status.Errorf(status.Internal, "%s is launched in %v groups of %v threads", l.Code.Entry, l.Groups, l.Size)
		}
		q.local[i], q.global[i] = uintptr(l.Size[i]), uintptr(l.Size[i]*l.Groups[i])
		threads *= l.Size[i]
	}
	if threads > q.device.mostSize {
		return status.Errorf(status.Unimplemented, "%s needs groups of %d threads, %s has up to %d", l.Code.Entry, threads, q.device.attributes.Name, q.device.mostSize)
	}
	if r := int32(api.enqueueNDRangeKernel.Call(q.handle, k, 3, 0, uintptr(unsafe.Pointer(&q.global[0])), uintptr(unsafe.Pointer(&q.local[0])), 0, 0, 0)); r != 0 {
		return status.Within(failure("clEnqueueNDRangeKernel", r), "%s", l.Code.Entry)
	}
	return nil
}

// Record returns an event.
func (q *queue) Record() (devices.Event, error) {
	if err := failure("clEnqueueMarkerWithWaitList", int32(api.enqueueMarkerWithWaitList.Call(q.handle, 0, 0, uintptr(unsafe.Pointer(&q.event))))); err != nil {
		return nil, err
	}
	return &event{queue: q, handle: q.event}, nil
}

// Wait keeps later commands back.
func (q *queue) Wait(ev devices.Event) error {
	e, ok := ev.(*event)
	if !ok || e.queue.device.shared != q.device.shared {
		return status.Errorf(status.Internal, "OpenCL: a queue cannot wait for the event of another context")
	}
	if err := e.flush(); err != nil {
		return err
	}
	q.event = e.handle
	return failure("clEnqueueBarrierWithWaitList", int32(api.enqueueBarrierWithWaitList.Call(q.handle, 1, uintptr(unsafe.Pointer(&q.event)), 0)))
}

// Flush has the driver begin.
func (q *queue) Flush() error { return failure("clFlush", int32(api.flush.Call(q.handle))) }

// Close does nothing: a queue ends with its device.
func (q *queue) Close() error { return nil }

// An event is a [devices.Event]: a marker.
type event struct {
	queue   *queue
	handle  uintptr
	flushed atomic.Bool
}

// flush has the driver begin with what the event waits for, before anybody waits for
// the event.
func (e *event) flush() error {
	if e.flushed.Swap(true) {
		return nil
	}
	return e.queue.Flush()
}

// Notify calls done when the queue has passed the event.
func (e *event) Notify(done func(error)) {
	if err := e.queue.device.completed.expect(e.handle, done); err != nil {
		done(err)
		return
	}
	if err := e.flush(); err != nil { // then the callback comes with an error
		return
	}
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

// Release forgets the event; the driver keeps what it needs.
func (e *event) Release() { api.releaseEvent.Call(e.handle) }
