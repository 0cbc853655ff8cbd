package resource

import (
	"container/heap"
	"math/rand/v2"

	"github.com/troupe-go/troupe/tensor"
)

// NewFIFO is the order of arrival, for elements of n components.
func NewFIFO(n int) Order { return &fifo{n: n} }

// A fifo is a ring of elements.
type fifo struct {
	n    int            // components of an element
	ring []tensor.Value // a multiple of n
	head int            // the place of the oldest element, in components
	size int            // elements
}

func (f *fifo) Len() int { return f.size }

func (f *fifo) Push(element []tensor.Value) {
	f.grow()
	copy(f.ring[(f.head+f.size*f.n)%len(f.ring):], element)
	f.size++
}

func (f *fifo) Pop(dst []tensor.Value) []tensor.Value {
	element := f.ring[f.head : f.head+f.n]
	dst = append(dst, element...)
	clear(element)
	f.size--
	if f.head += f.n; f.head == len(f.ring) {
		f.head = 0
	}
	if f.size == 0 && len(f.ring) > 1<<10 {
		f.ring, f.head = nil, 0
	}
	return dst
}

func (f *fifo) Unpop(element []tensor.Value) {
	f.grow()
	f.head = (f.head - f.n + len(f.ring)) % len(f.ring)
	copy(f.ring[f.head:], element)
	f.size++
}

// grow makes room for one more element.
func (f *fifo) grow() {
	if (f.size+1)*f.n <= len(f.ring) {
		return
	}
	ring := make([]tensor.Value, max(4*f.n, 2*len(f.ring)))
	copy(ring[copy(ring, f.ring[f.head:]):], f.ring[:f.head])
	f.ring, f.head = ring, 0
}

// NewPriority is the order of the elements' first components, int64 scalars:
// the least first, and the oldest among equals.
func NewPriority() Order { return &priority{} }

type priority struct {
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

func (p *priority) Push(element []tensor.Value) {
	p.push(element, p.next)
	p.next++
}

func (p *priority) push(element []tensor.Value, arrival int64) {
	heap.Push(&p.heap, rankedElement{tensor.At0[int64](&element[0]), arrival, append([]tensor.Value(nil), element...)})
}

func (p *priority) Pop(dst []tensor.Value) []tensor.Value {
	return append(dst, heap.Pop(&p.heap).(rankedElement).components...)
}

// Unpop puts an element before all others of its priority: it was the first.
func (p *priority) Unpop(element []tensor.Value) {
	first := p.next
	for _, e := range p.heap {
		first = min(first, e.arrival)
	}
	p.push(element, first-1)
}

// NewShuffle is a random order of elements of n components, the same for the
// same seeds.
func NewShuffle(n int, seed1, seed2 uint64) Order {
	return &shuffle{n: n, rand: rand.New(rand.NewPCG(seed1, seed2))}
}

type shuffle struct {
	n        int
	elements []tensor.Value
	rand     *rand.Rand
}

func (s *shuffle) Len() int { return len(s.elements) / s.n }

func (s *shuffle) Push(element []tensor.Value) { s.elements = append(s.elements, element...) }

func (s *shuffle) Pop(dst []tensor.Value) []tensor.Value {
	i := s.rand.IntN(s.Len()) * s.n
	last := s.elements[len(s.elements)-s.n:]
	element := s.elements[i : i+s.n]
	dst = append(dst, element...)
	copy(element, last)
	clear(last)
	s.elements = s.elements[:len(s.elements)-s.n]
	return dst
}

func (s *shuffle) Unpop(element []tensor.Value) { s.Push(element) }
