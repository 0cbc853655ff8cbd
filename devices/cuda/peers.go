package cuda

import (
	"github.com/troupe-go/troupe/devices"
	"github.com/troupe-go/troupe/devices/cuda/internal/api"
)

// Reaches says that GPUs copy from each other; the driver takes the way by the host itself
// where the hardware has no other.
func (d *Device) Reaches(other devices.Accelerator) bool {
	o, ok := other.(*Device)
	return ok && o.driver == d.driver
}

// beside calls a function of the driver's that uses what another device has: neither is
// closed meanwhile. If the other one is closed or lost nothing is called: whoever counts on
// it is told by the other's actor, and this device takes no harm.
func (d *Device) beside(other *Device, call func() int32) int32 {
	first, second := d.primary, other.primary
	if first.id > second.id { // in one order, so that nobody waits in a circle
		first, second = second, first
	}
	first.life.RLock()
	defer first.life.RUnlock()
	if first != second {
		second.life.RLock()
		defer second.life.RUnlock()
	}
	switch {
	case d.over:
		return api.ContextIsDestroyed
	case other.over || other.primary.context == 0 || other.primary.lost.Load():
		return 0
	}
	return call()
}

// copyFrom copies from another device's buffer. The stream belongs to the receiver's context.
func (q *queue) copyFrom(to, from *buffer, n int64) error {
	d, other := q.device, from.device
	return d.failure("cuMemcpyPeerAsync", d.beside(other, func() int32 {
		if d.primary == other.primary {
			return d.primary.do(d.driver.MemcpyDtoDAsync, to.address, from.address, uintptr(n), q.handle)
		}
		return d.primary.do(d.driver.MemcpyPeerAsync, to.address, d.primary.context, from.address, other.primary.context, uintptr(n), q.handle)
	}))
}
