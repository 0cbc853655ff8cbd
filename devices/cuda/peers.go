package cuda

import (
	"unsafe"

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
// closed meanwhile. If the other one is closed or lost nothing is called, or counts: whoever
// needs it is told by the other's actor, and this device takes no harm.
func (d *Device) beside(other *Device, call func() int32) int32 {
	first, second := inOrder(d.primary, other.primary)
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
	r := call()
	if !api.Ends(r) {
		return r
	}
	if d.primary != other.primary && d.primary.lives() {
		other.primary.lost.Store(true)
		return 0
	}
	d.primary.lost.Store(true)
	return r
}

// inOrder puts lives into the order in which they are held, so that nobody waits in a circle.
// Two may be of one GPU.
func inOrder(a, b *primary) (first, second *primary) {
	if a.number > b.number {
		return b, a
	}
	return a, b
}

// approach lets copies reach another GPU's memory directly, where the hardware can; elsewhere
// the driver takes them by way of the host. Both lives are held.
func (p *primary) approach(other *primary) {
	if _, done := p.peers.LoadOrStore(other, nil); done {
		return
	}
	var can int32
	if r := int32(p.driver.DeviceCanAccessPeer.Call(uintptr(unsafe.Pointer(&can)), uintptr(p.id), uintptr(other.id))); r == 0 && can != 0 {
		p.call(p.driver.CtxEnablePeerAccess, other.context, 0) // if it fails the way is longer
	}
}

// copyFrom copies from another device's buffer. The stream belongs to the receiver's context.
func (q *queue) copyFrom(to, from *buffer, n int64) error {
	d, other := q.device, from.device
	return d.failure("cuMemcpyPeerAsync", d.beside(other, func() int32 {
		if d.primary == other.primary {
			return d.primary.call(d.driver.MemcpyDtoDAsync, to.address, from.address, uintptr(n), q.handle)
		}
		d.primary.approach(other.primary)
		return d.primary.call(d.driver.MemcpyPeerAsync, to.address, d.primary.context, from.address, other.primary.context, uintptr(n), q.handle)
	}))
}
