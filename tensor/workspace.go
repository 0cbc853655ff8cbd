package tensor

import (
	"math"
	"math/bits"
	"unsafe"

	"github.com/troupe-go/troupe/status"
)

// A Workspace is a stack of memory for the temporaries of an algorithm, which are released
// in the reverse order, many at once. It charges its blocks to the budget while it has them. They
// come from the stock and return there; one is as large as all before it together, from
// 1 KiB to 1 MiB, or larger where a temporary is. A Workspace is for one goroutine at a time.
type Workspace struct {
	Budget *Budget
	blocks []workBlock
	top    int // the block in use; those above it are empty
	bytes  int // of all blocks
}

type workBlock struct {
	data        unsafe.Pointer
	bytes, used int
}

// A WorkspaceMark is a height of the stack; the zero mark is its bottom.
type WorkspaceMark struct{ block, used int }

// Number is what the elements of temporaries are: they have no pointers.
type Number interface {
	~int | ~int32 | ~int64 | ~float32 | ~float64 | ~complex64 | ~complex128
}

// Take returns n elements with anything in them. It fails where the budget is passed.
func Take[T Number](w *Workspace, n int) ([]T, error) {
	if n == 0 {
		return nil, nil
	}
	const line = 64 // temporaries begin at cache lines
	size := int(unsafe.Sizeof(*new(T)))
	if n < 0 || n > (math.MaxInt/2)/size {
		return nil, status.Errorf(status.ResourceExhausted, "out of memory: %d elements of %d bytes", n, size)
	}
	data, err := w.take((n*size + line - 1) &^ (line - 1))
	if err != nil {
		return nil, err
	}
	return unsafe.Slice((*T)(data), n), nil
}

func (w *Workspace) take(size int) (unsafe.Pointer, error) {
	if !w.fits(size) {
		if len(w.blocks) > 0 && w.blocks[w.top].used > 0 {
			w.top++
		}
		if !w.fits(size) {
			if err := w.grow(size); err != nil {
				return nil, err
			}
		}
	}
	b := &w.blocks[w.top]
	data := unsafe.Add(b.data, b.used)
	b.used += size
	return data, nil
}

func (w *Workspace) fits(size int) bool {
	return w.top < len(w.blocks) && size <= w.blocks[w.top].bytes-w.blocks[w.top].used
}

// grow puts a block with room for size on top, in place of those that are empty.
func (w *Workspace) grow(size int) error {
	w.cut(w.top)
	bytes := max(size, 1<<stocked, min(w.bytes, 1<<largestBlock))
	class := bits.Len(uint(bytes - 1))
	if class <= maxClass {
		bytes = 1 << class
	}
	if err := w.Budget.Charge(int64(bytes)); err != nil {
		w.top = max(0, w.top-1)
		return err
	}
	var data unsafe.Pointer
	if class <= maxClass {
		data = draw(class)
	} else {
		data = uncleared(bytes)
	}
	w.blocks = append(w.blocks, workBlock{data, bytes, 0})
	w.bytes += bytes
	return nil
}

// cut frees the blocks from n on.
func (w *Workspace) cut(n int) {
	for i := n; i < len(w.blocks); i++ {
		b := &w.blocks[i]
		if bits.Len(uint(b.bytes-1)) <= maxClass {
			stow(b.data, b.bytes)
		}
		w.bytes -= b.bytes
		w.Budget.Release(int64(b.bytes))
		*b = workBlock{}
	}
	w.blocks = w.blocks[:min(n, len(w.blocks))]
}

// Mark returns the height of the stack.
func (w *Workspace) Mark() WorkspaceMark {
	if len(w.blocks) == 0 {
		return WorkspaceMark{}
	}
	return WorkspaceMark{w.top, w.blocks[w.top].used}
}

// Release releases what has been taken since the mark. With the build tag invariants it is
// overwritten, so that a use after release shows.
func (w *Workspace) Release(m WorkspaceMark) {
	for ; w.top > m.block; w.top-- {
		w.blocks[w.top].empty(0)
	}
	if len(w.blocks) > 0 {
		w.blocks[w.top].empty(m.used)
	}
}

func (b *workBlock) empty(to int) {
	if invariants {
		poison(unsafe.Slice((*byte)(b.data), b.used)[to:])
	}
	b.used = to
}

// Free releases everything and frees the memory.
func (w *Workspace) Free() {
	w.cut(0)
	w.top = 0
}
