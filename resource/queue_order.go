package resource

import (
	"cmp"
	"container/heap"
	"math/rand/v2"
	"slices"

	"github.com/troupe-go/troupe/tensor"
)

// A deque is elements one behind the other, in blocks: it takes what it holds, and no
// element is moved when it grows.
type deque struct {
	n      int // components of an element
	blocks [][]tensor.Value
	head   int // the place of the first element in the first block
	size   int
	spare  [][]tensor.Value // empty blocks, a few
}

// blockSize is how many elements a block has.
const blockSize = 16

// spares is how many empty ones are kept: those of what a loop puts in before others have
// their turns.
const spares = 5

func (d *deque) Len() int { return d.size }

// Place returns a part of a block, and of the list of them, which grows.
func (d *deque) Place() int { return 16*d.n + 64/blockSize }

// at is element i.
func (d *deque) at(i int) []tensor.Value {
	i += d.head
	return d.blocks[i/blockSize][i%blockSize*d.n:][:d.n:d.n]
}

func (d *deque) block() []tensor.Value {
	n := len(d.spare) - 1
	if n < 0 {
		return make([]tensor.Value, blockSize*d.n)
	}
	b := d.spare[n]
	d.spare = d.spare[:n]
	return b
}

// keep keeps an empty block.
func (d *deque) keep(b []tensor.Value) {
	if len(d.spare) < spares {
		d.spare = append(d.spare, b)
	}
}

func (d *deque) Push(element []tensor.Value) {
	if d.head+d.size == len(d.blocks)*blockSize {
		d.blocks = append(d.blocks, d.block())
	}
	i := d.head + d.size
	d.size++
	if d.n == 1 {
		d.blocks[i/blockSize][i%blockSize] = element[0]
		return
	}
	copy(d.at(d.size-1), element)
}

// popFront takes the first element.
func (d *deque) popFront(dst []tensor.Value) []tensor.Value {
	element := d.at(0)
	dst = append(dst, element...)
	clear(element)
	d.size--
	switch d.head++; {
	case d.head < blockSize:
	case len(d.blocks) == 1:
		d.head = 0
	default:
		d.keep(d.blocks[0])
		d.head = 0
		if few := 8; len(d.blocks) > few {
			d.blocks[0] = nil
			d.blocks = d.blocks[1:]
			break
		}
		last := copy(d.blocks, d.blocks[1:])
		d.blocks[last] = nil
		d.blocks = d.blocks[:last]
	}
	return dst
}

// take moves the first element to out, for good.
func (f *fifo) take(out []tensor.Value) {
	f.turns++
	if f.n > 1 || f.head == blockSize-1 {
		f.popFront(out[:0])
		return
	}
	e := &f.blocks[0][f.head]
	out[0], *e = *e, tensor.Value{}
	f.head++
	f.size--
}

// dropBack removes the last element.
func (d *deque) dropBack() {
	d.size--
	clear(d.at(d.size))
	if d.head+d.size == (len(d.blocks)-1)*blockSize {
		last := len(d.blocks) - 1
		d.keep(d.blocks[last])
		d.blocks[last] = nil
		d.blocks = d.blocks[:last]
		if d.size == 0 {
			d.head = 0
		}
	}
}

// NewFIFO returns the order of arrival, for elements of n components.
func NewFIFO(n int) Order { return &fifo{deque: deque{n: n}} }

type fifo struct {
	deque
	turns int64  // elements that have left the deque
	back  []left // elements that left it and are back: older than all in it, the oldest last
}

// A left is an element that left in a turn.
type left struct {
	turn    int64
	element []tensor.Value
}

func (f *fifo) Len() int { return f.size + len(f.back) }

func (f *fifo) Pop(dst []tensor.Value) ([]tensor.Value, int64) {
	if n := len(f.back) - 1; n >= 0 {
		e := f.back[n]
		f.back[n] = left{}
		f.back = f.back[:n]
		return append(dst, e.element...), e.turn
	}
	f.turns++
	return f.popFront(dst), f.turns
}

func (f *fifo) Unpop(element []tensor.Value, turn int64) {
	i, _ := slices.BinarySearchFunc(f.back, turn, func(e left, turn int64) int { return cmp.Compare(turn, e.turn) })
	f.back = slices.Insert(f.back, i, left{turn, slices.Clone(element)})
}

// NewPriority is, for elements of n components, the order of the elements' first components, int64 scalars:
// the least first, and the oldest among equals.
func NewPriority(n int) Order { return &priority{n: n} }

type priority struct {
	n    int // components of an element
	heap ranked
	next int64 // rank of arrival of the next element
}

type rankedElement struct {
	priority, arrival int64
	components        []tensor.Value
}

// ranked is a heap.Interface.
type ranked []rankedElement

func (r ranked) Len() int      { return len(r) }
func (r ranked) Swap(i, j int) { r[i], r[j] = r[j], r[i] }
func (r ranked) Less(i, j int) bool {
	if r[i].priority != r[j].priority {
		return r[i].priority < r[j].priority
	}
	return r[i].arrival < r[j].arrival
}
func (r *ranked) Push(x any) { *r = append(*r, x.(rankedElement)) }
func (r *ranked) Pop() any {
	last := len(*r) - 1
	x := (*r)[last]
	(*r)[last] = rankedElement{}
	*r = (*r)[:last]
	return x
}

func (p *priority) Len() int { return len(p.heap) }

// Place returns that in the heap, which grows, and the components apart.
func (p *priority) Place() int { return 96 + 16*p.n }

func (p *priority) Push(element []tensor.Value) {
	p.push(element, p.next)
	p.next++
}

func (p *priority) push(element []tensor.Value, arrival int64) {
	heap.Push(&p.heap, rankedElement{tensor.At0[int64](&element[0]), arrival, append([]tensor.Value(nil), element...)})
}

func (p *priority) Pop(dst []tensor.Value) ([]tensor.Value, int64) {
	e := heap.Pop(&p.heap).(rankedElement)
	return append(dst, e.components...), e.arrival
}

// Unpop puts an element back where it was among those of its priority.
func (p *priority) Unpop(element []tensor.Value, arrival int64) { p.push(element, arrival) }

// NewShuffle returns a random order of elements of n components, the same for the
// same seeds.
func NewShuffle(n int, seed1, seed2 uint64) Order {
	return &shuffle{deque{n: n}, rand.New(rand.NewPCG(seed1, seed2))}
}

type shuffle struct {
	deque
	rand *rand.Rand
}

func (s *shuffle) Pop(dst []tensor.Value) ([]tensor.Value, int64) {
	element := s.at(s.rand.IntN(s.size))
	dst = append(dst, element...)
	copy(element, s.at(s.size-1))
	s.dropBack()
	return dst, 0
}

func (s *shuffle) Unpop(element []tensor.Value, _ int64) { s.Push(element) }
