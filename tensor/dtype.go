package tensor

import (
	"fmt"
	"reflect"
	"unsafe"
)

// A DType is an element type, numbered as TensorFlow's DataType. A reference
// type is its base type plus 100: what a VariableV2 puts out.
type DType uint8

// The element types.
const (
	Invalid           DType = 0
	Float             DType = 1
	Double            DType = 2
	Int32             DType = 3
	Uint8             DType = 4
	Int16             DType = 5
	Int8              DType = 6
	String            DType = 7
	Complex64         DType = 8
	Int64             DType = 9
	Bool              DType = 10
	Qint8             DType = 11
	Quint8            DType = 12
	Qint32            DType = 13
	Bfloat16          DType = 14
	Qint16            DType = 15
	Quint16           DType = 16
	Uint16            DType = 17
	Complex128        DType = 18
	Half              DType = 19
	Resource          DType = 20
	Variant           DType = 21
	Uint32            DType = 22
	Uint64            DType = 23
	Float8e5m2        DType = 24
	Float8e4m3fn      DType = 25
	Float8e4m3fnuz    DType = 26
	Float8e4m3b11fnuz DType = 27
	Float8e5m2fnuz    DType = 28
	Int4              DType = 29
	Uint4             DType = 30
	Int2              DType = 31
	Uint2             DType = 32

	refOffset = 100
)

// Float16 is the bit pattern of an IEEE half (DT_HALF).
type Float16 uint16

// BFloat16 is the upper half of a float32's bits (DT_BFLOAT16).
type BFloat16 uint16

type dtypeInfo struct {
	name    string // as in Python: "float32"
	proto   string // as in the protocol buffers: "DT_FLOAT"
	size    uint8  // bytes of an element in memory; 0 for those that hold pointers
	pointer bool   // elements hold Go pointers: string, resource, variant
}

var dtypes = [33]dtypeInfo{
	Float: {"float32", "DT_FLOAT", 4, false}, Double: {"float64", "DT_DOUBLE", 8, false},
	Int32: {"int32", "DT_INT32", 4, false}, Uint8: {"uint8", "DT_UINT8", 1, false},
	Int16: {"int16", "DT_INT16", 2, false}, Int8: {"int8", "DT_INT8", 1, false},
	String: {"string", "DT_STRING", 0, true}, Complex64: {"complex64", "DT_COMPLEX64", 8, false},
	Int64: {"int64", "DT_INT64", 8, false}, Bool: {"bool", "DT_BOOL", 1, false},
	Qint8: {"qint8", "DT_QINT8", 1, false}, Quint8: {"quint8", "DT_QUINT8", 1, false},
	Qint32: {"qint32", "DT_QINT32", 4, false}, Bfloat16: {"bfloat16", "DT_BFLOAT16", 2, false},
	Qint16: {"qint16", "DT_QINT16", 2, false}, Quint16: {"quint16", "DT_QUINT16", 2, false},
	Uint16: {"uint16", "DT_UINT16", 2, false}, Complex128: {"complex128", "DT_COMPLEX128", 16, false},
	Half: {"float16", "DT_HALF", 2, false}, Resource: {"resource", "DT_RESOURCE", 0, true},
	Variant: {"variant", "DT_VARIANT", 0, true}, Uint32: {"uint32", "DT_UINT32", 4, false},
	Uint64: {"uint64", "DT_UINT64", 8, false}, Float8e5m2: {"float8_e5m2", "DT_FLOAT8_E5M2", 1, false},
	Float8e4m3fn:      {"float8_e4m3fn", "DT_FLOAT8_E4M3FN", 1, false},
	Float8e4m3fnuz:    {"float8_e4m3fnuz", "DT_FLOAT8_E4M3FNUZ", 1, false},
	Float8e4m3b11fnuz: {"float8_e4m3b11fnuz", "DT_FLOAT8_E4M3B11FNUZ", 1, false},
	Float8e5m2fnuz:    {"float8_e5m2fnuz", "DT_FLOAT8_E5M2FNUZ", 1, false},
	Int4:              {"int4", "DT_INT4", 1, false}, Uint4: {"uint4", "DT_UINT4", 1, false},
	Int2: {"int2", "DT_INT2", 1, false}, Uint2: {"uint2", "DT_UINT2", 1, false},
}

// Valid reports whether d is a known type, reference types included.
func (d DType) Valid() bool { b := d.Base(); return b > 0 && int(b) < len(dtypes) }

// IsRef reports whether d is a reference type.
func (d DType) IsRef() bool { return d > refOffset }

// Base is d without the reference.
func (d DType) Base() DType {
	if d > refOffset {
		return d - refOffset
	}
	return d
}

// Ref returns the reference type of d.
func (d DType) Ref() DType { return d.Base() + refOffset }

