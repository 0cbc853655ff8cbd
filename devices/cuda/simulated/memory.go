package simulated

import (
	"encoding/binary"
	"unsafe"

	"github.com/troupe-go/troupe/devices/cuda/ptx"
	"github.com/troupe-go/troupe/devices/dynamic"
)

// A memory is one allocation, of a device or of the host.
type memory struct {
	context *context
	address uint64
	bytes   []byte // nil when it was given back; the host's stay
	host    bool
	freed   bool
	history history
}

// free gives it back. The machine is locked.
func (x *memory) free() {
	if !x.host {
		x.context.device.used -= int64(len(x.bytes))
		x.bytes = nil
	}
	x.freed = true
	delete(x.context.mems, x)
}

// poison fills memory with what no program should see: NaN, and -1.
func poison(b []byte) {
	if len(b) > 0 {
		b[0] = 0xff
	}
	for n := 1; n < len(b); n *= 2 {
		copy(b[n:], b[:n])
	}
}

// raw returns the caller's memory at an address.
func raw(address uintptr, n int) []byte { return dynamic.Bytes(address, int64(n)) }

func put32(address uintptr, v uint32)  { binary.NativeEndian.PutUint32(raw(address, 4), v) }
func put64(address uintptr, v uint64)  { binary.NativeEndian.PutUint64(raw(address, 8), v) }
func get64(address uintptr) uint64     { return binary.NativeEndian.Uint64(raw(address, 8)) }
func pointer(b []byte) uintptr         { return uintptr(unsafe.Pointer(unsafe.SliceData(b))) }
func inside(at, n uint64, of int) bool { return at <= uint64(of) && n <= uint64(of)-at }

func alloc(out uintptr, n uint64) int32 {
	m, c, r := inContext("cuMemAlloc")
	defer m.mu.Unlock()
	switch {
	case r != success:
		return r
	case n == 0:
		return invalidValue
	case n > uint64(m.options.Memory-m.options.Taken-c.device.used):
		return outOfMemory
	}
	window := uint64(ptx.FirstWindow + len(m.windows))
	x := &memory{context: c, address: ptx.Address(window), bytes: make([]byte, n)}
	poison(x.bytes)
	c.device.used += int64(n)
	m.windows[window] = x
	c.mems[x] = struct{}{}
	put64(out, x.address)
	return success
}

func free(address uint64) int32 {
	m, c, r := inContext("cuMemFree")
	defer m.mu.Unlock()
	if r != success {
		return r
	}
	window, offset := ptx.Window(address)
	x := m.windows[window]
	switch {
	case x == nil || x.freed || offset != 0:
		m.mistake("cuMemFree is given %#x, where no memory begins that is allocated", address)
		return invalidValue
	case x.context != c:
		m.mistake("cuMemFree is given memory of another context")
		return invalidContext
	}
	m.idle(x, "cuMemFree")
	x.free()
	return success
}

// idle records that memory is given back while a stream has works that use it, as far as
// that can be known before they run.
func (m *Machine) idle(x *memory, function string) {
	if w, busy := m.user(x); busy {
		var unless []*context
		if w.stream.context != x.context {
			unless = []*context{w.stream.context, x.context}
		}
		m.mistakeUnless(unless, "%s of memory that %s of stream %d is going to use", function, w.name, w.stream.number)
	}
}

// user returns a work that is known to use memory and is not done.
func (m *Machine) user(x *memory) (*work, bool) {
	for _, d := range m.devices {
		if d.context == nil {
			continue
		}
		for s := range d.context.streams {
			for _, w := range s.works {
				for _, u := range w.uses {
					if u.of == x {
						return w, true
					}
				}
			}
		}
	}
	return nil, false
}

func hostAlloc(out uintptr, n uint64, _ uint32) int32 {
	m, c, r := inContext("cuMemHostAlloc")
	defer m.mu.Unlock()
	switch {
	case r != success:
		return r
	case n == 0:
		return invalidValue
	}
	b, err := dynamic.Pages(int64(n))
	if err != nil {
		return outOfMemory
	}
	x := &memory{context: c, bytes: b, host: true, address: uint64(pointer(b))}
	poison(b)
	m.hosts = append(m.hosts, x)
	c.mems[x] = struct{}{}
	put64(out, x.address)
	return success
}

func hostFree(address uintptr) int32 {
	m, _, r := inContext("cuMemFreeHost")
	defer m.mu.Unlock()
	if r != success {
		return r
	}
	for _, x := range m.hosts {
		if x.address == uint64(address) && !x.freed {
			m.idle(x, "cuMemFreeHost")
			x.free()
			return success
		}
	}
	m.mistake("cuMemFreeHost is given %#x, where no memory begins that is allocated", address)
	return invalidValue
}

