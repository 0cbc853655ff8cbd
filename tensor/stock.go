package tensor

import (
	"math/bits"
	"strings"
	"sync"
	"unsafe"
)

// The stock has large buffers that nobody uses, of all steps of the process:
// what arenas have no room for, and what callers give back ([Tensor.Release]). A buffer that comes from it is warm, and needs neither pages
// from the system nor clearing. Those that rest through two collections go to
// the collector.
//
// docs/design/2026-11-22-large-buffers.md tells the whole story.
var stock [maxClass + 1]sync.Pool // of unsafe.Pointer to 1<<class bytes

// stocked is the smallest class that the stock has, 1 KiB: less is a matter of
// tens of nanoseconds wherever it comes from.
const stocked = 10

// draw is 1<<class bytes of memory without pointers, with anything in it.
func draw(class int) unsafe.Pointer {
	if p, ok := stock[class].Get().(unsafe.Pointer); ok {
		return p
	}
	return uncleared(1 << class)
}

// stow takes a buffer of an arena's that nobody refers to any more.
func stow(data unsafe.Pointer, bytes int) {
	if class := bits.Len(uint(bytes - 1)); class >= stocked {
		stock[class].Put(data)
	}
}

// uncleared is fresh memory, without pointers, that has not been cleared: whoever
// asks for megabytes overwrites them. A strings.Builder is how Go gives such
// memory; it is aligned to a page.
func uncleared(size int) unsafe.Pointer {
	var b strings.Builder
	b.Grow(size)
	b.WriteByte(0)
	return unsafe.Pointer(unsafe.StringData(b.String()))
}

// keep says that somebody beside its owner refers to t's memory from now on: it
// is the collector's to find out when nobody does.
func (t *Tensor) keep() {
	if t.given.Load() {
		t.given.Store(false)
	}
}

// Give is v as its one owner's, outside of all steps, who may release it: for a v
// that is [Value.Exclusive].
func (v Value) Give() *Tensor {
	t := v.Tensor()
	if t.origin == lent && !t.dtype.HasPointers() && t.bytes >= 1<<stocked && t.bytes <= 1<<maxClass && t.bytes&(t.bytes-1) == 0 {
		t.given.Store(true)
	}
	return t
}

// Release gives a fetched tensor up. The memory of a large one is then used by the
// next step that wants as much, long before the collector would have found that
// nobody refers to it; t is empty afterwards, of shape [0]. Of any other tensor,
// or if t was fed, made a constant, or viewed by another tensor since, it does
// nothing. It is never necessary.
//
// It is for t's one owner, who must not look again at a slice that [Data] gave of t.
func (t *Tensor) Release() {
	if t == nil || !t.given.CompareAndSwap(true, false) {
		return
	}
	if invariants {
		t.poison()
	}
	stow(t.data, t.bytes)
	t.data, t.n, t.bytes = nil, 0, 0
	t.setShape([]int64{0})
}
