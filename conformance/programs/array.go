package programs

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/troupe-go/troupe/tensor"
)

// A Value is what a variable holds while the evaluator runs: an [*Array], a
// [*Items], an [*Object], or nothing that will ever come, after an error.
type Value any

// An Array is a tensor as the evaluator has it. Arrays never change.
type Array struct {
	Type  tensor.DType
	Dims  []int
	elems []number // in row-major order
}

// Items is the list of a variable of kind List. It never changes.
type Items struct {
	Of   Type // of the elements
	list []*Array
}

// An Object is what a handle names.
type Object struct {
	Of    Type
	now   *Array   // of a variable
	along []*Array // of a variable, the directions in which what is read of it changes
	items []*Array // of a TensorArray or Stack
}

func newArray(dt tensor.DType, dims []int) *Array {
	return &Array{dt, dims, make([]number, product(dims))}
}

func scalar(dt tensor.DType, x number) *Array { return &Array{dt, nil, []number{x}} }

func scalarInt(x int) *Array { return scalar(tensor.Int32, number{i: int64(x)}) }

// Int returns the number in an integer scalar.
func (a *Array) Int() int { return int(a.elems[0].i) }

// True returns what a bool scalar says.
func (a *Array) True() bool { return a.elems[0].i != 0 }

// at calls f for every element of dims with its index, which f must not keep.
func eachIndex(dims []int, f func(k int, index []int)) {
	index := make([]int, len(dims))
	for k := range product(dims) {
		f(k, index)
		for i := len(dims) - 1; i >= 0; i-- {
			if index[i]++; index[i] < dims[i] {
				break
			}
			index[i] = 0
		}
	}
}

// place returns where the element of that index stands.
func place(dims, index []int) int {
	k := 0
	for i, d := range dims {
		k = k*d + index[i]
	}
	return k
}

// pull makes an array whose element at an index is a's at another one.
func pull(a *Array, dims []int, from func(index, src []int)) *Array {
	o := newArray(a.Type, dims)
	src := make([]int, len(a.Dims))
	eachIndex(dims, func(k int, index []int) {
		from(index, src)
		o.elems[k] = a.elems[place(a.Dims, src)]
	})
	return o
}

// spread returns a with the dimensions that broadcasting gives it.
func spread(a *Array, dims []int) *Array {
	if slices.Equal(a.Dims, dims) {
		return a
	}
	lead := len(dims) - len(a.Dims)
	return pull(a, dims, func(index, src []int) {
		for i, d := range a.Dims {
			if src[i] = index[lead+i]; d == 1 {
				src[i] = 0
			}
		}
	})
}

// together broadcasts two arrays.
func together(a, b *Array) (x, y *Array) {
	dims, ok := broadcast(Type{Dims: a.Dims}, Type{Dims: b.Dims}, false)
	if !ok {
		panic(unclear(fmt.Sprintf("shapes %v and %v", a.Dims, b.Dims)))
	}
	return spread(a, dims), spread(b, dims)
}

// String is "float32[2]{1 2}".
func (a *Array) String() string {
	var w strings.Builder
	fmt.Fprintf(&w, "%v{", tensorType(a.Type, a.Dims...))
	for i, x := range a.elems {
		if i > 0 {
			w.WriteByte(' ')
		}
		w.WriteString(x.text(a.Type))
	}
	w.WriteByte('}')
	return w.String()
}

// Equal reports whether two arrays are the same; zeros are equal, and NaNs.
func (a *Array) Equal(b *Array) bool {
	return a.Type == b.Type && slices.Equal(a.Dims, b.Dims) && slices.EqualFunc(a.elems, b.elems, same)
}

