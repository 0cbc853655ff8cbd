package tensor

import "unsafe"

// A Memory is the elements of a Value for code that moves between them without
// reading them, and so need not be compiled for each type: it passes the Memory on
// to code that knows the type ([Elements]). It is valid as long as the slice that
// [Of] returns.
type Memory struct {
	first unsafe.Pointer
	n     int
}

// Memory returns the elements of v.
func (v *Value) Memory() Memory {
	t := v.t
	if t == &scalars[t.dtype] {
		return Memory{unsafe.Pointer(&v.bits), 1}
	}
	return Memory{t.data, t.n}
}

// Memory returns t's elements, which must not be written once other code has t.
func (t *Tensor) Memory() Memory { return Memory{t.data, t.n} }

// MemoryOf returns the elements of s.
func MemoryOf[T Element](s []T) Memory { return Memory{unsafe.Pointer(unsafe.SliceData(s)), len(s)} }

// Len returns the number of elements.
func (m Memory) Len() int { return m.n }

// Elements returns the elements of m, which must have the Go type T.
func Elements[T Element](m Memory) []T { return unsafe.Slice((*T)(m.first), m.n) }

// Repeat sets the elements of v to those of m, again and again, and returns them. v is not a
// scalar, m is not empty, and both are of v's type, which has no pointers.
func (v Value) Repeat(m Memory) Memory {
	to := v.t.rawBytes()
	n := copy(to, unsafe.Slice((*byte)(m.first), m.n*v.t.dtype.Size()))
	for n < len(to) { // what is there, again
		n += copy(to[n:], to[:n])
	}
	return Memory{v.t.data, v.t.n}
}
