package reduction

import (
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/troupe-go/troupe/devices/cpu/vec"
	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/tensor"
)

// A constantRight keeps the right operand of a product, if that is a constant, in the
// order in which it is read, from the first run on that would else have to order it.
// What that takes is charged to the session until the kernel is gone; where there is
// no room for it nothing is kept. Rows alone and batches are read in different orders.
// All kernels of the process with the same constant share what is ordered ([orders]).
type constantRight[T vec.Number] struct {
	rows, batches atomic.Pointer[heldRight[T]]
	making        sync.Mutex
}

// A heldRight is a kernel's hold on an operand in order, which is charged as long as it is
// there.
type heldRight[T vec.Number] struct{ *orderedRight[T] }

// fewRows is how many rows are read in an order of their own.
const fewRows = 3

// worthKeeping is how many bytes it takes for an order to be kept: less is put in order
// in less time than a product takes.
const worthKeeping = 32 << 10

// of returns the operand y, k×n or transposed, for products of m rows; nil if it is to be
// read where it is. A nil receiver keeps nothing.
func (c *constantRight[T]) of(ctx *kernel.Context, transposed bool, m, n, k int, v tensor.Value, y []T, ldy int) *vec.Right[T] {
	if c == nil {
		return nil
	}
	slot := &c.batches
	if m <= fewRows {
		slot = &c.rows
	}
	if h := slot.Load(); h != nil {
		return h.right
	}
	bytes := vec.RightBytes[T](transposed, m, n, k, ldy)
	if bytes < worthKeeping || !c.making.TryLock() {
		return nil
	}
	defer c.making.Unlock()
	if h := slot.Load(); h != nil {
		return h.right
	}
	budget := ctx.Arena.Budget
	if budget.Charge(bytes) != nil {
		return nil
	}
	h := &heldRight[T]{orderedOf(transposed, m, n, k, v, y, ldy)}
	runtime.AddCleanup(h, func(b *tensor.Budget) { b.Release(bytes) }, budget)
	slot.Store(h)
	return h.right
}

// kept returns the operand for products of m rows, if it has been put in order before.
func (c *constantRight[T]) kept(m int) *vec.Right[T] {
	if c == nil {
		return nil
	}
	slot := &c.batches
	if m <= fewRows {
		slot = &c.rows
	}
	if h := slot.Load(); h != nil {
		return h.right
	}
	return nil
}
