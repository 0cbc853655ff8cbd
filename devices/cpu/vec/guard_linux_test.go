package vec

import (
	"syscall"
	"testing"
	"unsafe"
)

// guarded is memory of n elements that ends where no memory is mapped: a read
// or write beyond it is a fault.
func guarded[T any](t testing.TB, n int) []T {
	t.Helper()
	var z T
	size := int(unsafe.Sizeof(z))
	page := syscall.Getpagesize()
	length := (n*size+page-1)/page*page + page
	m, err := syscall.Mmap(-1, 0, length, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { syscall.Munmap(m) })
	if err := syscall.Mprotect(m[length-page:], syscall.PROT_NONE); err != nil {
		t.Fatal(err)
	}
	if n == 0 {
		return nil
	}
	return unsafe.Slice((*T)(unsafe.Pointer(&m[length-page-n*size])), n)
}
