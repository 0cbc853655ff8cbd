package emulated

import (
	"fmt"

	"github.com/troupe-go/troupe/devices"
	"github.com/troupe-go/troupe/status"
)

// Alloc returns memory of the device.
func (d *Device) Alloc(bytes int64) (devices.Buffer, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := d.failed(); err != nil {
		return nil, err
	}
	if bytes < 1 || bytes > d.attributes.MemoryLimit-d.used {
		return nil, status.Errorf(status.ResourceExhausted, "%s has no room for %d bytes: %d of %d are in use",
			d.attributes.Name, bytes, d.used, d.attributes.MemoryLimit)
	}
	d.used += bytes
	return d.memory(bytes, false), nil
}

// AllocHost returns memory of the host's.
func (d *Device) AllocHost(bytes int64) (devices.HostBuffer, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := d.failed(); err != nil {
		return nil, err
	}
	if bytes < 1 || bytes > d.attributes.MemoryLimit {
		return nil, status.Errorf(status.ResourceExhausted, "%s copies no %d bytes at once", d.attributes.Name, bytes)
	}
	return d.memory(bytes, true), nil
}

// memory makes a piece. It is aligned for any element. The device is locked.
func (d *Device) memory(bytes int64, host bool) *memory {
	d.count++
	name := fmt.Sprintf("buffer %d", d.count)
	if host {
		name = fmt.Sprintf("host buffer %d", d.count)
	}
	m := &memory{device: d, name: name, host: host, size: bytes, bytes: make([]byte, (bytes+7)&^7)}
	fill(m.bytes)
	return m
}

// memoryOf returns a buffer's memory, nil if it is not the device's.
func (d *Device) memoryOf(b devices.Buffer) *memory {
	m, ok := b.(*memory)
	if !ok || m.device != d {
		return nil
	}
	return m
}
