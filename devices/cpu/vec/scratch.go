package vec

import (
	"sync"
	"unsafe"
)

// A Scratch is memory for a short time, such as for packed operands, used again and
// again by who computes on the same core.
type Scratch[T Number] struct{ s []T }

// Slice returns the memory.
func (b *Scratch[T]) Slice() []T { return b.s }

// A reserve keeps what is used again, in one pool for float32 and one for
// other elements.
type reserve [2]sync.Pool

func of[T Number](r *reserve) *sync.Pool {
	var z T
	return &r[min(unsafe.Sizeof(z)/8, 1)]
}

var scratches reserve

// Borrow takes a scratch of n elements, of any value.
func Borrow[T Number](n int) *Scratch[T] {
	b, _ := of[T](&scratches).Get().(*Scratch[T])
	if b == nil {
		b = &Scratch[T]{}
	}
	if cap(b.s) < n {
		b.s = make([]T, n)
	}
	b.s = b.s[:n]
	return b
}

// GiveBack ends the use.
func (b *Scratch[T]) GiveBack() { of[T](&scratches).Put(b) }
