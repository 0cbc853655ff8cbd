package tensor

import (
	"math/bits"
	"strings"
	"sync"
	"unsafe"
)

// The stock has the unused large buffers of all steps of the process: those for which
// arenas have no room, and those that callers release ([Tensor.Release]). A buffer from
// the stock is warm, and needs neither pages from the system nor clearing. Buffers that
// are unused through two garbage collections are freed.
//
// docs/design/2026-11-22-large-buffers.md has the details. Those of 256 KiB and more lie on
// the shelves.
var stock [shelved]sync.Pool // of unsafe.Pointer to 1<<class bytes

// stocked is the smallest class that the stock has, 1 KiB: less is a matter of
// tens of nanoseconds wherever it comes from.
const stocked = 10

// draw is 1<<class bytes of memory without pointers, with anything in it.
func draw(class int) unsafe.Pointer {
	if class >= shelved {
		if p := shelves.take(class); p != nil {
			return p
		}
	} else if p, ok := stock[class].Get().(unsafe.Pointer); ok {
		return p
	}
	return uncleared(1 << class)
}

// stow takes a buffer of an arena to which there is no reference.
func stow(data unsafe.Pointer, bytes int) {
	switch class := bits.Len(uint(bytes - 1)); {
	case class >= shelved:
		shelves.put(class, data)
	case class >= stocked:
		stock[class].Put(data)
	}
}

// uncleared returns fresh memory, without pointers, that has not been cleared: callers
// that request megabytes overwrite them. In Go a strings.Builder provides such memory;
// it is aligned to a page.
func uncleared(size int) unsafe.Pointer {
	var b strings.Builder
	b.Grow(size)
	b.WriteByte(0)
	return unsafe.Pointer(unsafe.StringData(b.String()))
}

// keep declares that t's memory is referred to from elsewhere from now on: the garbage
// collector finds out when it no longer is.
func (t *Tensor) keep() {
	if t.given.Load() {
		t.given.Store(false)
	}
}

// Give is v as its one owner's, outside of all steps, who may release it: for a v
// that is [Value.Exclusive].
func (v Value) Give() *Tensor {
	t := v.Tensor()
	if t.bytes >= 1<<stocked && t.ofClass() {
		t.given.Store(true)
	}
	return t
}

// ofClass reports whether t has a buffer of the arenas' sizes, and no pointers in it.
func (t *Tensor) ofClass() bool {
	return t.origin == lent && !t.dtype.HasPointers() && t.bytes <= 1<<maxClass && t.bytes&(t.bytes-1) == 0
}

// GiveAgain is [Value.Give] to an owner who hands the tensor itself back, by
// [Tensor.Reclaim]: so small ones are used again, too. An inside scalar is stored in
// old, which was reclaimed, if that is one; old may be nil.
func (v Value) GiveAgain(old *Tensor) *Tensor {
	if !v.inside() {
		t := v.Tensor()
		if t.bytes > 0 && t.ofClass() {
			t.given.Store(true)
		}
		return t
	}
	if old == nil || old.origin != single {
		old = v.Tensor()
		old.origin = single
	} else {
		old.dtype, old.n, old.shape = v.t.dtype, 1, old.dims[:0]
		*(*uint64)(old.data) = v.bits
	}
	old.given.Store(true)
	return old
}

// Reclaim takes a small tensor from its one owner, with its header: it may be handed
// to [Arena.Recycle] or [Value.GiveAgain]. False, and t is unchanged, for a large
// tensor, and under the conditions in which [Tensor.Release] does nothing.
func (t *Tensor) Reclaim() bool {
	return t != nil && t.bytes < 1<<stocked && t.given.CompareAndSwap(true, false)
}

// Recycle takes a reclaimed tensor for reuse; false if it cannot use it.
func (a *Arena) Recycle(t *Tensor) bool {
	if t.origin != lent {
		return false
	}
	if t.shared.Load() { // an atomic store takes as long as all the rest
		t.shared.Store(false)
	}
	t.origin, t.refs = resting, 0
	if invariants {
		t.poison()
	}
	class := bits.Len(uint(t.bytes - 1))
	a.held += int64(t.bytes)
	a.free[class] = append(a.free[class], t)
	return true
}

// Release releases a fetched tensor. The memory of a large one is then reused by the
// next step that needs as much, long before a garbage collection would have freed it;
// t is empty afterwards, of shape [0]. For any other tensor, or if t was fed, made a
// constant, or viewed by another tensor since, it does nothing. It is never necessary.
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
