package cuda

import (
	"runtime"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/troupe-go/troupe/devices/cuda/internal/api"
	"github.com/troupe-go/troupe/devices/dynamic"
)

// A primary is a GPU's primary context in one life. The devices that the process has
// opened on the GPU share it, and lose it together.
type primary struct {
	driver *api.Driver
	id     int32
	number uint64 // of all in the process: who holds two lives takes the lower one first
	users  int
	peers  sync.Map    // of *primary: those whose memory copies were let reach
	lost   atomic.Bool // nothing but to reset it is of use

	life    sync.RWMutex // held while the driver is called
	context uintptr      // 0 once it was reset
}

type gpu struct {
	driver *api.Driver
	id     int32
}

var primaries = struct {
	sync.Mutex
	of   map[gpu]*primary
	made uint64
}{of: map[gpu]*primary{}}

// join returns a GPU's primary context: a new one if the last was lost, also while others have
// not yet closed their devices.
func join(driver *api.Driver, id int32) (*primary, error) {
	primaries.Lock()
	defer primaries.Unlock()
	p := primaries.of[gpu{driver, id}]
	if p != nil && p.lost.Load() {
		p.life.Lock()
		driver.PrimaryCtxReset.Call(uintptr(id)) // if it fails, so does what follows
		p.context = 0
		p.life.Unlock()
		p = nil
	}
	var context uintptr
	if err := driver.Failure("cuDevicePrimaryCtxRetain", int32(driver.PrimaryCtxRetain.Call(uintptr(unsafe.Pointer(&context)), uintptr(id)))); err != nil {
		return nil, err
	}
	if p == nil {
		primaries.made++
		p = &primary{driver: driver, id: id, number: primaries.made, context: context}
		primaries.of[gpu{driver, id}] = p
	}
	p.users++
	return p, nil
}

// leave returns it up.
func (p *primary) leave() error {
	primaries.Lock()
	defer primaries.Unlock()
	if p.users--; p.users == 0 && primaries.of[gpu{p.driver, p.id}] == p {
		delete(primaries.of, gpu{p.driver, p.id})
	}
	return p.driver.Failure("cuDevicePrimaryCtxRelease", int32(p.driver.PrimaryCtxRelease.Call(uintptr(p.id))))
}

// do calls a function on a thread on which the context is current meanwhile, and notes if that
// ends the context. life is held.
//
//go:uintptrescapes
func (p *primary) do(f dynamic.Function, args ...uintptr) int32 {
	r := p.call(f, args...)
	if api.Ends(r) {
		p.lost.Store(true)
	}
	return r
}

// call is do for functions that answer for two contexts: their result may be the other's.
//
//go:uintptrescapes
func (p *primary) call(f dynamic.Function, args ...uintptr) int32 {
	if p.context == 0 {
		return api.ContextIsDestroyed
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	r := int32(p.driver.CtxPushCurrent.Call(p.context))
	if r == 0 {
		r = int32(f.Call(args...))
		p.driver.CtxPopCurrent.Call(0) // what was current is so again
	}
	return r
}

// memory returns how many bytes the GPU has free, and in all.
func (p *primary) memory() (free, total int64, err error) {
	p.life.RLock()
	defer p.life.RUnlock()
	r := p.do(p.driver.MemGetInfo, uintptr(unsafe.Pointer(&free)), uintptr(unsafe.Pointer(&total)))
	return free, total, p.driver.Failure("cuMemGetInfo", r)
}

// lives reports whether the driver still answers for the context. life is held.
func (p *primary) lives() bool {
	var free, total int64
	return !api.Ends(p.call(p.driver.MemGetInfo, uintptr(unsafe.Pointer(&free)), uintptr(unsafe.Pointer(&total))))
}
