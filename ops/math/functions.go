package math

import (
	"github.com/troupe-go/troupe/devices/cpu/vec"
	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/kernel/elementwise"
	"github.com/troupe-go/troupe/tensor"
)

// vectors are the functions on float32 that have vector kernels.
var vectors = map[string]func(o, x []float32){
	"Acos":    vec.Acos,
	"Asin":    vec.Asin,
	"Atan":    vec.Atan,
	"Atanh":   vec.Atanh,
	"Cos":     vec.Cos,
	"Cosh":    vec.Cosh,
	"Erf":     vec.Erf,
	"Erfc":    vec.Erfc,
	"Exp":     vec.Exp,
	"Expm1":   vec.Expm1,
	"Log":     vec.Log,
	"Log1p":   vec.Log1p,
	"Rsqrt":   vec.Rsqrt,
	"Sigmoid": vec.Sigmoid,
	"Sin":     vec.Sin,
	"Sqrt":    vec.Sqrt,
	"Tanh":    vec.Tanh,
}

// float64s are the functions on float64 that have vector kernels, and these on one number,
// whose results have the same bits.
var float64s = map[string]struct {
	one  func(x float64) float64
	many func(o, x []float64)
}{
	"Exp":     {vec.ExpFloat64, vec.ExpFloat64s},
	"Log":     {vec.LogFloat64, vec.LogFloat64s},
	"Sigmoid": {vec.SigmoidFloat64, vec.SigmoidFloat64s},
	"Tanh":    {vec.TanhFloat64, vec.TanhFloat64s},
}

// newMap returns the kernel of op, which applies a function to every element: f to
// floating-point numbers, unless op has vector kernels, and c to complex ones.
func newMap(op string, dt tensor.DType, f func(float64) float64, c func(complex128) complex128) kernel.Kernel {
	switch dt {
	case tensor.Float:
		return &elementwise.Map[float32, float32]{In: dt, Out: dt, F: narrow1(f), Vector: vectors[op]}
	case tensor.Double:
		if v, ok := float64s[op]; ok {
			return &elementwise.Map[float64, float64]{In: dt, Out: dt, F: v.one, Vector: v.many}
		}
		return &elementwise.Map[float64, float64]{In: dt, Out: dt, F: f}
	case tensor.Half, tensor.Bfloat16:
		return elementwise.NarrowMap(dt, narrow1(f), vectors[op])
	}
	return newComplexMap(dt, narrowComplex1(c), c)
}

// newComplexMap is newMap for complex numbers alone.
func newComplexMap(dt tensor.DType, c64 func(complex64) complex64, c128 func(complex128) complex128) kernel.Kernel {
	switch dt {
	case tensor.Complex64:
		return &elementwise.Map[complex64, complex64]{In: dt, Out: dt, F: c64}
	case tensor.Complex128:
		return &elementwise.Map[complex128, complex128]{In: dt, Out: dt, F: c128}
	}
	return nil
}

// loops are those on float32 of functions of two operands.
var loops = map[string]elementwise.Loops[float32, float32]{
	"Atan2":    elementwise.Vectors(vec.Atan2),
	"DivNoNan": elementwise.Vectors(vec.DivNoNan),
	"MulNoNan": elementwise.Vectors(vec.MulNoNan),
	"Pow":      powers{},
	"Xdivy":    elementwise.Vectors(vec.Xdivy),
	"Xlog1py":  elementwise.By(vec.Log1p, func(o, x, y []float32) { vec.MulNoNan(o, y, x) }),
	"Xlogy":    elementwise.By(vec.Log, func(o, x, y []float32) { vec.MulNoNan(o, y, x) }),
}

// newZip returns the kernel that applies one of the functions to the pairs of elements of two
// operands: f32, whose work loops do on vectors if there are some, also for the 16-bit
// types. A function may be nil where the operation lacks its type.
func newZip(dt tensor.DType, loops elementwise.Loops[float32, float32], f32 func(x, y float32) float32, f64 func(x, y float64) float64, c64 func(x, y complex64) complex64, c128 func(x, y complex128) complex128) kernel.Kernel {
	switch dt {
	case tensor.Float:
		return &elementwise.Zip[float32, float32]{In: dt, Out: dt, F: f32, Loops: loops}
	case tensor.Double:
		return &elementwise.Zip[float64, float64]{In: dt, Out: dt, F: f64}
	case tensor.Half, tensor.Bfloat16:
		return elementwise.NarrowZip(dt, f32, loops)
	case tensor.Complex64:
		return &elementwise.Zip[complex64, complex64]{In: dt, Out: dt, F: c64}
	case tensor.Complex128:
		return &elementwise.Zip[complex128, complex128]{In: dt, Out: dt, F: c128}
	}
	return nil
}

// reals registers op for floating-point numbers, by a function on float64.
func reals(op string, f func(float64) float64, types ...tensor.DType) {
	kernel.ForTypes(op, "T", func(dt tensor.DType) kernel.Kernel { return newMap(op, dt, f, nil) }, types...)
}

// fields registers op for floating-point and complex numbers, by functions on
// float64 and complex128.
func fields(op string, f func(float64) float64, c func(complex128) complex128) {
	kernel.ForTypes(op, "T", func(dt tensor.DType) kernel.Kernel { return newMap(op, dt, f, c) }, elementwise.Fields...)
}

// fields2 is fields for two operands.
func fields2(op string, f func(x, y float64) float64, c func(x, y complex128) complex128) {
	kernel.ForTypes(op, "T", func(dt tensor.DType) kernel.Kernel {
		return newZip(dt, loops[op], narrow2(f), f, narrowComplex2(c), c)
	}, elementwise.Fields...)
}

func narrow1(f func(float64) float64) func(float32) float32 {
	return func(x float32) float32 { return float32(f(float64(x))) }
}

func narrow2(f func(x, y float64) float64) func(x, y float32) float32 {
	return func(x, y float32) float32 { return float32(f(float64(x), float64(y))) }
}

func narrowComplex1(f func(complex128) complex128) func(complex64) complex64 {
	return func(x complex64) complex64 { return complex64(f(complex128(x))) }
}

func narrowComplex2(f func(x, y complex128) complex128) func(x, y complex64) complex64 {
	return func(x, y complex64) complex64 { return complex64(f(complex128(x), complex128(y))) }
}
