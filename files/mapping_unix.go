//go:build (linux || darwin) && (amd64 || arm64)

package files

import (
	"os"
	"unsafe"

	"golang.org/x/sys/unix"
)

// CanMap reports whether files can be mapped: on systems that are tested, and processors that
// load elements from any address, as tensors lie in checkpoints.
const CanMap = true

// An identity is a mapped file as it was.
type identity struct {
	fd       int
	size     int64
	modified unix.Timespec
}

func mapFile(f *os.File) (id identity, data []byte, err error) {
	if id.fd, err = unix.FcntlInt(f.Fd(), unix.F_DUPFD_CLOEXEC, 0); err != nil {
		return id, nil, err
	}
	var s unix.Stat_t
	if err = unix.Fstat(id.fd, &s); err == nil {
		id.size, id.modified = s.Size, modified(&s)
		if err = unix.EINVAL; id.size == int64(int(id.size)) {
			data, err = unix.Mmap(id.fd, 0, int(id.size), unix.PROT_READ, unix.MAP_SHARED)
		}
	}
	if err != nil {
		unix.Close(id.fd)
	}
	return id, data, err
}

func (id *identity) changed() bool {
	var s unix.Stat_t
	return unix.Fstat(id.fd, &s) != nil || s.Size != id.size || modified(&s) != id.modified
}

func (id *identity) unmap(data []byte) {
	_ = unix.Munmap(data)
	_ = unix.Close(id.fd)
}

func dropPages(b []byte) {
	page := uintptr(os.Getpagesize())
	lead := int(-uintptr(unsafe.Pointer(unsafe.SliceData(b))) & (page - 1))
	if whole := (len(b) - lead) &^ int(page-1); whole > 0 {
		_ = unix.Madvise(b[lead:lead+whole], unix.MADV_DONTNEED)
	}
}
