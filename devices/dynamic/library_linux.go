//go:build linux && (amd64 || arm64)

package dynamic

import (
	"strings"
	"unsafe"

	"github.com/ebitengine/purego"
	"golang.org/x/sys/unix"

	"github.com/troupe-go/troupe/status"
)

// A Library is a shared library that stays loaded.
type Library struct {
	Name   string // the one that was found
	handle uintptr
}

// Open loads the first library that there is among names, which are paths or what
// the system's loader looks for. It fails with NOT_FOUND, and what was tried.
func Open(names ...string) (*Library, error) {
	var reasons []string
	for _, name := range names {
		if name == "" {
			continue
		}
		handle, err := purego.Dlopen(name, purego.RTLD_NOW|purego.RTLD_GLOBAL)
		if err == nil {
			return &Library{name, handle}, nil
		}
		reasons = append(reasons, err.Error())
	}
	return nil, status.Errorf(status.NotFound, "no library could be loaded: %s", strings.Join(reasons, "; "))
}

// Resolve looks functions up and puts their addresses into place. It fails with
// NOT_FOUND if one is missing.
func (l *Library) Resolve(functions map[string]*Function) error {
	for name, f := range functions {
		address, err := purego.Dlsym(l.handle, name)
		if err != nil {
			return status.Errorf(status.NotFound, "%s has no function %s: %v", l.Name, name, err)
		}
		*f = Function(address)
	}
	return nil
}

// A Function is a function of a library.
type Function uintptr

// Call calls it with integers and pointers; what it answers is in the lower bits.
// Pointers to Go's memory are converted to uintptr in the call's own expression.
//
//go:uintptrescapes
func (f Function) Call(args ...uintptr) uintptr {
	r, _, _ := purego.SyscallN(uintptr(f), args...)
	return r
}

// Callback is f, a function of integers and pointers that answers a uintptr, for a
// library to call, from any thread. There is room for some 2,000 in a process, and
// none is freed.
func Callback(f any) uintptr { return purego.NewCallback(f) }

// Text returns the string, ended by a zero, that a library has at an address.
func Text(address uintptr) string {
	p := *(*unsafe.Pointer)(unsafe.Pointer(&address)) // the library's memory, which the collector does not know
	var b []byte
	for i := 0; ; i++ {
		c := *(*byte)(unsafe.Add(p, i))
		if c == 0 {
			return string(b)
		}
		b = append(b, c)
	}
}

// Bytes returns the library's memory at an address.
func Bytes(address uintptr, n int64) []byte {
	return unsafe.Slice(*(**byte)(unsafe.Pointer(&address)), n)
}

// Thread returns a number that the running thread has, for what libraries keep for each.
func Thread() int { return unix.Gettid() }
