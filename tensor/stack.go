package tensor

import (
	"math/bits"
	"slices"
	"unsafe"
)

// A Stack keeps copies of the elements of tensors of numbers, and gives back the last
// one first. It knows no shapes: who pops says how much. The zero Stack is empty.
//
// What a loop keeps of every iteration would leave the homes of the kernels that make
// it ([BufferSlot]), so that each iteration makes a tensor for the collector. A copy of some
// hundred bytes takes a few nanoseconds on each side, and neither header nor room for
// rounding up.
//
// Contents lie in blocks one behind the other, each in one block. A block is as large
// as all before it together, from 1 KiB to 1 MiB, comes from the stock and goes back
// there; an empty one is kept above the top of a pile that is not empty. A Stack is not safe for concurrent use.
type Stack struct {
	blocks []pileBlock
	top    int // the block that is being filled; those above it are empty
	bytes  int // of all blocks
}

type pileBlock struct {
	data  unsafe.Pointer
	class int
	used  int
}

// Piled is the size in bytes up to which tensors are to be put on piles: to copy a
// larger one costs more than a header.
const Piled = homely

const largestBlock = 20 // the class of 1 MiB

// Stackable reports whether v can be put on a Stack: numbers, at least one, and not too many.
func (v *Value) Stackable() bool {
	return !v.Plain() && !v.t.dtype.HasPointers() && v.t.n > 0 && v.t.SizeBytes() <= Piled
}

// Bytes returns the memory that the pile has.
func (p *Stack) Bytes() int { return p.bytes }

// Needs returns how many bytes of memory more Push would take for so many.
func (p *Stack) Needs(size int) int {
	if p.fits(p.top, size) || p.fits(p.top+1, size) {
		return 0
	}
	return 1 << p.next(size)
}

func (p *Stack) fits(block, size int) bool {
	return block < len(p.blocks) && size <= 1<<p.blocks[block].class-p.blocks[block].used
}

// next returns the class of a new block that has room for size.
func (p *Stack) next(size int) int {
	return max(stocked, min(bits.Len(uint(p.bytes)), largestBlock), bits.Len(uint(size-1)))
}

// Push puts a copy of v's elements on top, of a v that [Value.Stacks].
func (p *Stack) Push(v *Value) {
	from := Bytes(v)
	switch {
	case p.fits(p.top, len(from)):
	case p.fits(p.top+1, len(from)):
		p.top++
	default:
		class := p.next(len(from))
		if len(p.blocks) > 0 {
			p.top++
		}
		p.blocks = slices.Insert(p.blocks, p.top, pileBlock{draw(class), class, 0})
		p.bytes += 1 << class
	}
	b := &p.blocks[p.top]
	copy(unsafe.Slice((*byte)(b.data), 1<<b.class)[b.used:], from)
	b.used += len(from)
}

// Pop moves what is on top to v's elements: as many bytes as they have, which must be
// those that one Push put there.
func (p *Stack) Pop(v *Value) {
	to := Bytes(v)
	b := &p.blocks[p.top]
	b.used -= len(to)
	copy(to, unsafe.Slice((*byte)(b.data), 1<<b.class)[b.used:])
	switch {
	case b.used > 0:
	case p.top > 0:
		p.cut(p.top + 1)
		p.top--
	default: // a loop may make a stack in every iteration, and leave it empty
		p.cut(0)
	}
}

// cut releases the blocks from n on, which are empty.
func (p *Stack) cut(n int) {
	for i := n; i < len(p.blocks); i++ {
		b := &p.blocks[i]
		p.bytes -= 1 << b.class
		stow(b.data, 1<<b.class)
		*b = pileBlock{}
	}
	p.blocks = p.blocks[:min(n, len(p.blocks))]
}

// Contents calls do with all that is on the pile, from the bottom, in pieces of which
// each has whole contents. They are not to be written.
func (p *Stack) Contents(do func([]byte)) {
	for _, b := range p.blocks {
		if b.used > 0 {
			do(unsafe.Slice((*byte)(b.data), b.used))
		}
	}
}

// Clear empties the pile and gives its memory up.
func (p *Stack) Clear() {
	p.cut(0)
	*p = Stack{}
}
