package files

import (
	"errors"
	"os"
	"runtime"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/troupe-go/troupe/status"
)

// A Mapping is a file whose contents are part of the address space: what is read comes
// from the system's cache of files, which all processes share, and takes no memory of the
// process. It ends when nothing refers to the Mapping; what keeps its memory keeps it.
//
// The memory must not be written. Reading what is no longer in the file, because it was
// cut off or its disk fails, is a fault, which ends the process unless the goroutine has
// called [debug.SetPanicOnFault]: then it is a panic, which [Fault] tells from others.
//
// [debug.SetPanicOnFault]: https://pkg.go.dev/runtime/debug#SetPanicOnFault
type Mapping struct{ data []byte }

// Bytes returns the file's contents, which must not be written, nor read when the Mapping
// is no longer referred to.
func (m *Mapping) Bytes() []byte { return m.data }

// Drop gives the pages that lie within b, a part of Bytes, back to the system. They are
// brought again when they are read.
func (m *Mapping) Drop(b []byte) { dropPages(b) }

// Maps maps files, and knows which of them it has mapped. A nil Maps maps none. It is safe
// for concurrent use.
type Maps struct {
	n   atomic.Int32 // of all
	mu  sync.Mutex
	all map[*mapped]bool
}

// A mapped file is what is known of one while it is mapped.
type mapped struct {
	name string
	data []byte
	file identity
}

func (m *mapped) first() uintptr { return uintptr(unsafe.Pointer(unsafe.SliceData(m.data))) }

// mappings are the files that are mapped in the process, by their first address.
var mappings struct {
	sync.RWMutex
	at map[uintptr]*mapped
}

// Map maps a file, which must not be empty. It fails with UNIMPLEMENTED where [CanMap] is
// false. The file may be closed.
func (m *Maps) Map(f *os.File) (*Mapping, error) {
	if !CanMap || m == nil {
		return nil, status.Errorf(status.Unimplemented, "%s: files are not mapped on %s/%s", f.Name(), runtime.GOOS, runtime.GOARCH)
	}
	file, data, err := mapFile(f)
	if err != nil {
		return nil, status.FromFile(&os.PathError{Op: "mmap", Path: f.Name(), Err: err})
	}
	e := &mapped{f.Name(), data, file}
	mappings.Lock()
	if mappings.at == nil {
		mappings.at = map[uintptr]*mapped{}
	}
	mappings.at[e.first()] = e
	mappings.Unlock()
	m.mu.Lock()
	if m.all == nil {
		m.all = map[*mapped]bool{}
	}
	m.all[e] = true
	m.n.Add(1)
	m.mu.Unlock()
	mapping := &Mapping{data}
	runtime.AddCleanup(mapping, m.unmap, e)
	return mapping, nil
}

func (m *Maps) unmap(e *mapped) {
	m.mu.Lock()
	delete(m.all, e)
	m.n.Add(-1)
	m.mu.Unlock()
	mappings.Lock()
	delete(mappings.at, e.first())
	mappings.Unlock()
	e.file.unmap(e.data)
}

// Len returns how many files are mapped.
func (m *Maps) Len() int {
	if m == nil {
		return 0
	}
	return int(m.n.Load())
}

// Mapped returns the bytes of all files that are mapped in the process.
func Mapped() int64 {
	mappings.RLock()
	defer mappings.RUnlock()
	n := int64(0)
	for _, e := range mappings.at {
		n += int64(len(e.data))
	}
	return n
}

// Check fails with DATA_LOSS if a file that is mapped is not what it was: what was read of
// it since may be anything. It takes a call of the system for each file.
func (m *Maps) Check() error {
	if m.Len() == 0 {
		return nil
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	for e := range m.all {
		if e.file.changed() {
			return status.Errorf(status.DataLoss, "%s has been changed while it is mapped into memory", e.name)
		}
	}
	return nil
}

// Fault returns DATA_LOSS, with the file's name, if r, which recover returned, says that a
// mapped file could not be read; else nil.
func Fault(r any) error {
	err, ok := r.(error)
	if !ok {
		return nil
	}
	var fault interface {
		error
		Addr() uintptr
	}
	if !errors.As(err, &fault) {
		return nil
	}
	addr := fault.Addr()
	mappings.RLock()
	defer mappings.RUnlock()
	for first, e := range mappings.at {
		if addr >= first && addr-first < uintptr(len(e.data)) {
			return status.Errorf(status.DataLoss, "%s is mapped into memory, and has been cut off or cannot be read at byte %d", e.name, addr-first)
		}
	}
	return nil
}
