package tensor

import "unsafe"

// Bytes is the memory of v's elements, in the machine's byte order; for
// dtypes without pointers only. It is good while *v is, as with [Of].
func Bytes(v *Value) []byte {
	t := v.t
	if t.dtype.HasPointers() {
		panic("tensor: Bytes of " + t.dtype.String())
	}
	if t == &scalars[t.dtype] {
		return unsafe.Slice((*byte)(unsafe.Pointer(&v.bits)), t.dtype.Size())
	}
	return unsafe.Slice((*byte)(t.data), t.n*t.dtype.Size())
}
