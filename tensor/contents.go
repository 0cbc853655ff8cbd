package tensor

import (
	"encoding/binary"
	"io"
	"slices"
	"unsafe"

	"github.com/troupe-go/troupe/status"
)

// elems returns the tensor's memory as elements of type T, unchecked.
func elems[T any](t *Tensor) []T { return unsafe.Slice((*T)(t.data), t.n) }

// rawBytes returns the memory of a tensor without pointers.
func (t *Tensor) rawBytes() []byte { return unsafe.Slice((*byte)(t.data), t.n*t.dtype.Size()) }

// SetContents fills t, which no other code has yet, from its elements' little-endian bytes.
// Booleans become 0 or 1, and bits outside a narrow integer are set right. It fails for
// string, resource and variant tensors, and for another number of bytes.
func (t *Tensor) SetContents(b []byte) error {
	if t.dtype.HasPointers() || len(b) != t.n*t.dtype.Size() {
		return status.Invalid("%d bytes do not fill a tensor of type %v and shape %s", len(b), t.dtype, FormatDims(t.shape))
	}
	if t.n > 0 {
		t.setBytes(b)
	}
	return nil
}

// setBytes fills t from its elements' little-endian bytes, of which there are
// as many as t has. What no computation makes is set right: a bool that is
// neither 0 nor 1, and bits outside a narrow integer.
func (t *Tensor) setBytes(content []byte) {
	dst := t.rawBytes()
	copy(dst, content)
	t.fixOrder(dst)
	switch t.dtype {
	case Bool:
		for i, b := range dst {
			if b > 1 {
				dst[i] = 1
			}
		}
	case Int4, Uint4, Int2, Uint2:
		for i, b := range dst {
			dst[i] = narrow(t.dtype, b)
		}
	}
}

// narrow brings the byte of an element of less than 8 bits into the form that
// tensors hold: sign-extended or zero-extended.
func narrow(dt DType, b uint8) uint8 {
	switch dt {
	case Int4:
		return uint8(int8(b<<4) >> 4)
	case Uint4:
		return b & 15
	case Int2:
		return uint8(int8(b<<6) >> 6)
	case Uint2:
		return b & 3
	}
	return b
}

var bigEndian = binary.NativeEndian.Uint16([]byte{0, 1}) == 1

// fixOrder turns b, elements of t, from the machine's byte order to
// little-endian or back.
func (t *Tensor) fixOrder(b []byte) {
	if !bigEndian {
		return
	}
	size := t.dtype.Size()
	if t.dtype == Complex64 || t.dtype == Complex128 {
		size /= 2
	}
	for ; len(b) >= size; b = b[size:] {
		slices.Reverse(b[:size])
	}
}

// littleEndian returns the elements' bytes in little-endian order: t's own memory
// on most machines, so not to be written.
func (t *Tensor) littleEndian() []byte {
	b := t.rawBytes()
	if bigEndian {
		b = slices.Clone(b)
		t.fixOrder(b)
	}
	return b
}

// WriteContentsTo writes the elements' little-endian bytes in row-major order,
// without dtype or shape; [ReadTensor] reads them. It fails for string,
// resource and variant tensors.
func (t *Tensor) WriteContentsTo(w io.Writer) (int64, error) {
	if t.dtype.HasPointers() {
		return 0, status.Invalid("a tensor of type %v has no raw contents", t.dtype)
	}
	n, err := w.Write(t.littleEndian())
	return int64(n), err
}

// readStep is what ReadTensor allocates before it has seen any data.
const readStep = 1 << 20

// ReadTensor reads what [Tensor.WriteContentsTo] wrote: exactly the bytes that
// the dtype and shape call for. A negative dimension and short data are
// errors, as is a dtype whose elements have no raw form. Memory grows with
// the data that arrives, not with the size that is declared.
func ReadTensor(dt DType, shape []int64, r io.Reader) (*Tensor, error) {
	if !dt.Valid() || dt.IsRef() || dt.HasPointers() {
		return nil, status.Invalid("a tensor of type %v cannot be read from raw contents", dt)
	}
	n, err := NumElements(dt, shape)
	if err != nil {
		return nil, err
	}
	size := n * dt.Size()
	var words []uint64 // keeps the elements aligned
	for got := 0; got < size; {
		step := min(size-got, max(got, readStep))
		words = slices.Grow(words, (got+step+7)/8-len(words))[:(got+step+7)/8]
		b := unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(words))), len(words)*8)
		k, err := io.ReadFull(r, b[got:got+step])
		if err != nil {
			return nil, status.Errorf(status.OutOfRange,
				"contents of a tensor of type %v and shape %s: %d of %d bytes: %w", dt, FormatDims(shape), got+k, size, err)
		}
		got += step
	}
	t := &Tensor{dtype: dt, n: n, data: unsafe.Pointer(unsafe.SliceData(words)), bytes: len(words) * 8}
	t.setShape(shape)
	t.shared.Store(true)
	if n > 0 {
		t.setBytes(t.rawBytes())
	}
	return t, nil
}

// ReadContents fills v, which the caller alone holds, from its elements'
// little-endian bytes, as [Tensor.WriteContentsTo] writes them; for dtypes
// without pointers only. It fails where r does, and then leaves the elements
// undefined.
func (v *Value) ReadContents(r io.Reader) error {
	b := Bytes(v)
	if len(b) == 0 {
		return nil
	}
	if _, err := io.ReadFull(r, b); err != nil {
		return err
	}
	t := Tensor{dtype: v.DType(), n: v.NumElements(), data: unsafe.Pointer(unsafe.SliceData(b))}
	t.setBytes(b)
	return nil
}

// Contents returns the elements' little-endian bytes in row-major order, as
// [Tensor.WriteContentsTo] writes them: the tensor's own memory on most machines, and not
// to be written. It fails for string, resource and variant tensors.
func (t *Tensor) Contents() ([]byte, error) {
	if t.dtype.HasPointers() {
		return nil, status.Invalid("a tensor of type %v has no raw contents", t.dtype)
	}
	return t.littleEndian(), nil
}

// FromBytes makes a tensor of its elements' little-endian bytes, which it keeps if they
// are aligned: the caller must not write them again. The number of bytes must equal the
// shape's.
func FromBytes(dt DType, b []byte, shape ...int64) (*Tensor, error) {
	if !dt.Valid() || dt.IsRef() || dt.HasPointers() {
		return nil, status.Invalid("a tensor of type %v cannot be made of raw contents", dt)
	}
	n, err := NumElements(dt, shape)
	if err != nil {
		return nil, err
	}
	if n*dt.Size() != len(b) {
		return nil, status.Invalid("%d bytes do not fill a tensor of type %v and shape %s", len(b), dt, FormatDims(shape))
	}
	if n == 0 {
		return New(dt, shape...)
	}
	const align = 8
	data := unsafe.Pointer(unsafe.SliceData(b))
	if uintptr(data)%align != 0 {
		words := make([]uint64, (len(b)+7)/8)
		data = unsafe.Pointer(unsafe.SliceData(words))
		copy(unsafe.Slice((*byte)(data), len(b)), b)
	}
	t := &Tensor{dtype: dt, n: n, data: data}
	t.setShape(shape)
	t.shared.Store(true)
	t.setBytes(t.rawBytes())
	return t, nil
}