// Size returns the number of bytes of one element in memory and in tensor_content;
// 0 for string, resource and variant.
func (d DType) Size() int { return int(sizes[d]) }

// sizes has the size of every DType there can be, references among them.
var sizes = func() (sizes [256]uint8) {
	for d := range sizes {
		if b := DType(d).Base(); int(b) < len(dtypes) {
			sizes[d] = dtypes[b].size
		}
	}
	return sizes
}()

// HasPointers reports whether elements are Go values that hold pointers: string,
// resource and variant.
func (d DType) HasPointers() bool {
	b := d.Base()
	return int(b) < len(dtypes) && dtypes[b].pointer
}

// isFloat reports whether elements are floating-point or complex numbers.
func (d DType) isFloat() bool {
	switch d {
	case Float, Double, Half, Bfloat16, Complex64, Complex128,
		Float8e5m2, Float8e4m3fn, Float8e4m3fnuz, Float8e4m3b11fnuz, Float8e5m2fnuz:
		return true
	}
	return false
}

// String returns the name that TensorFlow's messages use: "float", "int32",
// "half", "float_ref".
func (d DType) String() string {
	if !d.Valid() {
		return fmt.Sprintf("unknown dtype %d", uint8(d))
	}
	b := d.Base()
	name := dtypes[b].name
	switch b {
	case Float:
		name = "float"
	case Double:
		name = "double"
	case Half:
		name = "half"
	}
	if d.IsRef() {
		name += "_ref"
	}
	return name
}

// NumpyName returns the name in Python: "float32", "float16", "int32".
func (d DType) NumpyName() string {
	if !d.Valid() {
		return d.String()
	}
	return dtypes[d.Base()].name
}

// ProtoName returns the enum value's name: "DT_FLOAT", "DT_FLOAT_REF".
func (d DType) ProtoName() string {
	if !d.Valid() {
		return "DT_INVALID"
	}
	name := dtypes[d.Base()].proto
	if d.IsRef() {
		name += "_REF"
	}
	return name
}

// ParseDType reads any of the three spellings: "float", "float32", "DT_FLOAT",
// each with "_ref" or "_REF" for a reference type.
func ParseDType(name string) (DType, bool) {
	d, ok := dtypeByName[name]
	return d, ok
}

var dtypeByName = func() map[string]DType {
	m := map[string]DType{}
	for d := Float; int(d) < len(dtypes); d++ {
		for _, v := range []DType{d, d.Ref()} {
			m[v.String()], m[v.ProtoName()] = v, v
		}
		m[dtypes[d].name] = d
		m[dtypes[d].name+"_ref"] = d.Ref()
	}
	return m
}()

// An Element is a Go type that tensors can hold. Several dtypes share one:
// quantized types are their integers, Half and Bfloat16 their bit patterns.
type Element interface {
	~bool | ~int8 | ~int16 | ~int32 | ~int64 | ~uint8 | ~uint16 | ~uint32 | ~uint64 |
		~float32 | ~float64 | ~complex64 | ~complex128 | ~string | *Handle | *Object
}

// A Handle is the element of a Resource tensor: it names a resource, and holds
// it once it has been looked up.
type Handle struct {
	Device, Container, Name, Type string
	Value                         any // the resource itself, if the handle was made with it
}

// An Object is the element of a Variant tensor: an immutable value such as a
// TensorList. A nil *Object is an empty variant.
type Object struct {
	Value any
}

// DTypeOf returns the dtype whose elements are T. bool is Bool, uint16 is Uint16,
// Float16 is Half, BFloat16 is Bfloat16, *Handle is Resource, *Object is Variant;
// any other named type is its underlying one.
func DTypeOf[T Element]() DType {
	var z T
	return dtypeOf(z)
}

func dtypeOf(z any) DType {
	switch z.(type) {
	case float32:
		return Float
	case float64:
		return Double
	case int32:
		return Int32
	case int64:
		return Int64
	case bool:
		return Bool
	case uint8:
		return Uint8
	case int8:
		return Int8
	case int16:
		return Int16
	case uint16:
		return Uint16
	case uint32:
		return Uint32
	case uint64:
		return Uint64
	case complex64:
		return Complex64
	case complex128:
		return Complex128
	case string:
		return String
	case Float16:
		return Half
	case BFloat16:
		return Bfloat16
	case *Handle:
		return Resource
	case *Object:
		return Variant
	}
	return dtypeOfKind(reflect.TypeOf(z))
}

// MemorySize returns the number of bytes an element takes in memory, for every dtype.
func (d DType) MemorySize() int {
	if n := d.Size(); n > 0 {
		return n
	}
	switch d.Base() {
	case String:
		return int(unsafe.Sizeof(""))
	case Resource, Variant:
		return int(unsafe.Sizeof((*Handle)(nil)))
	}
	return 0
}
