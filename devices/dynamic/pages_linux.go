//go:build linux && (amd64 || arm64)

package dynamic

import (
	"golang.org/x/sys/unix"

	"github.com/troupe-go/troupe/status"
)

// Pages returns zeroed memory that the collector does not know, so that a library may
// keep its address.
func Pages(bytes int64) ([]byte, error) {
	b, err := unix.Mmap(-1, 0, int(bytes), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE)
	if err != nil {
		return nil, status.Errorf(status.ResourceExhausted, "no %d bytes of memory: %v", bytes, err)
	}
	return b, nil
}

// Free gives pages back.
func Free(b []byte) { unix.Munmap(b) }