// Tensor returns the array as the executor takes it.
func (a *Array) Tensor() *tensor.Tensor {
	shape := make([]int64, len(a.Dims))
	for i, d := range a.Dims {
		shape[i] = int64(d)
	}
	switch a.Type {
	case tensor.Bool:
		return encode(a, shape, func(x number) bool { return x.i != 0 })
	case tensor.Int8:
		return encode(a, shape, func(x number) int8 { return int8(x.i) })
	case tensor.Int16:
		return encode(a, shape, func(x number) int16 { return int16(x.i) })
	case tensor.Int32:
		return encode(a, shape, func(x number) int32 { return int32(x.i) })
	case tensor.Int64:
		return encode(a, shape, func(x number) int64 { return x.i })
	case tensor.Uint8:
		return encode(a, shape, func(x number) uint8 { return uint8(x.i) })
	case tensor.Uint16:
		return encode(a, shape, func(x number) uint16 { return uint16(x.i) })
	case tensor.Uint32:
		return encode(a, shape, func(x number) uint32 { return uint32(x.i) })
	case tensor.Uint64:
		return encode(a, shape, func(x number) uint64 { return uint64(x.i) })
	case tensor.Half:
		return encode(a, shape, func(x number) tensor.Float16 { return tensor.Float16(halfBits(x.re)) })
	case tensor.Bfloat16:
		return encode(a, shape, func(x number) tensor.BFloat16 { return tensor.BFloat16(math.Float32bits(float32(x.re)) >> 16) })
	case tensor.Float:
		return encode(a, shape, func(x number) float32 { return float32(x.re) })
	case tensor.Double:
		return encode(a, shape, func(x number) float64 { return x.re })
	case tensor.Complex64:
		return encode(a, shape, func(x number) complex64 { return complex(float32(x.re), float32(x.im)) })
	case tensor.Complex128:
		return encode(a, shape, func(x number) complex128 { return complex(x.re, x.im) })
	}
	panic(fmt.Sprintf("programs: no tensors of %v", a.Type))
}

func encode[T tensor.Element](a *Array, shape []int64, f func(number) T) *tensor.Tensor {
	data := make([]T, len(a.elems))
	for i, x := range a.elems {
		data[i] = f(x)
	}
	t, err := tensor.FromSlice(data, shape...)
	if err != nil {
		panic(err)
	}
	return t
}

// FromValue returns what an executor answered as an array.
func FromValue(v tensor.Value) (*Array, error) {
	dims := make([]int, v.Rank())
	for i := range dims {
		dims[i] = v.Dim(i)
	}
	a := newArray(v.DType(), dims)
	switch v.DType() {
	case tensor.Bool:
		decode(a, v, func(x bool) number { return truth(x) })
	case tensor.Int8:
		decode(a, v, func(x int8) number { return number{i: int64(x)} })
	case tensor.Int16:
		decode(a, v, func(x int16) number { return number{i: int64(x)} })
	case tensor.Int32:
		decode(a, v, func(x int32) number { return number{i: int64(x)} })
	case tensor.Int64:
		decode(a, v, func(x int64) number { return number{i: x} })
	case tensor.Uint8:
		decode(a, v, func(x uint8) number { return number{i: int64(x)} })
	case tensor.Uint16:
		decode(a, v, func(x uint16) number { return number{i: int64(x)} })
	case tensor.Uint32:
		decode(a, v, func(x uint32) number { return number{i: int64(x)} })
	case tensor.Uint64:
		decode(a, v, func(x uint64) number { return number{i: int64(x)} })
	case tensor.Half:
		decode(a, v, func(x tensor.Float16) number { return number{re: halfValue(uint16(x))} })
	case tensor.Bfloat16:
		decode(a, v, func(x tensor.BFloat16) number { return number{re: float64(math.Float32frombits(uint32(x) << 16))} })
	case tensor.Float:
		decode(a, v, func(x float32) number { return number{re: float64(x)} })
	case tensor.Double:
		decode(a, v, func(x float64) number { return number{re: x} })
	case tensor.Complex64:
		decode(a, v, func(x complex64) number { return number{re: float64(real(x)), im: float64(imag(x))} })
	case tensor.Complex128:
		decode(a, v, func(x complex128) number { return number{re: real(x), im: imag(x)} })
	default:
		return nil, fmt.Errorf("a tensor of %v", v.DType())
	}
	return a, nil
}

func decode[T tensor.Element](a *Array, v tensor.Value, f func(T) number) {
	for i, x := range tensor.Of[T](&v) {
		a.elems[i] = f(x)
	}
}
