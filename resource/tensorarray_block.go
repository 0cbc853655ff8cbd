package resource

import (
	"math/bits"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/troupe-go/troupe/tensor"
)

// A block is memory that several elements of a TensorArray share. What lies in
// it never changes, but in room that no element has yet, and that is never given
// out twice: so elements are read without a lock, and readers may keep views.
//
// There are two kinds: blocks that an array makes for the small elements that it
// copies, and tensors whose parts were written as elements, which stay where
// they are. The array is charged for the whole of a block while it has one
// element in it, or room for more.
//
// When the step ends, the memory of an array's own blocks serves other steps,
// but for those that a reader may have a view of.
type block struct {
	memory tensor.Value // shared
	bytes  int64
	live   int            // elements in it
	whole  *tensor.Tensor // the memory of a block that the array has made; else nil
	lent   atomic.Bool    // somebody may keep it
}

// Lend returns the memory that the element lies in, for a reader that keeps a view of
// it. A reader that copies the element uses In.
func (e *Element) Lend() tensor.Value {
	if e.block != nil {
		e.block.lent.Store(true)
	}
	return e.In
}

// spareBlocks and sparePages are memory of arrays of steps that have ended, by
// the logarithm of its size, in bytes and in cells.
var spareBlocks, sparePages [32]sync.Pool

// takeBlock is memory of at least so many bytes, of any content.
func takeBlock(size int64) (*tensor.Tensor, error) {
	class := bits.Len64(uint64(size - 1))
	if class < len(spareBlocks) {
		if t, ok := spareBlocks[class].Get().(*tensor.Tensor); ok {
			return t, nil
		}
		size = 1 << class
	}
	return tensor.New(tensor.Uint8, size)
}

// takePage is so many empty cells.
func takePage(n int) []cell {
	class := bits.Len(uint(max(n, 16) - 1))
	if p, ok := sparePages[class].Get().(*[]cell); ok {
		return (*p)[:n]
	}
	return make([]cell, n, 1<<class)
}

// End is Close when the step has ended: the array is not read again.
func (a *TensorArray) End() {
	a.mu.Lock()
	pages, blocks, grads := a.pages, a.blocks, a.grads
	a.mu.Unlock()
	a.Close()
	for _, p := range pages {
		if cap(p) > 0 {
			clear(p)
			sparePages[bits.Len(uint(cap(p)-1))].Put(&p)
		}
	}
	for _, b := range blocks {
		if class := bits.Len(uint(b.whole.SizeBytes() - 1)); class < len(spareBlocks) && !b.lent.Load() {
			spareBlocks[class].Put(b.whole)
		}
	}
	for _, g := range grads {
		g.End()
	}
}

const (
	// copiedBelow bounds, in bytes, the elements that are copied into blocks.
	// What is larger stays where its kernel made it.
	copiedBelow = 64 << 10
	// firstBlock and lastBlock are the sizes between which an array's blocks
	// grow: a block is as large as all that there are before it.
	firstBlock = 1 << 10
	lastBlock  = 1 << 20
)

// A room is the block that an array is filling.
type room struct {
	*block
	next, end int   // elements of the room that nobody has yet
	made      int64 // bytes of all blocks that the array has made
	used      int   // elements in all of them
}

// Copies reports whether Write copies v: small numbers, in an array whose elements
// all have one shape. It is the same for as long as the array exists.
func (a *TensorArray) Copies(v *tensor.Value) bool {
	return a.uniform && !v.Plain() && v.SizeBytes() <= copiedBelow && v.NumElements() > 0
}

// copyIn makes a copy of v element c, which has none. An array has room for as
// many elements as have been written, and no more than twice.
func (a *TensorArray) copyIn(c *cell, v *tensor.Value) error {
	r := &a.room
	if r.next == r.end {
		if err := a.makeRoom(v); err != nil {
			return err
		}
	}
	n := v.SizeBytes()
	copy(tensor.Bytes(&r.memory)[r.next*n:], tensor.Bytes(v))
	c.block, c.start = r.block, r.next*v.NumElements()
	r.next++
	r.live++
	return nil
}

// makeRoom begins a block for elements like v.
func (a *TensorArray) makeRoom(v *tensor.Value) error {
	r, size := &a.room, int64(v.SizeBytes())
	n := max(1, min(max(r.made, firstBlock), lastBlock)/size)
	if !a.opts.Dynamic {
		n = min(n, max(1, int64(a.size-r.used)))
	}
	if err := a.account.charge(n * size); err != nil {
		return err
	}
	t, err := takeBlock(n * size)
	if err != nil {
		a.account.release(n * size)
		return err
	}
	a.leave(r.block)
	memory := t.As(v.DType(), n*int64(v.NumElements()))
	r.block = &block{memory: tensor.ValueOf(memory), bytes: n * size, live: 1, whole: t} // 1: the room
	a.blocks = append(a.blocks, r.block)
	r.next, r.end = 0, int(n)
	r.made += n * size
	r.used += int(n)
	return nil
}

// leave takes an element, or the room, out of its block.
func (a *TensorArray) leave(b *block) {
	if b == nil {
		return
	}
	if b.live--; b.live == 0 {
		a.account.release(b.bytes)
	}
}

// WriteRows makes the slices of v along its first dimension, which v must have,
// the elements with those indices, as many as there are: each as Write does, and
// without a copy. v must be shared.
func (a *TensorArray) WriteRows(indices []int32, v tensor.Value) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if v.Rank() == 1 {
		for k, i := range indices {
			if err := a.write(int(i), tensor.ScalarAt(&v, k)); err != nil {
				return err
			}
		}
		return nil
	}
	return a.writeParts(v, len(indices), func(k int) (int, []int64) { return int(indices[k]), v.Dims()[1:] })
}

// WritePieces makes pieces of v along its first dimension the array's first
// elements; lengths are their sizes in that dimension, and add up to v's.
// Otherwise it is as WriteRows.
func (a *TensorArray) WritePieces(lengths []int64, v tensor.Value) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if !a.sums {
		a.split = len(lengths)
	}
	dims := slices.Clone(v.Dims())
	return a.writeParts(v, len(lengths), func(k int) (int, []int64) { dims[0] = lengths[k]; return k, dims })
}

// writeParts makes n parts of v, one behind the other, elements of the array. at
// says of part k which, and of what shape.
func (a *TensorArray) writeParts(v tensor.Value, n int, at func(k int) (i int, dims []int64)) error {
	b := &block{memory: v, bytes: int64(v.SizeBytes()), live: 1} // 1: until all are written
	if err := a.account.charge(b.bytes); err != nil {
		return err
	}
	defer a.leave(b)
	start := 0
	for k := range n {
		i, dims := at(k)
		c, err := a.place(i, v.DType(), dims)
		if err != nil {
			return err
		}
		size := 1
		for _, d := range dims {
			size *= int(d)
		}
		if !c.empty() {
			err = a.add(c, v.Borrow(start, size, dims))
		} else {
			c.block, c.start = b, start
			b.live++
			a.written(c, dims)
		}
		if err != nil {
			return err
		}
		start += size
	}
	return nil
}
