package tensor

import (
	"math"
	"math/bits"
	"slices"
	"strconv"
	"sync/atomic"
	"unsafe"

	"github.com/troupe-go/troupe/status"
)

// MaxRank is the largest number of dimensions, as in TensorFlow.
const MaxRank = 254

// DefaultLimit is the number of bytes that the elements of a tensor may take that is read
// from a message or a file where the caller sets no limit: as many as a message may have.
const DefaultLimit = 2 << 30

// A Tensor is a typed array. The zero Tensor is not useful; see [New],
// [FromSlice] and [NewTensor].
type Tensor struct {
	data  unsafe.Pointer // first element; nil exactly if n is 0 and nothing was reserved
	n     int            // elements in use
	bytes int            // bytes reserved behind data, a power of two in an arena's tensors; of an arena's strings what their bytes are charged with
	shape []int64        // dims[:rank], or a slice of its own for high ranks
	dims  [6]int64

	// refs counts the tokens that hold an owned tensor. Only the goroutine
	// that drives the step touches it.
	refs   int32
	shared atomic.Bool
	origin origin
	dtype  DType

	// given says that a step made the tensor, that its one owner is outside of
	// all steps now, and that nothing else refers to its memory: see [Tensor.Release].
	given atomic.Bool
}

// An origin says where a tensor that is not shared goes when it has no holder left.
// A shared one is left to the garbage collector, whatever its origin.
type origin uint8

const (
	foreign   origin = iota // made outside the arenas, and shared from the beginning
	borrowed                // as foreign, and good only while another value is held
	single                  // as foreign, a scalar whose one owner hands it back: see GiveAgain
	outside                 // as foreign, and in memory that is not the collector's: see [FromOutside]
	lent                    // an arena's, out in the step
	resting                 // an arena's, and in it: guards against a second release
	away                    // lent for a [BufferSlot], out in the step
	atHome                  // lent for a [BufferSlot], which may hand it out
	owning                  // a variant, which holds what its RefCounted has
	unowning                // a variant whose RefCounted holds nothing yet
	counted                 // a view, which holds its base
	unclaimed               // a view, which does not hold its base yet
)

// maxBytes bounds the size of any tensor: no machine's address space holds
// more.
const maxBytes int64 = min(1<<46, math.MaxInt)

// NumElements returns the product of the dimensions. It fails for a negative
// dimension, and where the product does not fit an int or the elements no
// machine's memory.
//
// Its messages print a copy of the shape, so that callers' shapes stay on their stacks.
func NumElements(dt DType, shape []int64) (int, error) {
	if len(shape) > MaxRank {
		return 0, status.Invalid("shape has %d dimensions, more than the %d allowed", len(shape), MaxRank)
	}
	n, zero := int64(1), false
	for i, d := range shape {
		if d < 0 {
			return 0, status.Invalid("dimension %d of shape %s is negative", i, FormatDims(shape))
		}
		if d == 0 {
			zero = true
			continue
		}
		over, product := bits.Mul64(uint64(n), uint64(d)) // a division would take longer than all the rest
		if over != 0 || product > math.MaxInt64 {
			return 0, status.Invalid("shape %s has more elements than fit in 63 bits", FormatDims(shape))
		}
		n = int64(product)
	}
	if zero {
		return 0, nil
	}
	if n > maxBytes || n*int64(dt.MemorySize()) > maxBytes {
		return 0, status.Invalid("shape %s of %v is larger than memory can be", FormatDims(shape), dt)
	}
	return int(n), nil
}

// New makes a shared tensor of zeros: numbers 0, false, "" and nil handles.
// The caller is responsible for the size: shapes from files and messages must have
// passed [NumElements] and a limit.
func New(dt DType, shape ...int64) (*Tensor, error) {
	if !dt.Valid() || dt.IsRef() {
		return nil, status.Invalid("%v is not an element type", dt)
	}
	n, err := NumElements(dt, shape)
	if err != nil {
		return nil, err
	}
	t := &Tensor{dtype: dt, n: n}
	t.setShape(shape)
	t.reserve(n)
	t.shared.Store(true)
	return t, nil
}

// reserve points data at n fresh, zeroed elements.
func (t *Tensor) reserve(n int) {
	if n == 0 {
		t.data, t.bytes = nil, 0
		return
	}
	switch t.dtype.Base() {
	case String:
		t.data = unsafe.Pointer(unsafe.SliceData(make([]string, n)))
	case Resource:
		t.data = unsafe.Pointer(unsafe.SliceData(make([]*Handle, n)))
	case Variant:
		t.data = unsafe.Pointer(unsafe.SliceData(make([]*Object, n)))
	default:
		// Words keep the alignment that complex128 and vector loads want.
		size := n * t.dtype.Size()
		t.data = unsafe.Pointer(unsafe.SliceData(make([]uint64, (size+7)/8)))
		t.bytes = (size + 7) &^ 7
	}
}

