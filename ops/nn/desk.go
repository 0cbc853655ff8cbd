package nn

import (
	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/tensor"
)

// A desk holds pieces of memory of one size, one for each range of work that
// may run at the same time. It can be opened again and again.
type desk[T tensor.Element] struct {
	value tensor.Value
	dims  [2]int64
	idle  chan []T // holds as many as there are
}

// newDesk is a desk that is open: n pieces of that many elements of dtype dt.
func newDesk[T tensor.Element](ctx *kernel.Context, dt tensor.DType, n, size int) (*desk[T], error) {
	d := &desk[T]{}
	return d, d.open(ctx, dt, n, size)
}

func (d *desk[T]) open(ctx *kernel.Context, dt tensor.DType, n, size int) (err error) {
	d.dims = [2]int64{int64(n), int64(size)}
	if d.value, err = ctx.Alloc(dt, d.dims[:]); err != nil {
		return err
	}
	if cap(d.idle) < n {
		d.idle = make(chan []T, n)
	}
	all := tensor.Of[T](&d.value)
	for i := range n {
		d.idle <- all[i*size:][:size:size]
	}
	return nil
}

// take waits for a piece that is free.
func (d *desk[T]) take() []T { return <-d.idle }

func (d *desk[T]) giveBack(m []T) { d.idle <- m }

// free gives back the memory itself, all pieces of which have been given back.
func (d *desk[T]) free(ctx *kernel.Context) {
	for len(d.idle) > 0 {
		<-d.idle
	}
	ctx.Free(d.value)
	d.value = tensor.Value{}
}