// find returns the memory of a device that has so many bytes at an address.
func (m *Machine) find(c *context, function string, address, n uint64) (*memory, uint64, bool) {
	window, offset := ptx.Window(address)
	x := m.windows[window]
	if x == nil || x.freed || x.context != c || !inside(offset, n, len(x.bytes)) {
		m.mistake("%s is given %d bytes at %#x, which are not allocated on the device", function, n, address)
		return nil, 0, false
	}
	return x, offset, true
}

// findHost returns the same of the host's page-locked memory: copies from and to other memory
// would wait.
func (m *Machine) findHost(function string, address uintptr, n uint64) (*memory, uint64, bool) {
	for _, x := range m.hosts {
		if !x.freed && uint64(address) >= x.address && inside(uint64(address)-x.address, n, len(x.bytes)) {
			return x, uint64(address) - x.address, true
		}
	}
	m.mistake("%s is given %d bytes of the host's at %#x, which are not page-locked", function, n, address)
	return nil, 0, false
}

func copyIn(to uint64, from uintptr, n uint64, on uintptr) int32 {
	const name = "cuMemcpyHtoDAsync"
	m, c, r := inContext(name)
	defer m.mu.Unlock()
	if r != success {
		return r
	}
	s, r := m.streamOf(c, name, on)
	dst, at, ok1 := m.find(c, name, to, n)
	src, fromAt, ok2 := m.findHost(name, from, n)
	if r != success || !ok1 || !ok2 || n == 0 {
		return max(r, invalidValue)
	}
	s.put(&work{name: name, uses: []use{{src, false}, {dst, true}}, run: func() int32 { return moveBytes(dst, at, src, fromAt, n) }})
	return success
}

func copyOut(to uintptr, from uint64, n uint64, on uintptr) int32 {
	const name = "cuMemcpyDtoHAsync"
	m, c, r := inContext(name)
	defer m.mu.Unlock()
	if r != success {
		return r
	}
	s, r := m.streamOf(c, name, on)
	dst, at, ok1 := m.findHost(name, to, n)
	src, fromAt, ok2 := m.find(c, name, from, n)
	if r != success || !ok1 || !ok2 || n == 0 {
		return max(r, invalidValue)
	}
	if _, busy := m.user(dst); !busy {
		poison(dst.bytes[at : at+n]) // who reads it before it is written reads that
	}
	s.put(&work{name: name, uses: []use{{src, false}, {dst, true}}, run: func() int32 { return moveBytes(dst, at, src, fromAt, n) }})
	return success
}

func copyWithin(to, from, n uint64, on uintptr) int32 {
	const name = "cuMemcpyDtoDAsync"
	m, c, r := inContext(name)
	defer m.mu.Unlock()
	if r != success {
		return r
	}
	s, r := m.streamOf(c, name, on)
	dst, at, ok1 := m.find(c, name, to, n)
	src, fromAt, ok2 := m.find(c, name, from, n)
	if r != success || !ok1 || !ok2 || n == 0 {
		return max(r, invalidValue)
	}
	s.put(&work{name: name, uses: []use{{src, false}, {dst, true}}, run: func() int32 { return moveBytes(dst, at, src, fromAt, n) }})
	return success
}

// copyPeer copies from one context's memory to another's. What comes of a context that
// fails meanwhile is anything.
func copyPeer(to uint64, toContext uintptr, from uint64, fromContext uintptr, n uint64, on uintptr) int32 {
	const name = "cuMemcpyPeerAsync"
	m, c, r := inContext(name)
	defer m.mu.Unlock()
	if r != success {
		return r
	}
	s, r := m.streamOf(c, name, on)
	into, ok1 := handle[*context](m, name, toContext)
	outOf, ok2 := handle[*context](m, name, fromContext)
	if r != success || !ok1 || !ok2 || n == 0 {
		return max(r, invalidValue)
	}
	if outOf.failed != success {
		return outOf.failed
	}
	if !into.peers[outOf] {
		m.staged++
	}
	dst, at, ok1 := m.find(into, name, to, n)
	src, fromAt, ok2 := m.find(outOf, name, from, n)
	if !ok1 || !ok2 {
		return invalidValue
	}
	s.put(&work{name: name, uses: []use{{src, false}, {dst, true}}, run: func() int32 {
		r := moveBytes(dst, at, src, fromAt, n)
		m.mu.Lock()
		defer m.mu.Unlock()
		if outOf.failed != success {
			return success
		}
		return r
	}})
	return success
}

// moveBytes returns what a copy does when its turn has come.
func moveBytes(dst *memory, at uint64, src *memory, from, n uint64) int32 {
	m := dst.context.machine
	m.mu.Lock()
	to, of, gone := dst.bytes, src.bytes, dst.freed || src.freed
	m.mu.Unlock()
	if gone {
		return illegalAddress
	}
	copy(to[at:at+n], of[from:from+n])
	return success
}
