package files

import (
	"errors"
	"os"
	"runtime"
	"sync"
	"unsafe"

	"github.com/troupe-go/troupe/status"
)

// A Mapping is a file whose contents are part of the address space: what is read comes
// from the system's cache of files, which all processes share, and takes no memory of the
// process. It ends when nothing refers to the Mapping; who keeps its memory keeps it.
//
// The memory must not be written. Reading what is no longer in the file, because it was
// cut off or its disk fails, is a fault, which ends the process unless the goroutine has
// called [debug.SetPanicOnFault]: then it is a panic, which [Fault] tells from others.
// A file that is overwritten in place changes what is read.
//
// [debug.SetPanicOnFault]: https://pkg.go.dev/runtime/debug#SetPanicOnFault
type Mapping struct{ data []byte }

// Map maps a file of so many bytes, at least one, for reading. It fails with UNIMPLEMENTED
// where [Maps] is false. The file may be closed.
func Map(f *os.File, size int64) (*Mapping, error) {
	if !Maps {
		return nil, status.Errorf(status.Unimplemented, "%s: files are not mapped on %s/%s", f.Name(), runtime.GOOS, runtime.GOARCH)
	}
	if size <= 0 || size != int64(int(size)) {
		return nil, status.Invalid("%s: %d bytes cannot be mapped", f.Name(), size)
	}
	data, err := mapFile(f, int(size))
	if err != nil {
		return nil, status.FromFile(&os.PathError{Op: "mmap", Path: f.Name(), Err: err})
	}
	m := &Mapping{data}
	first := uintptr(unsafe.Pointer(unsafe.SliceData(data)))
	mappings.Lock()
	if mappings.at == nil {
		mappings.at = map[uintptr]mapped{}
	}
	mappings.at[first] = mapped{f.Name(), uintptr(size)}
	mappings.Unlock()
	runtime.AddCleanup(m, unmap, data)
	return m, nil
}

// Bytes returns the file's contents, which must not be written, nor read when the Mapping
// is no longer referred to.
func (m *Mapping) Bytes() []byte { return m.data }

// Drop gives the pages that lie within b, a part of Bytes, back to the system. They are
// brought again when they are read.
func (m *Mapping) Drop(b []byte) { dropPages(b) }

// mappings are those that there are, for [Fault].
var mappings struct {
	sync.RWMutex
	at map[uintptr]mapped // by the first address
}

type mapped struct {
	name string
	size uintptr
}

func unmap(data []byte) {
	mappings.Lock()
	delete(mappings.at, uintptr(unsafe.Pointer(unsafe.SliceData(data))))
	mappings.Unlock()
	_ = unmapFile(data)
}

// Mappings returns how many files are mapped.
func Mappings() int {
	mappings.RLock()
	defer mappings.RUnlock()
	return len(mappings.at)
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
	for first, m := range mappings.at {
		if addr >= first && addr-first < m.size {
			return status.Errorf(status.DataLoss, "%s is mapped into memory, and has been cut off or cannot be read at byte %d", m.name, addr-first)
		}
	}
	return nil
}
