package math

import (
	"math"
	"math/cmplx"

	"github.com/troupe-go/troupe/devices/cpu/vec"
	"github.com/troupe-go/troupe/graph/gradient"
	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/kernel/elementwise"
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/tensor"
)

func init() {
	registry.Define("Floor").
		Input("x: T").Output("y: T").
		Traits(registry.Elementwise | registry.Total | registry.Fusible).
		Attr("T: {bfloat16, half, float, double}").
		Doc("Rounds every element down to an integer; it stays of its type.")
	registry.Define("Ceil").
		Input("x: T").Output("y: T").
		Traits(registry.Elementwise | registry.Total | registry.Fusible).
		Attr("T: {bfloat16, half, float, double}").
		Doc("Rounds every element up to an integer; it stays of its type.")
	registry.Define("Round").
		Input("x: T").Output("y: T").
		Traits(registry.Elementwise | registry.Total | registry.Fusible).
		Attr("T: {bfloat16, half, float, double, int8, int16, int32, int64, complex64, complex128}").
		Doc("Rounds every element to the nearest integer, halves to the even one; it stays of its type.")
	registry.Define("Rint").
		Input("x: T").Output("y: T").
		Traits(registry.Elementwise | registry.Total | registry.Fusible).
		Attr("T: {bfloat16, half, float, double}").
		Doc("Rounds every float to the nearest integer, halves to the even one; it stays of its type.")
	registry.Define("Sign").
		Input("x: T").Output("y: T").
		Traits(registry.Elementwise | registry.Total | registry.Fusible).
		Attr("T: {bfloat16, half, float, double, int8, int16, int32, int64, complex64, complex128}").
		Doc("Returns the sign of every element: -1, 0 or 1, and NaN for NaN; for a complex number its direction x/|x|, or 0.")

	kernel.ForTypes("Floor", "T", byVector(vec.Floor, floor[float32], newFloor), elementwise.Floats...)
	kernel.ForTypes("Ceil", "T", byVector(vec.Ceil, ceil[float32], newCeil), elementwise.Floats...)
	kernel.ForTypes("Round", "T", byVector(vec.RoundToEven, roundToEven[float32], newRound), elementwise.Floats...)
	kernel.ForTypes("Round", "T", func(tensor.DType) kernel.Kernel { return kernel.Func(roundIntegers) }, tensor.Int32, tensor.Int64)
	kernel.ForTypes("Rint", "T", byVector(vec.RoundToEven, roundToEven[float32], newRound), tensor.Float, tensor.Double)
	kernel.ForTypes("Sign", "T", newSign, elementwise.Signed...)
	kernel.ForTypes("Sign", "T", func(dt tensor.DType) kernel.Kernel {
		return newComplexMap(dt, direction64, direction128)
	}, tensor.Complex64, tensor.Complex128)

	gradient.Flat("Floor", "Ceil", "Round", "Rint", "Sign")
}

// roundIntegers returns what TensorFlow 2.21 does, whose kernel for integers
// puts out zeros.
func roundIntegers(ctx *kernel.Context, in, out []tensor.Value) (err error) {
	out[0], err = ctx.AllocZeroed(in[0].DType(), in[0].Dims())
	return err
}

// passOn makes the input the output.
func passOn(_ *kernel.Context, in, out []tensor.Value) error {
	out[0] = in[0]
	return nil
}

func floor[T elementwise.Float](x T) T       { return T(math.Floor(float64(x))) }
func ceil[T elementwise.Float](x T) T        { return T(math.Ceil(float64(x))) }
func roundToEven[T elementwise.Float](x T) T { return T(math.RoundToEven(float64(x))) }

// sign of NaN is NaN, of either zero 0.
func sign[T elementwise.Real](x T) T {
	switch {
	case x > 0:
		return 1
	case x < 0:
		var one T = 1
		return -one
	case x == 0:
		return 0
	}
	return x
}

func direction64(x complex64) complex64 {
	if x == 0 {
		return 0
	}
	abs := float32(cmplx.Abs(complex128(x)))
	return complex(real(x)/abs, imag(x)/abs)
}

func direction128(x complex128) complex128 {
	if x == 0 {
		return 0
	}
	abs := cmplx.Abs(x)
	return complex(real(x)/abs, imag(x)/abs)
}
