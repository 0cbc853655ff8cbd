package simulated

import (
	"regexp"
	"strconv"
	"strings"
	"sync"

	"github.com/troupe-go/troupe/devices/cuda/ptx"
	"github.com/troupe-go/troupe/devices/dynamic"
)

// A module is code that was loaded.
type module struct {
	context *context
	code    *ptx.Module
	globals []*memory
}

// A function is an entry of a module.
type function struct {
	of    *module
	entry *ptx.Entry
}

// parsed keeps modules without variables by their text: to parse is what takes most time
// where devices are opened often.
var parsed sync.Map

func parse(text string) (*ptx.Module, error) {
	if code, ok := parsed.Load(text); ok {
		return code.(*ptx.Module), nil
	}
	code, err := ptx.Parse(text)
	if err == nil && len(code.Globals) == 0 {
		parsed.Store(text, code)
	}
	return code, err
}

// isa matches the version of the language that a text of PTX begins with.
var isa = regexp.MustCompile(`(?m)^\.version (\d+)\.(\d+)`)

// releaseOf returns the first of CUDA's releases whose driver knows a text's version of PTX, as in
// NVIDIA's list: 8.0 came with 12.0, and so on.
func releaseOf(text string) int {
	found := isa.FindStringSubmatch(text)
	if found == nil {
		return 0
	}
	major, _ := strconv.Atoi(found[1])
	minor, _ := strconv.Atoi(found[2])
	switch {
	case major < 8:
		return 0
	case major > 8:
		return 13000 + 10*minor
	case minor > 5: // 12.5 and 12.6 have 8.5
		minor++
	}
	return 12000 + 10*minor
}

func moduleLoad(out, image uintptr) int32 {
	m, c, r := inContext("cuModuleLoadData")
	defer m.mu.Unlock()
	if r != success {
		return r
	}
	text := dynamic.Text(image)
	if strings.HasPrefix(text, "\x7fELF") {
		m.mistake("cuModuleLoadData is given machine code; the simulated device takes PTX")
		return noBinaryForGPU
	}
	if releaseOf(text) > m.options.Driver {
		return unsupportedPTX
	}
	code, err := parse(text)
	if err != nil {
		m.mistake("cuModuleLoadData: %v", err)
		return invalidPTX
	}
	for _, e := range code.Entries {
		if e.Shared > sharedBytes {
			m.mistake("%s shares %d bytes; a block has %d", e.Name, e.Shared, sharedBytes)
			return invalidPTX
		}
	}
	x := &module{context: c, code: code}
	for i := range code.Globals {
		g := &code.Globals[i]
		window := uint64(ptx.FirstWindow + len(m.windows))
		mem := &memory{context: c, address: ptx.Address(window), bytes: make([]byte, g.Size)}
		copy(mem.bytes, g.Init)
		m.windows[window] = mem
		g.Address = mem.address
		c.device.used += g.Size
		x.globals = append(x.globals, mem)
	}
	c.modules[x] = struct{}{}
	put64(out, uint64(m.add(x)))
	return success
}

func moduleFunction(out, h, name uintptr) int32 {
	m, c, r := inContext("cuModuleGetFunction")
	defer m.mu.Unlock()
	if r != success {
		return r
	}
	x, ok := handle[*module](m, "cuModuleGetFunction", h)
	if !ok || x.context != c {
		return invalidHandle
	}
	entry := x.code.Entries[dynamic.Text(name)]
	if entry == nil {
		return notFound
	}
	put64(out, uint64(m.add(&function{x, entry})))
	return success
}

func moduleUnload(h uintptr) int32 {
	m, c, r := inContext("cuModuleUnload")
	defer m.mu.Unlock()
	if r != success {
		return r
	}
	x, ok := handle[*module](m, "cuModuleUnload", h)
	if !ok || x.context != c {
		return invalidHandle
	}
	for _, g := range x.globals {
		g.free()
	}
	delete(c.modules, x)
	delete(m.handles, h)
	for h, f := range m.handles {
		if f, ok := f.(*function); ok && f.of == x {
			delete(m.handles, h)
		}
	}
	return success
}

// Limits of a launch, which all devices have.
const (
	mostGroups  = 65535 // in y and z
	mostThreads = 1024  // of a block, and in x and y
	mostDeep    = 64    // threads in z
	sharedBytes = 48 << 10
)

func launch(fn uintptr, gx, gy, gz, bx, by, bz, shared uint32, on, params, extra uintptr) int32 {
	const name = "cuLaunchKernel"
	m, c, r := inContext(name)
	defer m.mu.Unlock()
	if r != success {
		return r
	}
	f, ok := handle[*function](m, name, fn)
	if !ok || f.of.context != c {
		return invalidHandle
	}
	s, r := m.streamOf(c, name, on)
	if r != success {
		return r
	}
	switch e := f.entry; {
	case gx == 0 || gy == 0 || gz == 0 || bx == 0 || by == 0 || bz == 0,
		gx > 1<<31-1 || gy > mostGroups || gz > mostGroups,
		bx > mostThreads || by > mostThreads || bz > mostDeep || bx*by*bz > mostThreads,
		extra != 0 || params == 0 && len(e.Params) > 0:
		return invalidValue
	case shared+uint32(e.Shared) > sharedBytes:
		return outOfResources
	}
	l := &ptx.Launch{Grid: [3]uint32{gx, gy, gz}, Block: [3]uint32{bx, by, bz}, Params: make([]byte, f.entry.ParamBytes()), Workers: m.options.Workers, Seed: m.rng.Uint64()}
	for i, p := range f.entry.Params { // the driver copies them before it returns
		from := uintptr(get64(params + uintptr(8*i)))
		if from == 0 {
			m.mistake("%s: parameter %d has no address", f.entry.Name, i)
			return invalidValue
		}
		copy(l.Params[p.Offset:], raw(from, p.Size))
	}
	w := &work{name: f.entry.Name}
	l.Memory = func(window uint64, write bool) []byte {
		m.mu.Lock()
		defer m.mu.Unlock()
		x := m.windows[window]
		if x == nil || x.freed || x.context != c {
			return nil
		}
		m.use(x, w, write)
		return x.bytes
	}
	w.run = func() int32 {
		err := f.entry.Run(l)
		if err == nil {
			return success
		}
		m.mu.Lock()
		defer m.mu.Unlock()
		if c.failed != 0 { // its memory has gone meanwhile
			return c.failed
		}
		m.mistake("%v", err)
		switch fault, ok := err.(*ptx.Fault); {
		case !ok:
			return launchFailed
		case fault.Misaligned:
			return misaligned
		}
		return illegalAddress
	}
	s.put(w)
	return success
}
