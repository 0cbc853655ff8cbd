package linalg

import (
	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/tensor"
)

// A context is a kernel's with memory for the temporaries of what is done with one matrix
// after another on one goroutine. It is charged to the step's session: where that has no
// more, the kernel fails.
type context struct {
	*kernel.Context
	memory tensor.Workspace
}

func newContext(ctx *kernel.Context) *context {
	return &context{ctx, tensor.Workspace{Budget: ctx.Arena.Budget}}
}

// mark is for release, which releases all temporaries made since.
func (c *context) mark() tensor.WorkspaceMark { return c.memory.Mark() }

func (c *context) release(m tensor.WorkspaceMark) { c.memory.Release(m) }

// temporary returns n zeros.
func temporary[T tensor.Number](ctx *context, n int) []T {
	x, err := tensor.Take[T](&ctx.memory, n)
	kernel.Must(err)
	for lo, hi := range ctx.Ranges(n, 1<<16) {
		clear(x[lo:hi])
	}
	return x
}

func newMatrix[T scalar](ctx *context, rows, cols int) matrix[T] {
	return matrix[T]{rows, cols, temporary[T](ctx, rows*cols)}
}

func identity[T scalar](ctx *context, n int) matrix[T] {
	a := newMatrix[T](ctx, n, n)
	for i := range n {
		a.data[i*n+i] = 1
	}
	return a
}
