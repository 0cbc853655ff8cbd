package tensor

import (
	"reflect"
	"unsafe"

	"github.com/troupe-go/troupe/status"
)

// DataType is another name for [DType].
type DataType = DType

// goTypes are the Go types of elements; nil where there is none.
var goTypes = [len(dtypes)]reflect.Type{
	Float: reflect.TypeFor[float32](), Double: reflect.TypeFor[float64](),
	Int8: reflect.TypeFor[int8](), Int16: reflect.TypeFor[int16](),
	Int32: reflect.TypeFor[int32](), Int64: reflect.TypeFor[int64](),
	Uint8: reflect.TypeFor[uint8](), Uint16: reflect.TypeFor[uint16](),
	Uint32: reflect.TypeFor[uint32](), Uint64: reflect.TypeFor[uint64](),
	Bool: reflect.TypeFor[bool](), String: reflect.TypeFor[string](),
	Complex64: reflect.TypeFor[complex64](), Complex128: reflect.TypeFor[complex128](),
	Half: reflect.TypeFor[Float16](), Bfloat16: reflect.TypeFor[BFloat16](),
	Qint8: reflect.TypeFor[int8](), Quint8: reflect.TypeFor[uint8](),
	Qint16: reflect.TypeFor[int16](), Quint16: reflect.TypeFor[uint16](),
	Qint32: reflect.TypeFor[int32](),
}

// dtypeOfKind returns the dtype of values of Go type typ. [Float16] and [BFloat16]
// are themselves; any other named type counts by its kind. int and uint, whose
// size depends on the machine, have none.
func dtypeOfKind(typ reflect.Type) DType {
	switch typ {
	case goTypes[Half]:
		return Half
	case goTypes[Bfloat16]:
		return Bfloat16
	}
	switch typ.Kind() {
	case reflect.Bool:
		return Bool
	case reflect.Int8:
		return Int8
	case reflect.Int16:
		return Int16
	case reflect.Int32:
		return Int32
	case reflect.Int64:
		return Int64
	case reflect.Uint8:
		return Uint8
	case reflect.Uint16:
		return Uint16
	case reflect.Uint32:
		return Uint32
	case reflect.Uint64:
		return Uint64
	case reflect.Float32:
		return Float
	case reflect.Float64:
		return Double
	case reflect.Complex64:
		return Complex64
	case reflect.Complex128:
		return Complex128
	case reflect.String:
		return String
	}
	return Invalid
}

// NewTensor copies a Go value into a tensor: a bool, string, or sized number,
// or slices and arrays of one of them, nested to any depth, whose lengths make
// the shape. All slices at one depth must be of one length; that is checked
// before anything is allocated. int, uint, pointers, structs and whatever else
// has no dtype are errors.
func NewTensor(value any) (*Tensor, error) {
	if t := plain(value); t != nil {
		return t, nil
	}
	v := reflect.ValueOf(value)
	if !v.IsValid() {
		return nil, status.Invalid("nil is not a tensor's value")
	}
	var shape []int64
	typ, some := v.Type(), v
	for typ.Kind() == reflect.Slice || typ.Kind() == reflect.Array {
		if len(shape) == MaxRank {
			return nil, status.Invalid("%v has more than %d dimensions", v.Type(), MaxRank)
		}
		n := 0
		if some.IsValid() {
			n = some.Len()
		} else if typ.Kind() == reflect.Array {
			n = typ.Len()
		}
		shape = append(shape, int64(n))
		if typ = typ.Elem(); n > 0 && some.IsValid() {
			some = some.Index(0)
		} else {
			some = reflect.Value{}
		}
	}
	dt := dtypeOfKind(typ)
	if dt == Invalid {
		switch typ.Kind() {
		case reflect.Int, reflect.Uint:
			return nil, status.Invalid("values of type %v have no element type: %[1]v32 and %[1]v64 have", typ.Kind())
		}
		return nil, status.Invalid("values of type %v have no element type", typ)
	}
	if err := checkRectangular(v, shape); err != nil {
		return nil, err
	}
	t, err := New(dt, shape...)
	if err != nil || t.n == 0 {
		return t, err
	}
	if v.Kind() != reflect.Slice { // a copy that has an address
		p := reflect.New(v.Type())
		p.Elem().Set(v)
		v = p.Elem()
	}
	copyLeaves(t, 0, v)
	return t, nil
}

// plain is NewTensor without reflection, for the most frequent types.
func plain(value any) *Tensor {
	switch x := value.(type) {
	case float32:
		return FromScalar(x)
	case float64:
		return FromScalar(x)
	case int32:
		return FromScalar(x)
	case int64:
		return FromScalar(x)
	case bool:
		return FromScalar(x)
	case string:
		return FromScalar(x)
	case []float32:
		return cloneSlice(x)
	case []float64:
		return cloneSlice(x)
	case []int32:
		return cloneSlice(x)
	case []int64:
		return cloneSlice(x)
	case []uint8:
		return cloneSlice(x)
	case []string:
		return cloneSlice(x)
	}
	return nil
}

func cloneSlice[T Element](x []T) *Tensor {
	t, _ := New(DTypeOf[T](), int64(len(x))) // x is in memory: no shape is too large
	copy(elems[T](t), x)
	return t
}

// FromScalar returns a tensor of rank 0.
func FromScalar[T Element](x T) *Tensor { return Scalar(x).Tensor() }