func (t *Tensor) setShape(shape []int64) {
	if len(shape) <= len(t.dims) {
		t.shape = t.dims[:copy(t.dims[:], shape)]
		return
	}
	t.shape = slices.Clone(shape)
}

// FromSlice makes a tensor that holds data itself, without a copy: the caller
// must not write data again. The number of elements must equal the shape's.
func FromSlice[T Element](data []T, shape ...int64) (*Tensor, error) {
	dt := DTypeOf[T]()
	if dt == Invalid {
		return nil, noElements(data)
	}
	return fromMemory(dt, MemoryOf(data), shape)
}

// noElements returns the error of a slice of another type than tensors have.
func noElements(slice any) error { return status.Invalid("%T is not an element type", slice) }

// fromMemory is FromSlice, compiled once for all types.
func fromMemory(dt DType, m Memory, shape []int64) (*Tensor, error) {
	n, err := NumElements(dt, shape)
	if err != nil {
		return nil, err
	}
	if n != m.n {
		return nil, status.Invalid("%d elements do not fill a tensor of shape %v", m.n, shape)
	}
	t := &Tensor{dtype: dt, n: n, data: m.first}
	t.setShape(shape)
	t.shared.Store(true)
	return t, nil
}

// Data returns the tensor's elements in row-major order, without a copy; they must
// not be written. It fails if the dtype's elements are not T.
func Data[T Element](t *Tensor) ([]T, error) {
	if t == nil {
		return nil, status.Invalid("nil tensor")
	}
	if !holds[T](t.dtype) {
		var z T
		return nil, status.Invalid("a tensor of %v has no elements of type %T", t.dtype, z)
	}
	return unsafe.Slice((*T)(t.data), t.n), nil
}

// holds reports whether elements of dt are T: quantized types are their integers,
// 8-bit floats their bits, and integers of 2 and 4 bits the integer of 8 bits
// with the same sign and value.
func holds[T Element](dt DType) bool {
	want := DTypeOf[T]()
	dt = dt.Base()
	switch dt {
	case Qint8, Int4, Int2:
		dt = Int8
	case Quint8, Float8e5m2, Float8e4m3fn, Float8e4m3fnuz, Float8e4m3b11fnuz, Float8e5m2fnuz, Uint4, Uint2:
		dt = Uint8
	case Qint16:
		dt = Int16
	case Quint16:
		dt = Uint16
	case Qint32:
		dt = Int32
	}
	return dt == want
}

// DType returns the element type.
func (t *Tensor) DType() DType { return t.dtype }

// NumElements returns the number of elements.
func (t *Tensor) NumElements() int { return t.n }

// Dims returns the shape, which must not be written; empty for a scalar.
func (t *Tensor) Dims() []int64 { return t.shape }

// SizeBytes returns what the elements take in memory, without the strings' and
// variants' own contents.
func (t *Tensor) SizeBytes() int { return t.n * t.dtype.MemorySize() }

// WithShape returns the same elements under another shape of the same size. Both
// tensors keep the elements permanently, so an owned t becomes shared: within a
// step it is for tensors that leave it, and [Arena.View] for those that do not.
func (t *Tensor) WithShape(shape []int64) (*Tensor, error) {
	n, err := NumElements(t.dtype, shape)
	if err != nil {
		return nil, err
	}
	if n != t.n {
		return nil, status.Invalid("cannot reshape %d elements to shape %v", t.n, shape)
	}
	return t.view(0, n, shape), nil
}

// Slice is count elements from element start on under a shape of that size.
// Both tensors keep the elements permanently, as with WithShape. It is for kernels
// that have checked their bounds: anything else panics.
func (t *Tensor) Slice(start, count int, shape []int64) *Tensor {
	if start < 0 || count < 0 || start+count > t.n {
		panic("tensor: slice out of range")
	}
	return t.view(start, count, shape)
}

func (t *Tensor) view(start, count int, shape []int64) *Tensor {
	t.keep()
	Value{t: t}.Share()
	return t.alias(start, count, shape)
}

// alias returns a shared header of elements of t, which it does not hold.
func (t *Tensor) alias(start, count int, shape []int64) *Tensor {
	if root := t.root(); root.origin == outside && count > 0 {
		return newOutsider(t.dtype, unsafe.Add(t.data, start*t.dtype.MemorySize()), count, root.asOutsider().keeper, shape)
	}
	v := &Tensor{dtype: t.dtype, n: count}
	if count > 0 {
		v.data = unsafe.Add(t.data, start*t.dtype.MemorySize())
	}
	v.setShape(shape)
	v.shared.Store(true)
	return v
}

// FormatDims prints a shape as TensorFlow's messages do: "[2,3]", "[]".
func FormatDims(dims []int64) string {
	b := []byte{'['}
	for i, d := range dims {
		if i > 0 {
			b = append(b, ',')
		}
		b = strconv.AppendInt(b, d, 10)
	}
	return string(append(b, ']'))
}
