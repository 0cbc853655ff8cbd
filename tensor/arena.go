package tensor

import (
	"math/bits"
	"sync/atomic"
	"unsafe"

	"github.com/troupe-go/troupe/status"
)

// A Budget bounds the bytes that the tensors of a session's steps take
// together. It is safe for concurrent use. A nil Budget bounds nothing.
type Budget struct {
	limit int64
	// grain is how many bytes an arena may be ahead of or behind what it has
	// charged, so that small steps do not meet at one counter.
	grain int64
	used  atomic.Int64
	fuse  atomic.Int64 // charges left until one fails; 0: none does
}

// NewBudget makes a budget of limit bytes; 0 or less means no limit.
func NewBudget(limit int64) *Budget {
	return &Budget{limit: limit, grain: min(max(limit, 0)/4096, 64<<10)}
}

// NewFailing makes a budget without a limit of which the n-th charge fails, counted
// from 1, and no other: for tests of what happens where memory runs out. Every
// allocation is a charge.
func NewFailing(n int64) *Budget {
	b := &Budget{}
	b.fuse.Store(n)
	return b
}

// Failed reports whether the charge that was to fail has been made.
func (b *Budget) Failed() bool { return b.fuse.Load() == 0 }

// Used returns the bytes charged at the moment.
func (b *Budget) Used() int64 {
	if b == nil {
		return 0
	}
	return b.used.Load()
}

// Charge takes n bytes, or fails with RESOURCE_EXHAUSTED and takes nothing. Negative
// ones it gives back.
func (b *Budget) Charge(n int64) error {
	if b == nil || n == 0 {
		return nil
	}
	if n < 0 { // which gives back
		b.used.Add(n)
		return nil
	}
	_, err := b.ChargeUpTo(n, n)
	return err
}

// ChargeUpTo takes most bytes, or, where the limit does not allow that, least, and returns how
// many it has taken. It fails as [Budget.Charge] does where least are too many.
func (b *Budget) ChargeUpTo(least, most int64) (int64, error) {
	if b == nil {
		return most, nil
	}
	if b.fuse.Load() > 0 && b.fuse.Add(-1) == 0 {
		return 0, status.Errorf(status.ResourceExhausted, "out of memory: %d bytes are refused", least)
	}
	used := b.used.Add(most)
	if b.limit <= 0 || used <= b.limit {
		return most, nil
	}
	if used -= most; used+least <= b.limit {
		b.used.Add(least - most)
		return least, nil
	}
	b.used.Add(-most)
	return 0, status.Errorf(status.ResourceExhausted,
		"out of memory: %d bytes more would pass the session's limit of %d (%d in use)", least, b.limit, used)
}

// Release gives n bytes back.
func (b *Budget) Release(n int64) {
	if b != nil {
		b.used.Add(-n)
	}
}

const (
	minClass   = 6  // 64 bytes
	maxClass   = 26 // 64 MiB: larger buffers go to the collector
	classLimit = 8 << 20
	mostBare   = 256 // headers that an arena keeps without memory
)

// An Arena hands out owned tensors and takes them back for reuse. It belongs
// to one goroutine at a time: the one that drives a step, or a worker of a
// pool. Buffers return to the arena of the driver, whichever arena made them.
//
// Buffers of pointer dtypes are never reused, so the collector sees no stale
// pointers.
type Arena struct {
	Budget  *Budget
	charged int64 // bytes charged to Budget by this arena's tensors and not yet given back
	ahead   int64 // bytes taken and not yet charged; negative: charged and given back here
	held    int64 // bytes resting in free
	shelf   int64 // bytes that the step has put on the shelves and not taken from them
	free    [shelved][]*Tensor
	bare    []*Tensor // headers to be used again
	views   []*view   // headers to be used again
	texts   []*text   // headers of strings, to be used again

	pins map[*Tensor]pin // of others' tensors; see Pin

	holdings []*holding   // headers to be used again
	ending   []RefCounted // to be released
	ends     bool         // they are being released
	failed   bool         // see Fail
}

// Alloc makes an owned tensor whose elements are undefined for number dtypes
// (recycled memory) and zero for pointer dtypes. For an inside dtype of rank 0
// it gives the scalar 0 without allocating. It fails for a shape that
// [NumElements] refuses, and where the budget is passed.
func (a *Arena) Alloc(dt DType, shape []int64) (Value, error) {
	if len(shape) == 0 && dt.inline() {
		return Value{t: &scalars[dt]}, nil
	}
	n, err := NumElements(dt, shape)
	if err != nil {
		return Value{}, err
	}
	size := n * dt.MemorySize()
	if dt.HasPointers() || size == 0 || size > 1<<maxClass {
		if dt == String && len(shape) == 0 {
			return a.allocText()
		}
		return a.allocExact(dt, n, shape)
	}
	class := max(bits.Len(uint(size-1)), minClass)
	if err := a.charge(HeaderBytes + 1<<class); err != nil {
		return Value{}, err
	}
	var t *Tensor
	switch {
	case class >= shelved:
		if t = pop(&a.bare); t == nil {
			t = &Tensor{}
		}
		t.data, t.bytes = draw(class), 1<<class
		a.shelf = max(a.shelf-1<<class, 0)
	case len(a.free[class]) > 0:
		t = pop(&a.free[class])
		a.held -= 1 << class
	case class == minClass:
		small := new(smallTensor)
		t = &small.Tensor
		t.data, t.bytes = unsafe.Pointer(&small.elems), 1<<minClass
	case class < stocked:
		t = &Tensor{data: unsafe.Pointer(unsafe.SliceData(make([]uint64, 1<<class/8))), bytes: 1 << class}
	default:
		t = &Tensor{data: draw(class), bytes: 1 << class}
	}
	t.dtype, t.n, t.origin, t.refs = dt, n, lent, 0
	t.setShape(shape)
	return Value{t: t}, nil
}

