package opencl

import (
	"slices"
	"sync"
	"unsafe"

	"github.com/troupe-go/troupe/devices"
)

// Devices copy from each other's buffers, and wait for each other's events, where they are
// in one context. So a session that opens several devices of a platform has them in one:
// the first that is opened makes it, and the others join it. A device that is opened again,
// since it was lost, does not come back to the context that it was lost in.

// A shared is a context of one or several devices.
type shared struct {
	handle uintptr
	ids    []uintptr        // of the devices that it was made for
	joined map[uintptr]bool // by id: it has been opened in it
	open   int              // devices that are
}

var contexts struct {
	sync.Mutex
	list []*shared
}

// join returns a context for a device, one that it has together with those of wanted that
// are of its platform, if it is among them.
func join(id uintptr, wanted []uintptr) (*shared, error) {
	contexts.Lock()
	defer contexts.Unlock()
	if !slices.Contains(wanted, id) {
		return newContext([]uintptr{id}, id)
	}
	of := platform(id)
	ids := slices.DeleteFunc(slices.Clone(wanted), func(other uintptr) bool { return platform(other) != of })
	for _, s := range contexts.list {
		if len(ids) > 1 && slices.Equal(s.ids, ids) && !s.joined[id] {
			s.joined[id] = true
			s.open++
			return s, nil
		}
	}
	s, err := newContext(ids, id)
	if err != nil && len(ids) > 1 { // one of the others may not be available
		return newContext([]uintptr{id}, id)
	}
	return s, err
}

func newContext(ids []uintptr, id uintptr) (*shared, error) {
	var r int32
	handle := api.createContext.Call(0, uintptr(len(ids)), uintptr(unsafe.Pointer(&ids[0])), 0, 0, uintptr(unsafe.Pointer(&r)))
	if err := failure("clCreateContext", r); err != nil {
		return nil, err
	}
	s := &shared{handle: handle, ids: ids, joined: map[uintptr]bool{id: true}, open: 1}
	contexts.list = append(contexts.list, s)
	return s, nil
}

// leave ends the context with its last device.
func (s *shared) leave() {
	contexts.Lock()
	defer contexts.Unlock()
	if s.open--; s.open == 0 {
		contexts.list = slices.DeleteFunc(contexts.list, func(o *shared) bool { return o == s })
		api.releaseContext.Call(s.handle)
	}
}

// Reaches reports whether the devices are in one context.
func (d *Device) Reaches(other devices.Accelerator) bool {
	o, ok := other.(*Device)
	return ok && o.shared == d.shared
}
