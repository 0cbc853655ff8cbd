package tensor

import "unsafe"

// Bytes returns the memory of v's elements, in the machine's byte order; for
// dtypes without pointers only. It is good while *v is, as with [Of].
func Bytes(v *Value) []byte {
	t := v.t
	size := t.dtype.Size()
	if size == 0 && t.dtype.HasPointers() {
		panic("tensor: Bytes of " + t.dtype.String())
	}
	if t == &scalars[t.dtype] {
		return unsafe.Slice((*byte)(unsafe.Pointer(&v.bits)), size)
	}
	return unsafe.Slice((*byte)(t.data), t.n*size)
}
