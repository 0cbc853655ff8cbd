package elementwise

import (
	"slices"

	"github.com/troupe-go/troupe/tensor"
)

// The sets of Go types that arithmetic is generic over. half and bfloat16 are
// in none of them: they go through float32.

// Integer is the integers.
type Integer interface {
	int8 | int16 | int32 | int64 | uint8 | uint16 | uint32 | uint64
}

// Float is the floating-point numbers.
type Float interface{ float32 | float64 }

// Real is the ordered numbers.
type Real interface{ Integer | Float }

// Field is the numbers that can be divided.
type Field interface{ Float | complex64 | complex128 }

// Number is all numbers.
type Number interface{ Real | complex64 | complex128 }

// Bool is the truth values.
type Bool interface{ bool }

// The dtypes of those sets, 16-bit floating-point types included, as kernels
// are registered with them.
var (
	Integers = []tensor.DType{tensor.Int8, tensor.Int16, tensor.Int32, tensor.Int64, tensor.Uint8, tensor.Uint16, tensor.Uint32, tensor.Uint64}
	Floats   = []tensor.DType{tensor.Half, tensor.Bfloat16, tensor.Float, tensor.Double}
	Fields   = slices.Concat(Floats, []tensor.DType{tensor.Complex64, tensor.Complex128})
	Reals    = slices.Concat(Floats, Integers)
	Numbers  = slices.Concat(Reals, []tensor.DType{tensor.Complex64, tensor.Complex128})
	Signed   = slices.Concat(Floats, []tensor.DType{tensor.Int8, tensor.Int16, tensor.Int32, tensor.Int64})
)
