package opencl

import (
	"unsafe"

	"github.com/troupe-go/troupe/devices"
	"github.com/troupe-go/troupe/devices/dynamic"
	"github.com/troupe-go/troupe/status"
)

// A buffer is a [devices.Buffer].
type buffer struct {
	device *Device
	handle uintptr
	size   int64
}

// Alloc returns memory of the device.
func (d *Device) Alloc(bytes int64) (devices.Buffer, error) {
	if bytes < 1 || bytes > d.mostBytes {
		return nil, status.Errorf(status.ResourceExhausted, "%s has no buffers of %d bytes, but up to %d", d.attributes.Name, bytes, d.mostBytes)
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.closed {
		return nil, d.gone()
	}
	var r int32
	handle := api.createBuffer.Call(d.context, readWrite, uintptr(bytes), 0, uintptr(unsafe.Pointer(&r)))
	if err := failure("clCreateBuffer", r); err != nil {
		return nil, err
	}
	b := &buffer{d, handle, bytes}
	d.buffers[b] = struct{}{}
	return b, nil
}

// Size is in bytes.
func (b *buffer) Size() int64 { return b.size }

// Release gives the memory back.
func (b *buffer) Release() {
	b.device.mu.Lock()
	defer b.device.mu.Unlock()
	if _, ok := b.device.buffers[b]; ok && !b.device.closed {
		delete(b.device.buffers, b)
		api.releaseMemObject.Call(b.handle)
	}
}

// A hostBuffer is a [devices.HostBuffer], of pages that the collector does not know.
type hostBuffer struct {
	device *Device
	bytes  []byte
}

// AllocHost returns memory of the host's.
func (d *Device) AllocHost(bytes int64) (devices.HostBuffer, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.closed {
		return nil, d.gone()
	}
	pages, err := dynamic.Pages(bytes)
	if err != nil {
		return nil, err
	}
	h := &hostBuffer{d, pages}
	d.hosts[h] = struct{}{}
	return h, nil
}

// Size is in bytes.
func (h *hostBuffer) Size() int64 { return int64(len(h.bytes)) }

// Bytes returns the memory.
func (h *hostBuffer) Bytes() []byte { return h.bytes }

// Release gives the pages back.
func (h *hostBuffer) Release() {
	h.device.mu.Lock()
	defer h.device.mu.Unlock()
	if _, ok := h.device.hosts[h]; ok && !h.device.closed {
		delete(h.device.hosts, h)
		h.free()
	}
}

func (h *hostBuffer) free() {
	dynamic.Free(h.bytes)
	h.bytes = nil
}
