package tensor

import (
	"unsafe"
)

// A Value is what a token carries: nothing (the zero Value), a scalar of at
// most 8 bytes held inside, or a reference to a Tensor. It is 16 bytes, so
// that copying a token stays cheap (docs/design/2026-11-21-values.md has the figures).
type Value struct {
	t    *Tensor // a static descriptor for an inside scalar
	bits uint64  // the inside scalar, in the memory's own byte order
}

// scalars holds the descriptor of each dtype; &scalars[d] as a Value's tensor
// means "the scalar is in bits".
var scalars [256]Tensor

func init() {
	for i := range scalars {
		s := &scalars[i]
		s.dtype, s.n = DType(i), 1
		s.shape = s.dims[:0]
		s.shared.Store(true)
	}
}

// inline reports whether scalars of dt live inside a Value.
func (d DType) inline() bool { s := d.Size(); return s > 0 && s <= 8 && !d.IsRef() }

// Scalar returns a value of rank 0.
func Scalar[T Element](x T) Value {
	return ScalarOf(DTypeOf[T](), x)
}

// ScalarOf returns a value of rank 0 whose dtype is one of those that T stands for
// (Qint8 or Int8 for int8). It panics if dt's elements are not of T's size.
func ScalarOf[T Element](dt DType, x T) Value {
	if dt.MemorySize() != int(unsafe.Sizeof(x)) {
		panic("tensor: ScalarOf with a dtype of another size")
	}
	if !dt.inline() {
		return boxed(dt, unsafe.Pointer(&[1]T{x}))
	}
	v := Value{t: &scalars[dt]}
	*(*T)(unsafe.Pointer(&v.bits)) = x
	return v
}

// boxed returns a value of rank 0 whose element is at x.
func boxed(dt DType, x unsafe.Pointer) Value {
	t := &Tensor{dtype: dt, n: 1, data: x}
	t.setShape(nil)
	t.shared.Store(true)
	return Value{t: t}
}

// ValueOf returns a token for t; a scalar of an inside dtype is copied out of t.
func ValueOf(t *Tensor) Value {
	if t == nil {
		return Value{}
	}
	if len(t.shape) == 0 && t.dtype.inline() {
		v := Value{t: &scalars[t.dtype]}
		switch t.dtype.Size() {
		case 1:
			*(*uint8)(unsafe.Pointer(&v.bits)) = *(*uint8)(t.data)
		case 2:
			*(*uint16)(unsafe.Pointer(&v.bits)) = *(*uint16)(t.data)
		case 4:
			*(*uint32)(unsafe.Pointer(&v.bits)) = *(*uint32)(t.data)
		default:
			v.bits = *(*uint64)(t.data)
		}
		return v
	}
	t.keep()
	return Value{t: t}
}

// Tensor returns the value as a shared tensor of its own: what leaves a step. It
// allocates for inside scalars. It is nil for the zero Value.
func (v Value) Tensor() *Tensor {
	if v.t == nil || !v.inside() {
		v.Share()
		return v.t
	}
	s := &scalarTensor{bits: v.bits}
	t := &s.Tensor
	t.dtype, t.n, t.bytes, t.data = v.t.dtype, 1, 8, unsafe.Pointer(&s.bits)
	t.shape = t.dims[:0]
	t.shared.Store(true)
	return t
}

// A scalarTensor is a tensor with its one element in the same allocation.
type scalarTensor struct {
	Tensor
	bits uint64
}

func (v Value) inside() bool { return v.t == &scalars[v.t.dtype] }

// IsZero reports whether v is the zero Value, which holds nothing.
func (v Value) IsZero() bool { return v.t == nil }

// IsScalar reports whether v has rank 0.
func (v Value) IsScalar() bool { return len(v.t.shape) == 0 }

// DType returns the element type.
func (v Value) DType() DType {
	if v.t == nil {
		return Invalid
	}
	return v.t.dtype
}

// Dims returns the shape, not to be written; empty for a scalar.
func (v Value) Dims() []int64 { return v.t.shape }

// Rank returns the number of dimensions.
func (v Value) Rank() int { return len(v.t.shape) }

