package vec

import (
	"sync"
	"unsafe"
)

// A scratch is memory for packed operands, used again and again.
type scratch[T Number] struct{ s []T }

// A reserve keeps what is used again, in one pool for float32 and one for
// other elements.
type reserve [2]sync.Pool

func of[T Number](r *reserve) *sync.Pool {
	var z T
	return &r[min(unsafe.Sizeof(z)/8, 1)]
}

var scratches reserve

// borrow takes a scratch of n elements, of any value.
func borrow[T Number](n int) *scratch[T] {
	b, _ := of[T](&scratches).Get().(*scratch[T])
	if b == nil {
		b = &scratch[T]{}
	}
	if cap(b.s) < n {
		b.s = make([]T, n)
	}
	b.s = b.s[:n]
	return b
}

func (b *scratch[T]) giveBack() { of[T](&scratches).Put(b) }
