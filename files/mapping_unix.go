//go:build (linux || darwin) && (amd64 || arm64)

package files

import (
	"os"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Maps reports whether files can be mapped: on systems that are tested, and processors that
// load elements from any address, as tensors lie in checkpoints.
const Maps = true

func mapFile(f *os.File, size int) ([]byte, error) {
	return unix.Mmap(int(f.Fd()), 0, size, unix.PROT_READ, unix.MAP_SHARED)
}

func unmapFile(data []byte) error { return unix.Munmap(data) }

func dropPages(b []byte) {
	page := uintptr(os.Getpagesize())
	first := uintptr(unsafe.Pointer(unsafe.SliceData(b)))
	lead := int(-first & (page - 1))
	if whole := (len(b) - lead) &^ int(page-1); whole > 0 {
		_ = unix.Madvise(b[lead:lead+whole], unix.MADV_DONTNEED)
	}
}