// checkRectangular reports whether all slices of v have the lengths of shape.
func checkRectangular(v reflect.Value, shape []int64) error {
	if len(shape) == 0 {
		return nil
	}
	if int64(v.Len()) != shape[0] {
		return status.Invalid("ragged value: a slice of length %d where others have %d", v.Len(), shape[0])
	}
	if len(shape) == 1 {
		return nil
	}
	for i := range v.Len() {
		if err := checkRectangular(v.Index(i), shape[1:]); err != nil {
			return err
		}
	}
	return nil
}

// copyLeaves copies the elements of v, a slice or an addressable value, to t's
// elements from the one at on, and returns the number of the next one.
func copyLeaves(t *Tensor, at int, v reflect.Value) int {
	var src unsafe.Pointer
	n := 1
	switch kind := v.Kind(); {
	case kind != reflect.Slice && kind != reflect.Array:
		src = v.Addr().UnsafePointer()
	case v.Len() == 0:
		return at
	case nests(v.Type().Elem()):
		for i := range v.Len() {
			at = copyLeaves(t, at, v.Index(i))
		}
		return at
	case kind == reflect.Slice:
		src, n = v.UnsafePointer(), v.Len()
	default:
		src, n = v.Addr().UnsafePointer(), v.Len()
	}
	if t.dtype == String {
		copy(elems[string](t)[at:], unsafe.Slice((*string)(src), n))
	} else {
		size := t.dtype.Size()
		copy(t.rawBytes()[at*size:], unsafe.Slice((*byte)(src), n*size))
	}
	return at + n
}

func nests(typ reflect.Type) bool {
	return typ.Kind() == reflect.Slice || typ.Kind() == reflect.Array
}

// TypeOf returns the Go type of [Tensor.Value] for a tensor of that dtype and
// shape, of which the rank alone counts. Quantized types are their integers.
// It panics for a dtype without a Go type: resource, variant, 8-bit floats,
// integers of less than 8 bits, and reference types.
func TypeOf(dt DType, shape []int64) reflect.Type {
	if int(dt) >= len(goTypes) || goTypes[dt] == nil {
		panic("tensor: elements of type " + dt.String() + " have no Go type")
	}
	typ := goTypes[dt]
	for range shape {
		typ = reflect.SliceOf(typ)
	}
	return typ
}

// Value returns a copy of the elements as a Go value of type [TypeOf]: the element
// itself for a scalar, else nested slices. It panics where TypeOf does. Of a
// tensor without elements it makes at most a million empty slices; one whose
// dimensions call for more gives an empty slice.
func (t *Tensor) Value() any {
	typ := TypeOf(t.dtype, t.shape)
	if len(t.shape) == 0 {
		return reflect.NewAt(typ, t.data).Elem().Interface()
	}
	leaf := typ
	for range len(t.shape) - 1 {
		leaf = leaf.Elem()
	}
	all := reflect.MakeSlice(leaf, t.n, t.n)
	if t.n > 0 {
		reflect.Copy(all, reflect.SliceAt(leaf.Elem(), t.data, t.n))
	}
	if t.n == 0 && emptySlices(t.shape) > 1<<20 {
		return reflect.MakeSlice(typ, 0, 0).Interface()
	}
	at := 0
	return nest(typ, t.shape, all, &at).Interface()
}

// emptySlices returns the number of slices that a nested value of a shape with a
// zero in it has, or a large number.
func emptySlices(shape []int64) int64 {
	total, level := int64(1), int64(1)
	for _, d := range shape[:len(shape)-1] {
		if d > 1<<20 {
			return 1 << 40
		}
		if level *= d; level == 0 {
			break
		}
		if total += level; total > 1<<20 {
			break
		}
	}
	return total
}

// nest makes a value of type typ over the elements of all from *at on.
func nest(typ reflect.Type, shape []int64, all reflect.Value, at *int) reflect.Value {
	n := int(shape[0])
	if len(shape) == 1 {
		start := *at
		*at += n
		return all.Slice3(start, *at, *at)
	}
	v := reflect.MakeSlice(typ, n, n)
	for i := range n {
		v.Index(i).Set(nest(typ.Elem(), shape[1:], all, at))
	}
	return v
}

// DataType returns the element type: [Tensor.DType].
func (t *Tensor) DataType() DataType { return t.dtype }

// Shape returns a copy of the shape; nil for a scalar.
func (t *Tensor) Shape() []int64 { return append([]int64(nil), t.shape...) }

// Reshape returns t another shape of the same number of elements, which stay
// where they are. It is for a tensor's only owner: no other code may use t
// meanwhile. An empty shape leaves t as it is, whatever its size.
func (t *Tensor) Reshape(newShape []int64) error {
	if len(newShape) == 0 {
		return nil
	}
	n, err := NumElements(t.dtype, newShape)
	if err != nil {
		return err
	}
	if n != t.n {
		return status.Invalid("a tensor of shape %s cannot be reshaped to %s: %d elements are not %d",
			FormatDims(t.shape), FormatDims(newShape), t.n, n)
	}
	t.setShape(newShape)
	return nil
}

// View is t's elements under a header of its own, so that [Tensor.Reshape] of
// one leaves the other alone. What enters a step from a caller's hands and
// what leaves it into them is a view. An owned t becomes shared.
func (t *Tensor) View() *Tensor { return t.view(0, t.n, t.shape) }