// pop takes the last of a list; nil if it is empty.
func pop(list *[]*Tensor) *Tensor {
	last := len(*list) - 1
	if last < 0 {
		return nil
	}
	t := (*list)[last]
	(*list)[last] = nil
	*list = (*list)[:last]
	return t
}

// AllocExact is [Arena.Alloc] for a tensor that outlives the step, as the value of a
// variable: it takes as much memory as its elements, not the power of two that can be
// used again.
func (a *Arena) AllocExact(dt DType, shape []int64) (Value, error) {
	n, err := NumElements(dt, shape)
	if err != nil {
		return Value{}, err
	}
	if size := n * dt.MemorySize(); dt.HasPointers() || size < 1<<stocked {
		return a.Alloc(dt, shape)
	}
	return a.allocExact(dt, n, shape)
}

func (a *Arena) allocExact(dt DType, n int, shape []int64) (Value, error) {
	size := n * dt.MemorySize()
	if err := a.charge(HeaderBytes + int64(size+7)&^7); err != nil { // what reserve takes
		return Value{}, err
	}
	t := &Tensor{dtype: dt, n: n, origin: lent}
	t.setShape(shape)
	t.reserve(n)
	return Value{t: t}, nil
}

// A smallTensor is a tensor of the smallest class with its elements beside it:
// one allocation in place of two.
type smallTensor struct {
	Tensor
	elems [1 << minClass / 8]uint64
}

// Exclusive reports whether v is a tensor that a step made, and nothing outside the
// step, no other token and no view holds its memory: after the end of the step the
// caller that fetched it is its only owner.
func (v Value) Exclusive() bool {
	if v.Plain() || v.t.shared.Load() || v.t.refs > 1 {
		return false
	}
	base := v.t.root()
	return base == v.t || base.refs <= 1 && !base.shared.Load()
}

// AllocZeroed is Alloc with all elements zero.
func (a *Arena) AllocZeroed(dt DType, shape []int64) (Value, error) {
	v, err := a.Alloc(dt, shape)
	if err == nil && !v.inside() && !dt.HasPointers() && v.t.n > 0 {
		clear(Bytes(&v))
	}
	return v, err
}

func (a *Arena) charge(n int64) error {
	if a.Budget == nil {
		return nil
	}
	a.ahead += n
	if a.ahead <= a.Budget.grain {
		return nil
	}
	if err := a.Budget.Charge(a.ahead); err != nil {
		a.ahead -= n
		return err
	}
	a.charged += a.ahead
	a.ahead = 0
	if l := a.Budget.limit; l > 0 && a.held+a.shelf > l-a.Budget.used.Load() {
		a.shed(l - a.Budget.used.Load())
	}
	return nil
}

// shed leaves to the collector what the step has put on the shelves, and what rests in the
// arena, beyond so many bytes, the largest first: unused memory is not on the account, but it
// is not to pass the limit either.
func (a *Arena) shed(most int64) {
	if n := min(a.held+a.shelf-most, a.shelf); n > 0 {
		shelves.shed(n)
		a.shelf -= n
	}
	for class := shelved - 1; class >= stocked && a.held > most; class-- {
		for free := a.free[class]; len(free) > 0 && a.held > most; free = a.free[class] {
			last := len(free) - 1
			free[last].data, free[last] = nil, nil
			a.free[class] = free[:last]
			a.held -= 1 << class
		}
	}
}

// note charges what is in memory already, also beyond the limit: what is asked for next
// fails then.
func (a *Arena) note(n int64) {
	if a.Budget == nil {
		return
	}
	if a.ahead += n; a.ahead > a.Budget.grain {
		a.Budget.used.Add(a.ahead)
		a.charged += a.ahead
		a.ahead = 0
	}
}

// release gives back what charge took.
func (a *Arena) release(n int64) {
	if a.Budget == nil {
		return
	}
	a.ahead -= n
	if a.ahead < -a.Budget.grain {
		a.Budget.Release(-a.ahead)
		a.charged += a.ahead
		a.ahead = 0
	}
}

