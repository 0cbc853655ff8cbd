package simulated

import (
	"github.com/troupe-go/troupe/devices/dynamic"
)

// Results that functions answer.
const (
	success            int32 = 0
	invalidValue       int32 = 1
	outOfMemory        int32 = 2
	peerUnsupported    int32 = 217
	unsupportedPTX     int32 = 222
	peerEnabled        int32 = 704
	invalidDevice      int32 = 101
	invalidContext     int32 = 201
	noBinaryForGPU     int32 = 209
	invalidPTX         int32 = 218
	invalidHandle      int32 = 400
	notFound           int32 = 500
	notReady           int32 = 600
	illegalAddress     int32 = 700
	outOfResources     int32 = 701
	contextIsDestroyed int32 = 709
	misaligned         int32 = 716
	launchFailed       int32 = 719
)

var resultNames = map[int32]string{
	success: "CUDA_SUCCESS", invalidValue: "CUDA_ERROR_INVALID_VALUE", outOfMemory: "CUDA_ERROR_OUT_OF_MEMORY", invalidDevice: "CUDA_ERROR_INVALID_DEVICE",
	invalidContext: "CUDA_ERROR_INVALID_CONTEXT", noBinaryForGPU: "CUDA_ERROR_NO_BINARY_FOR_GPU", invalidPTX: "CUDA_ERROR_INVALID_PTX",
	invalidHandle: "CUDA_ERROR_INVALID_HANDLE", notFound: "CUDA_ERROR_NOT_FOUND", notReady: "CUDA_ERROR_NOT_READY", illegalAddress: "CUDA_ERROR_ILLEGAL_ADDRESS",
	outOfResources: "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES", contextIsDestroyed: "CUDA_ERROR_CONTEXT_IS_DESTROYED", misaligned: "CUDA_ERROR_MISALIGNED_ADDRESS",
	launchFailed: "CUDA_ERROR_LAUNCH_FAILED",
}

// A context is a device's primary one, in one life.
type context struct {
	machine *Machine
	device  *device
	handle  uintptr
	failed  int32 // what ended it; 0 while it lives
	over    bool  // it was destroyed
	lost    bool  // it failed, or was reset
	streams map[*stream]struct{}
	mems    map[*memory]struct{} // also of the host
	events  map[*event]struct{}
	modules map[*module]struct{}
	handles map[*blasHandle]struct{}
	peers   map[*context]bool // whose memory may be reached directly
}

// fail ends the context: what streams have is not done any more.
func (c *context) fail(result int32) {
	if c.failed == 0 {
		c.failed = result
	}
	for s := range c.streams {
		s.wake.Broadcast()
		s.empty.Broadcast()
	}
	c.machine.marked.Broadcast()
}

// destroy ends a device's context and records what it still has. The machine is locked.
func (m *Machine) destroy(d *device) {
	c := d.context
	d.context = nil
	if c == nil {
		return
	}
	if c.failed == 0 {
		leaks := map[string]int{"streams": len(c.streams), "pieces of memory": len(c.mems), "events": len(c.events), "modules": len(c.modules), "handles of cuBLAS": len(c.handles)}
		for what, n := range leaks {
			if n > 0 {
				m.mistake("the context of device %d ends with %d %s", d.number, n, what)
			}
		}
	}
	c.lost = c.lost || c.failed != success
	c.fail(contextIsDestroyed)
	c.over = true
	for s := range c.streams {
		s.closed = true
		s.wake.Broadcast()
	}
	for x := range c.mems {
		x.free()
	}
	for h, x := range m.handles {
		var of *context
		switch x := x.(type) {
		case *stream:
			of = x.context
		case *event:
			of = x.context
		case *module:
			of = x.context
		case *function:
			of = x.of.context
		case *blasHandle:
			of = x.context
		}
		if of == c {
			delete(m.handles, h)
		}
	}
}

// inContext begins a call that needs a context on its thread. The machine is locked, also
// if there is none.
func inContext(function string) (*Machine, *context, int32) {
	m := enter(function)
	all := m.currents[dynamic.Thread()]
	if len(all) == 0 {
		m.mistake("%s is called on a thread that has no context", function)
		return m, nil, invalidContext
	}
	c := all[len(all)-1]
	return m, c, c.failed
}

// deviceOf finds a device by its number.
func (m *Machine) deviceOf(function string, number int32) (*device, int32) {
	if number < 0 || int(number) >= len(m.devices) {
		m.mistake("%s is given device %d of %d", function, number, len(m.devices))
		return nil, invalidDevice
	}
	return m.devices[number], success
}

func retain(out uintptr, number int32) int32 {
	m := enter("cuDevicePrimaryCtxRetain")
	defer m.mu.Unlock()
	d, r := m.deviceOf("cuDevicePrimaryCtxRetain", number)
	if r != success {
		return r
	}
	if d.context == nil {
		d.context = &context{machine: m, device: d, streams: map[*stream]struct{}{}, mems: map[*memory]struct{}{}, events: map[*event]struct{}{}, modules: map[*module]struct{}{}, handles: map[*blasHandle]struct{}{}, peers: map[*context]bool{}}
		d.context.handle = m.add(d.context)
	}
	d.refs++
	put64(out, uint64(d.context.handle))
	return success
}

func release(number int32) int32 {
	m := enter("cuDevicePrimaryCtxRelease")
	defer m.mu.Unlock()
	d, r := m.deviceOf("cuDevicePrimaryCtxRelease", number)
	if r != success {
		return r
	}
	if d.refs == 0 {
		m.mistake("cuDevicePrimaryCtxRelease of device %d, whose context nobody has", number)
		return invalidContext
	}
	if d.refs--; d.refs == 0 {
		m.destroy(d)
	}
	return success
}

// reset ends the context for all who have it.
func reset(number int32) int32 {
	m := enter("cuDevicePrimaryCtxReset")
	defer m.mu.Unlock()
	d, r := m.deviceOf("cuDevicePrimaryCtxReset", number)
	if r == success {
		if d.context != nil {
			d.context.lost = true
		}
		m.destroy(d)
	}
	return r
}

func pushCurrent(h uintptr) int32 {
	const name = "cuCtxPushCurrent"
	m := enter(name)
	defer m.mu.Unlock()
	c, ok := handle[*context](m, name, h)
	switch {
	case !ok:
		return invalidContext
	case c.over:
		m.mistake("%s is given a context that was destroyed", name)
		return contextIsDestroyed
	}
	thread := dynamic.Thread()
	m.currents[thread] = append(m.currents[thread], c)
	return success
}

func popCurrent(out uintptr) int32 {
	m := enter("cuCtxPopCurrent")
	defer m.mu.Unlock()
	thread := dynamic.Thread()
	all := m.currents[thread]
	if len(all) == 0 {
		m.mistake("cuCtxPopCurrent is called on a thread that has no context")
		return invalidContext
	}
	if out != 0 {
		put64(out, uint64(all[len(all)-1].handle))
	}
	if all = all[:len(all)-1]; len(all) == 0 {
		delete(m.currents, thread)
	} else {
		m.currents[thread] = all
	}
	return success
}

func synchronize() int32 {
	m, c, r := inContext("cuCtxSynchronize")
	defer m.mu.Unlock()
	if r != success {
		return r
	}
	for s := range c.streams {
		for len(s.works) > 0 && c.failed == 0 {
			s.empty.Wait()
		}
	}
	return c.failed
}
