package cuda

import (
	"unsafe"

	"github.com/troupe-go/troupe/devices"
	"github.com/troupe-go/troupe/devices/cuda/internal/api"
	"github.com/troupe-go/troupe/devices/dynamic"
	"github.com/troupe-go/troupe/status"
)

// A buffer is a [devices.Buffer].
type buffer struct {
	device  *Device
	address uintptr
	size    int64
}

// Alloc returns memory of the device.
func (d *Device) Alloc(bytes int64) (devices.Buffer, error) {
	if bytes < 1 {
		return nil, status.Errorf(status.ResourceExhausted, "%s has no buffers of %d bytes", d.attributes.Name, bytes)
	}
	d.primary.life.RLock() // so that Close finds what was made; the driver may wait for the device
	defer d.primary.life.RUnlock()
	if d.over {
		return nil, d.gone()
	}
	b := &buffer{device: d, size: bytes}
	if err := d.failure("cuMemAlloc", d.primary.do(d.driver.MemAlloc, uintptr(unsafe.Pointer(&b.address)), uintptr(bytes))); err != nil {
		return nil, err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.buffers[b] = struct{}{}
	return b, nil
}

// Size is in bytes.
func (b *buffer) Size() int64 { return b.size }

// Release gives the memory back.
func (b *buffer) Release() {
	b.device.mu.Lock()
	_, ok := b.device.buffers[b]
	ok = ok && !b.device.closed
	if ok {
		delete(b.device.buffers, b)
	}
	b.device.mu.Unlock()
	if ok { // the driver may wait for the device
		b.device.do(b.device.driver.MemFree, b.address)
	}
}

// A hostBuffer is a [devices.HostBuffer], of page-locked memory.
type hostBuffer struct {
	device  *Device
	address uintptr
	size    int64
}

// AllocHost returns memory of the host's.
func (d *Device) AllocHost(bytes int64) (devices.HostBuffer, error) {
	d.primary.life.RLock()
	defer d.primary.life.RUnlock()
	if d.over {
		return nil, d.gone()
	}
	h := &hostBuffer{device: d, size: bytes}
	if err := d.failure("cuMemHostAlloc", d.primary.do(d.driver.MemHostAlloc, uintptr(unsafe.Pointer(&h.address)), uintptr(bytes), api.Portable)); err != nil {
		return nil, err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.hosts[h] = struct{}{}
	return h, nil
}

// Size is in bytes.
func (h *hostBuffer) Size() int64 { return h.size }

// Bytes returns the memory.
func (h *hostBuffer) Bytes() []byte { return dynamic.Bytes(h.address, h.size) }

// Release gives the memory back.
func (h *hostBuffer) Release() {
	h.device.mu.Lock()
	_, ok := h.device.hosts[h]
	ok = ok && !h.device.closed
	if ok {
		delete(h.device.hosts, h)
	}
	h.device.mu.Unlock()
	if ok {
		h.device.do(h.device.driver.MemFreeHost, h.address)
	}
}