// put takes back an owned tensor, which must not be shared; one that rests
// already is left alone. With the build tag invariants the elements are
// overwritten, so that a use after release shows.
func (a *Arena) put(t *Tensor) {
	if t.origin != lent {
		switch t.origin {
		case away:
			t.rest()
		case counted, unclaimed:
			a.retire(t)
		case owning, unowning:
			a.empty(t)
		}
		return
	}
	t.origin = resting
	if invariants {
		t.poison()
	}
	a.release(t.charged())
	if t.dtype.HasPointers() {
		a.putText(t)
		return
	}
	if t.bytes == 0 || t.bytes&(t.bytes-1) != 0 || t.bytes > 1<<maxClass {
		t.data = nil // the collector's
		return
	}
	size, class := int64(t.bytes), bits.Len(uint(t.bytes-1))
	if class >= shelved || a.held+size > classLimit {
		stow(t.data, t.bytes)
		t.data = nil
		if class < shelved {
			return
		}
		a.shelf += size
		if len(a.bare) < mostBare {
			a.bare = append(a.bare, t)
		}
		return
	}
	a.held += size
	a.free[class] = append(a.free[class], t)
}

// poison overwrites a tensor's elements.
func (t *Tensor) poison() {
	if !t.dtype.HasPointers() {
		poison(unsafe.Slice((*byte)(t.data), t.bytes))
	}
}

// poison overwrites memory by ranges, of which the race detector is told as a whole.
func poison(b []byte) {
	for n := copy(b, []byte{0xa5}); n < len(b); n *= 2 {
		copy(b[n:], b[:n])
	}
}

// Hold adds n tokens to those that hold v. Only the step's driver calls it.
func (v Value) Hold(n int) {
	if invariants && (v.t.origin == borrowed || v.t.origin == unclaimed || v.t.origin == unowning) {
		panic("tensor: a token holds what does not hold its own base or elements")
	}
	if t := v.t; !t.shared.Load() {
		t.refs += int32(n)
	}
}

// Unhold takes one token from those that hold v without taking it back: v is about
// to be delivered. Only the step's driver calls it.
func (v Value) Unhold() {
	if t := v.t; t != nil && !t.shared.Load() {
		t.refs--
	}
}

// Drop takes one token from those that hold v, and takes the buffer back with
// the last one. Only the step's driver calls it. The zero Value is left alone.
func (a *Arena) Drop(v Value) {
	t := v.t
	if t == nil || t.shared.Load() {
		return
	}
	if t.refs--; t.refs <= 0 {
		if t.origin == away && !invariants {
			t.origin = atHome
			return
		}
		a.put(t)
	}
}

// Reclaim takes back the buffer of an output that has no consumer. It does not read the
// count of a shared one, which the driver of another step may change.
func (a *Arena) Reclaim(v Value) {
	if t := v.t; t != nil && !t.shared.Load() && t.refs <= 0 {
		a.put(t)
	}
}

// UnchargeValue shares v, and releases the arena's charge for it, if there is one: the
// new owner of v accounts for its memory. Of a view it is the base's charge that is
// released, by the first of its views. Any arena of the step that made v will do.
func (a *Arena) UnchargeValue(v Value) {
	if v.t == nil {
		return
	}
	if v.t.isHolding() {
		v.Share()
		return
	}
	t := v.t.root()
	mine := t.shared.CompareAndSwap(false, true)
	if v.t != t && v.t.shared.CompareAndSwap(false, true) && v.t.isView() {
		a.release(viewBytes + v.t.asView().kept)
	}
	if mine {
		a.release(t.charged())
	}
}

// Sole reports whether exactly one token holds v and its holder may write the buffer.
// It is false for views: see [Value.SoleView]. It is safe to call for a shared value,
// whose count, which the driver of another step may change, it does not read.
func (v Value) Sole() bool {
	t := v.t
	return t != nil && !t.shared.Load() && t.refs == 1 && t.origin < counted
}

// HeldOnce reports whether one token holds v; others may hold its memory. Only the
// step's driver calls it.
func (v Value) HeldOnce() bool { return v.t != nil && !v.t.shared.Load() && v.t.refs == 1 }

// Retake prepares a buffer that its sole holder keeps as an output: no token
// holds it until it is delivered.
func (v Value) Retake() { v.t.refs = 0 }

// SetDims changes the shape of an owned tensor that the caller alone holds;
// the number of elements must stay.
func (v Value) SetDims(shape []int64) { v.t.setShape(shape) }

// Finish ends a step's account: what is still charged is released (the tensors that
// escaped belong to their new owners).
func (a *Arena) Finish() {
	if a.charged != 0 {
		a.Budget.Release(a.charged)
	}
	a.charged, a.ahead, a.shelf, a.pins, a.failed = 0, 0, 0, nil, false
}

// Fail declares that the step has failed: its values are not used until Finish. What its
// RefCounted values hold, a list's million elements for instance, is then left to the
// garbage collector at once instead of being released one by one.
func (a *Arena) Fail() { a.failed = true }
