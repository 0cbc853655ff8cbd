package kernel

import (
	"sync"

	"github.com/troupe-go/troupe/tensor"
)

// A SharedScratch holds pieces of memory of one size, one for each range of work that
// may run at the same time. It can be opened again and again.
type SharedScratch[T tensor.Element] struct {
	value tensor.Value
	dims  [2]int64

	mu   sync.Mutex
	back sync.Cond
	idle [][]T
}

// NewDesk returns a desk that is open: n pieces of that many elements of dtype dt.
func NewDesk[T tensor.Element](ctx *Context, dt tensor.DType, n, size int) (*SharedScratch[T], error) {
	d := &SharedScratch[T]{}
	return d, d.Open(ctx, dt, n, size)
}

// Open is NewDesk for a desk that was freed, or never opened.
func (d *SharedScratch[T]) Open(ctx *Context, dt tensor.DType, n, size int) (err error) {
	d.back.L = &d.mu
	d.dims = [2]int64{int64(n), int64(size)}
	if d.value, err = ctx.Alloc(dt, d.dims[:]); err != nil {
		return err
	}
	all := tensor.Of[T](&d.value)
	for i := range n {
		d.idle = append(d.idle, all[i*size:][:size:size])
	}
	return nil
}

// Take waits for a free piece. The holder of a piece works with it without waiting.
func (d *SharedScratch[T]) Take() []T {
	d.mu.Lock()
	defer d.mu.Unlock()
	for len(d.idle) == 0 {
		d.back.Wait()
	}
	last := len(d.idle) - 1
	m := d.idle[last]
	d.idle = d.idle[:last]
	return m
}

func (d *SharedScratch[T]) GiveBack(m []T) {
	d.mu.Lock()
	d.idle = append(d.idle, m)
	d.mu.Unlock()
	d.back.Signal()
}

// Free gives back the memory itself, all pieces of which have been given back.
func (d *SharedScratch[T]) Free(ctx *Context) {
	clear(d.idle)
	d.idle = d.idle[:0]
	ctx.Free(d.value)
	d.value = tensor.Value{}
}
