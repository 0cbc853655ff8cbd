package tensor

import "unsafe"

// A Word stands for the elements of any dtype of its size, for code that moves
// elements without looking at them.
type Word interface {
	uint8 | uint16 | uint32 | uint64 | complex128
}

// Words returns the memory of v's elements as words of the same size, for dtypes
// without pointers only. It is good while *v is, as with [Of].
func Words[T Word](v *Value) []T {
	t := v.t
	if t.dtype.HasPointers() || t.dtype.Size() != int(unsafe.Sizeof(*new(T))) {
		panic("tensor: Words of the wrong size for " + t.dtype.String())
	}
	if t == &scalars[t.dtype] {
		return unsafe.Slice((*T)(unsafe.Pointer(&v.bits)), 1)
	}
	return unsafe.Slice((*T)(t.data), t.n)
}

// ScalarAt is element i of v as a value of rank 0; it allocates only for
// dtypes whose scalars do not live inside values.
func ScalarAt(v *Value, i int) Value {
	dt := v.DType()
	switch dt.Base() {
	case String:
		return ScalarOf(dt, Of[string](v)[i])
	case Resource:
		return ScalarOf(dt, Of[*Handle](v)[i])
	case Variant:
		return ScalarOf(dt, Of[*Object](v)[i])
	}
	switch dt.Size() {
	case 1:
		return ScalarOf(dt, Words[uint8](v)[i])
	case 2:
		return ScalarOf(dt, Words[uint16](v)[i])
	case 4:
		return ScalarOf(dt, Words[uint32](v)[i])
	case 8:
		return ScalarOf(dt, Words[uint64](v)[i])
	default:
		return ScalarOf(dt, Words[complex128](v)[i])
	}
}
