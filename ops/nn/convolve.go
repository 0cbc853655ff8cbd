package nn

import (
	"github.com/troupe-go/troupe/devices/cpu/vec"
	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/tensor"
)

const (
	// panelSize is how many elements of a matrix of patches are made at a time:
	// what half of a core's second cache holds.
	panelSize = 1 << 16
	// panelRows is how many rows of it at least, so that the filters are not
	// read too often.
	panelRows = 56
)

// A convolving multiplies the patches of src by filters.
type convolving[T vec.Number] struct {
	*patches
	rows   int // all positions of all examples
	src    []T
	filter []T
	n, ldb int // columns of the filter, and elements from row to row
	dst    []T
	ldc    int               // from row to row of a line
	place  func(row int) int // where a row of the result begins in dst; nil if lines follow each other, too
	then   epilogue          // nil: nothing is
	kept   *direct[T]        // what direct found out, for who convolves again; nil: not asked, or not so
	asked  bool
}

// An epilogue goes on with a result, of which it is told part by part while these are
// in a cache.
type epilogue interface {
	// finish returns it as what is done with sums before they are stored, if it is such a
	// one: then this is all there is to do. It is called before the first part, and then
	// either all is finished so or begin is called.
	finish(ctx *kernel.Context) (vec.Finish, bool, error)
	// begin is called before the first part; false: there will be none, it goes on
	// when the whole is there.
	begin(ctx *kernel.Context) (bool, error)
	// part is called when elements lo to hi are there, of several parts at the same time.
	part(lo, hi int)
}

// begin reports whether the epilogue is told of parts.
func (c *convolving[T]) begin(ctx *kernel.Context) (bool, error) {
	if c.then == nil || c.place != nil || c.ldc != c.n {
		return false, nil
	}
	return c.then.begin(ctx)
}

// beginSums is begin where sums may be finished before they are stored, by which nothing may be
// left to do.
func (c *convolving[T]) beginSums(ctx *kernel.Context) (f vec.Finish, parts bool, err error) {
	if c.then == nil || c.place != nil || c.ldc != c.n {
		return f, false, nil
	}
	return beginSums(ctx, c.then)
}

// beginSums begins an epilogue, which may be nil, as a Finish if it is one.
func beginSums(ctx *kernel.Context, then epilogue) (f vec.Finish, parts bool, err error) {
	if then == nil {
		return f, false, nil
	}
	f, ok, err := then.finish(ctx)
	if err != nil || ok {
		return f, false, err
	}
	parts, err = then.begin(ctx)
	return vec.Finish{}, parts, err
}

// run computes all rows: directly, or in panels.
func (c *convolving[T]) run(ctx *kernel.Context, dt tensor.DType) error {
	if c.rows == 0 || c.n == 0 {
		return nil
	}
	if d := c.direct(); d != nil {
		return d.run(ctx, dt)
	}
	width := c.width()
	height := min(c.rows, max(panelRows, panelSize/max(width, 1)))
	panels := (c.rows-1)/height + 1
	height = (c.rows-1)/panels + 1
	size := height * width
	if c.place != nil {
		size += height * c.n
	}
	pool := ctx.Step.Pool
	together := min(panels, pool.Workers())
	if 2*panels < 3*pool.Workers() {
		together = 1 // the product of a panel has more to share
	}
	desk, err := kernel.NewDesk[T](ctx, dt, together, size)
	if err != nil {
		return err
	}
	defer desk.Free(ctx)
	if together == 1 {
		pool = vec.PoolOf(ctx, height, c.n, width)
		m := desk.Take()
		for i := 0; i < panels && ctx.Err() == nil; i++ {
			c.panel(ctx, pool, m, i*height, min((i+1)*height, c.rows))
		}
		desk.GiveBack(m)
		return ctx.Err()
	}
	goesOn, err := c.begin(ctx)
	if err != nil {
		return err
	}
	vec.Expect[T](pool, c.rows, c.n, width)
	ctx.Parallel(panels, 1, func(lo, hi int) {
		m := desk.Take()
		for i := lo; i < hi && ctx.Err() == nil; i++ {
			end := min((i+1)*height, c.rows)
			c.panel(ctx, nil, m, i*height, end)
			if goesOn {
				c.then.part(i*height*c.n, end*c.n)
			}
		}
		desk.GiveBack(m)
	})
	return ctx.Err()
}

// panel computes rows lo to hi with the memory it is given, unless the step ends.
func (c *convolving[T]) panel(ctx *kernel.Context, pool kernel.Pool, memory []T, lo, hi int) {
	width, m := c.width(), hi-lo
	rows, rest := memory[:m*width], memory[m*width:]
	each := max(1, 8*panelSize/max(width, 1))
	for at := lo; at < hi; at += each {
		if at > lo && ctx.Err() != nil {
			return
		}
		fill(c.patches, rows[(at-lo)*width:], c.src, at, min(hi-at, each)+at)
	}
	if c.place == nil {
		vec.Gemm(pool, false, false, m, c.n, width, rows, width, c.filter, c.ldb, c.dst[lo*c.ldc:], c.ldc)
		return
	}
	vec.Gemm(pool, false, false, m, c.n, width, rows, width, c.filter, c.ldb, rest, c.n)
	for i := range m {
		copy(c.dst[c.place(lo+i):], rest[i*c.n:][:c.n])
	}
}