// Dim returns the size of dimension i.
func (v Value) Dim(i int) int { return int(v.t.shape[i]) }

// NumElements returns the number of elements.
func (v Value) NumElements() int { return v.t.n }

// SizeBytes returns what the elements take in memory.
func (v Value) SizeBytes() int { return v.t.n * v.t.dtype.MemorySize() }

// Share releases the step's claim to the value's buffer, to its base's if it is a view,
// and to what it holds if it is a [RefCounted]: from then on it is immutable and left to
// the garbage collector. A kernel calls it on a value that outlives the step. It is safe
// to call from any goroutine that holds v.
func (v Value) Share() Value {
	if t := v.t; t != nil && !t.shared.Load() {
		t.share()
	}
	return v
}

// Shared reports whether v is permanently immutable.
func (v Value) Shared() bool { return v.t == nil || v.t.shared.Load() }

// share shares the base first, or what a RefCounted has, so that those of a shared view
// or variant are shared.
func (t *Tensor) share() {
	if t.isHolding() {
		t.shareHeld()
	}
	if base := t.root(); base != t && !base.shared.Load() {
		base.shared.Store(true)
	}
	t.shared.Store(true)
}

// Of returns the elements of v in row-major order, without a copy: they live in v
// itself if v is an inside scalar, so the slice is good only while *v is.
// T must be the Go type of v's dtype, which the kernel's registration has
// made sure of; with the build tag invariants it is checked.
func Of[T Element](v *Value) []T {
	t := v.t
	if invariants && !holds[T](t.dtype) {
		panic("tensor: Of with the wrong element type for " + t.dtype.String())
	}
	if t == &scalars[t.dtype] {
		return unsafe.Slice((*T)(unsafe.Pointer(&v.bits)), 1)
	}
	return unsafe.Slice((*T)(t.data), t.n)
}

// At0 returns the first element: the value of a scalar.
func At0[T Element](v *Value) T {
	t := v.t
	if invariants && !holds[T](t.dtype) {
		panic("tensor: At0 with the wrong element type for " + t.dtype.String())
	}
	if t == &scalars[t.dtype] {
		return *(*T)(unsafe.Pointer(&v.bits))
	}
	return *(*T)(t.data)
}

// Inner returns the scalar inside v, of which [Value.Inside] must have said that it
// is there: the cheapest way to read one.
func Inner[T Element](v *Value) T { return *(*T)(unsafe.Pointer(&v.bits)) }

// SetScalar makes *v the scalar x of dtype dt, an inside dtype of T's size. It
// is how a kernel puts out a scalar without a store it does not need.
func SetScalar[T Element](v *Value, dt DType, x T) {
	v.t = &scalars[dt]
	*(*T)(unsafe.Pointer(&v.bits)) = x
}

// SetInner writes the scalar inside v, of which [Value.Inside] must have said
// that it is there, of dtype T's: a store of the payload alone, and the
// cheapest way to change a scalar that stays where it is. The other bytes of
// the payload stay, and nobody reads them.
func SetInner[T Element](v *Value, x T) { *(*T)(unsafe.Pointer(&v.bits)) = x }

// Descriptor returns the scalar 0 of dt, an inside dtype: what makes a place ready
// for [SetInner].
func Descriptor(dt DType) Value {
	if !dt.inline() {
		panic("tensor: scalars of " + dt.String() + " are not inside values")
	}
	return Value{t: &scalars[dt]}
}

// Inside reports whether v is an inside scalar of dtype dt: the test in front of
// a kernel's scalar path.
func (v *Value) Inside(dt DType) bool { return v.t == &scalars[dt] }

// SameShape reports whether a and b have equal dimensions.
func SameShape(a, b Value) bool {
	if len(a.t.shape) != len(b.t.shape) {
		return false
	}
	for i, d := range a.t.shape {
		if d != b.t.shape[i] {
			return false
		}
	}
	return true
}

// Plain reports whether v holds no heap tensor, so that it needs neither Hold nor
// Drop: the zero Value and inside scalars.
func (v Value) Plain() bool {
	return v.t == nil || uintptr(unsafe.Pointer(v.t))-uintptr(unsafe.Pointer(&scalars)) < unsafe.Sizeof(scalars)
}
