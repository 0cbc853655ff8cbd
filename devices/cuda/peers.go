package cuda

import (
	"sync"

	"github.com/troupe-go/troupe/devices"
	"github.com/troupe-go/troupe/devices/dynamic"
)

// memcpyPeerAsync is the driver's function that copies between contexts; it takes the way
// by the host itself where the hardware has no other.
var memcpyPeerAsync = sync.OnceValue(func() (f dynamic.Function) {
	lib, err := open()
	if err != nil || lib.Resolve(map[string]*dynamic.Function{"cuMemcpyPeerAsync": &f}) != nil {
		return 0
	}
	return f
})

// Reaches says that GPUs copy from each other.
func (d *Device) Reaches(other devices.Accelerator) bool {
	_, ok := other.(*Device)
	return ok && memcpyPeerAsync() != 0
}

// copyFrom copies from a GPU with another context. The stream belongs to the receiver's.
func (q *queue) copyFrom(to, from *buffer, n int64) error {
	return failure("cuMemcpyPeerAsync", q.device.do(memcpyPeerAsync(), to.address, q.device.context, from.address, from.device.context, uintptr(n), q.handle))
}
