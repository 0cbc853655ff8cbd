package kernel

import (
	"math"
	"unsafe"

	"github.com/troupe-go/troupe/status"
)

// Scratch makes n zero elements for a kernel's own use: a table, a temporary. They are
// charged to the step before they are made, as by [Context.Reserve]; a kernel that
// calls it defers ctx.UnreserveTo(ctx.Reserved()) first.
//
// It is not for functions that Parallel calls, which share a [SharedScratch].
func Scratch[T any](ctx *Context, n int) ([]T, error) {
	size, err := bytesOf[T](n)
	if err != nil {
		return nil, err
	}
	if err := ctx.Reserve(size); err != nil {
		return nil, err
	}
	return make([]T, n), nil
}

// Grow returns s with room for n more elements. Where that takes memory, it is charged
// before it is made, and what s had is given back. It is for what Scratch is for, where
// the size is not known in advance:
//
//	if found, err = kernel.Grow(ctx, found, 1); err != nil {
//		return err
//	}
//	found = append(found, x)
func Grow[T any](ctx *Context, s []T, n int) ([]T, error) {
	if cap(s)-len(s) >= n {
		return s, nil
	}
	room := max(len(s)+n, 2*cap(s), 16)
	if cap(s) >= 1<<20 {
		room = max(len(s)+n, cap(s)+cap(s)/4)
	}
	size, err := bytesOf[T](room)
	if err != nil {
		return s, err
	}
	if err := ctx.Reserve(size); err != nil {
		return s, err
	}
	larger := append(make([]T, 0, room), s...)
	before, _ := bytesOf[T](cap(s))
	ctx.Unreserve(before)
	return larger, nil
}

// bytesOf returns what n elements take.
func bytesOf[T any](n int) (int, error) {
	var x T
	size := max(int(unsafe.Sizeof(x)), 1)
	if n < 0 || n > math.MaxInt/size {
		return 0, status.Errorf(status.ResourceExhausted, "out of memory: %d elements of %d bytes", n, size)
	}
	return n * size, nil
}
