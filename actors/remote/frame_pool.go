package remote

import (
	"math/bits"
	"sync"

	"google.golang.org/grpc/mem"
)

// A framePool is a pool of gRPC's buffers for what is read. gRPC's own pool clears what it returns,
// which costs as much as a copy.
type framePool struct{}

var _ mem.BufferPool = framePool{}

// largestKept is the class of the largest buffers that are kept, 1 MiB.
const largestKept = 20

var kept [largestKept + 1]sync.Pool // of *[]byte, of 1<<class bytes

// Get returns a buffer with anything in it.
func (framePool) Get(n int) *[]byte {
	class := bits.Len(uint(max(n, 1) - 1))
	if class > largestKept {
		b := make([]byte, n)
		return &b
	}
	b, ok := kept[class].Get().(*[]byte)
	if !ok {
		b = new([]byte)
		*b = make([]byte, 1<<class)
	}
	*b = (*b)[:n]
	return b
}

// Put takes back a buffer of Get's, or a part of one from its beginning.
func (framePool) Put(b *[]byte) {
	*b = (*b)[:cap(*b)]
	if n := len(*b); n > 0 && n <= 1<<largestKept && n&(n-1) == 0 {
		kept[bits.Len(uint(n-1))].Put(b)
	}
}
