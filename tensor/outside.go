package tensor

import (
	"unsafe"

	"github.com/troupe-go/troupe/status"
)

// An outsider is a tensor whose elements are in memory that the garbage collector does not
// manage, such as a mapped file's. Its header keeps what keeps that memory, as do headers
// of its parts that outlive it. It is shared from the beginning, and never written.
//
// An outsider may be read on the goroutines of steps alone: reading may fail
// (docs/design/2026-11-29-weights.md). What leaves the steps of a session is a copy.
type outsider struct {
	Tensor
	keeper any
}

func (t *Tensor) asOutsider() *outsider { return (*outsider)(unsafe.Pointer(t)) }

// FromOutside makes a tensor of its elements' bytes in the machine's order, which may be at
// any address and are there as long as keeper is referred to. The types are those of which
// any bits are elements ([DType.AnyBits]).
func FromOutside(dt DType, b []byte, keeper any, shape ...int64) (*Tensor, error) {
	n, err := NumElements(dt, shape)
	if err != nil {
		return nil, err
	}
	if !dt.AnyBits() || n == 0 || n*dt.Size() != len(b) {
		return nil, status.Invalid("%d bytes outside are no tensor of type %v and shape %s", len(b), dt, FormatDims(shape))
	}
	return newOutsider(dt, unsafe.Pointer(unsafe.SliceData(b)), n, keeper, shape), nil
}

func newOutsider(dt DType, data unsafe.Pointer, n int, keeper any, shape []int64) *Tensor {
	o := &outsider{Tensor{dtype: dt, n: n, data: data, origin: outside}, keeper}
	o.setShape(shape)
	o.shared.Store(true)
	return &o.Tensor
}

// AnyBits reports whether all bits stand for elements, without a bool that is neither 0
// nor 1 or an integer beyond its range.
func (d DType) AnyBits() bool {
	switch d {
	case Bool, Int4, Uint4, Int2, Uint2:
		return false
	}
	return d.Valid() && !d.IsRef() && !d.HasPointers()
}

// Outside reports whether v's elements are in memory that is not the garbage collector's.
func (v Value) Outside() bool { return v.t != nil && v.t.root().origin == outside }

// Keeper returns what keeps the memory of v, which is [Value.Outside].
func (v Value) Keeper() any { return v.t.root().asOutsider().keeper }

// Held returns v, or a shared copy of v if that is [Value.Outside].
func (v Value) Held() Value {
	if !v.Outside() {
		return v
	}
	t, err := New(v.t.dtype, v.t.shape...)
	if err != nil {
		return v // not reached: v has that shape
	}
	w := Value{t: t}
	w.CopyFrom(v)
	return w
}
