package math

import (
	"math"
	"math/cmplx"
	"slices"

	"github.com/troupe-go/troupe/devices/cpu/vec"
	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/graph/gradient"
	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/kernel/elementwise"
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

func init() {
	registry.Define("Exp").
		Input("x: T").Output("y: T").
		Traits(registry.Elementwise | registry.Total | registry.Fusible).
		Attr("T: {bfloat16, half, float, double, complex64, complex128}").
		Doc("Computes e to the power of every element.")
	registry.Define("Expm1").
		Input("x: T").Output("y: T").
		Traits(registry.Elementwise | registry.Total | registry.Fusible).
		Attr("T: {bfloat16, half, float, double, complex64, complex128}").
		Doc("Computes e to the power of every element, minus 1, exactly near 0.")
	registry.Define("Log").
		Input("x: T").Output("y: T").
		Traits(registry.Elementwise | registry.Total | registry.Fusible).
		Attr("T: {bfloat16, half, float, double, complex64, complex128}").
		Doc("Takes the natural logarithm of every element: -∞ for 0, NaN for a negative one.")
	registry.Define("Log1p").
		Input("x: T").Output("y: T").
		Traits(registry.Elementwise | registry.Total | registry.Fusible).
		Attr("T: {bfloat16, half, float, double, complex64, complex128}").
		Doc("Takes the natural logarithm of 1 plus every element, exactly near 0; below -1 it is NaN.")
	registry.Define("Sqrt").
		Input("x: T").Output("y: T").
		Traits(registry.Elementwise | registry.Total | registry.Fusible).
		Attr("T: {bfloat16, half, float, double, complex64, complex128}").
		Doc("Takes the square root of every element, NaN for a negative one.")
	registry.Define("Rsqrt").
		Input("x: T").Output("y: T").
		Traits(registry.Elementwise | registry.Total | registry.Fusible).
		Attr("T: {bfloat16, half, float, double, complex64, complex128}").
		Doc("Takes the reciprocal of the square root of every element: ∞ for 0, NaN for a negative one.")
	registry.Define("Pow").
		Input("x: T").Input("y: T").Output("z: T").
		Traits(registry.Elementwise | registry.Fusible).
		Attr("T: {bfloat16, float, half, double, int8, int16, int32, int64, complex64, complex128}").
		Doc("Raises x to the power of y, with broadcasting; an integer may not be raised to a negative power.")
	registry.Define("Sigmoid").
		Input("x: T").Output("y: T").
		Traits(registry.Elementwise | registry.Total | registry.Fusible | registry.Activation).
		Attr("T: {bfloat16, half, float, double, complex64, complex128}").
		Doc("Computes 1/(1+exp(-x)), the logistic function.")
	registry.Define("Xlogy").
		Input("x: T").Input("y: T").Output("z: T").
		Traits(registry.Elementwise | registry.Total | registry.Fusible).
		Attr("T: {half, bfloat16, float, double, complex64, complex128}").
		Doc("Computes x·log(y) with broadcasting; where x is 0 the result is 0.")
	registry.Define("Xlog1py").
		Input("x: T").Input("y: T").Output("z: T").
		Traits(registry.Elementwise | registry.Total | registry.Fusible).
		Attr("T: {half, bfloat16, float, double, complex64, complex128}").
		Doc("Computes x·log(1+y) with broadcasting; where x is 0 the result is 0.")
	registry.Define("Xdivy").
		Input("x: T").Input("y: T").Output("z: T").
		Traits(registry.Elementwise | registry.Total | registry.Fusible).
		Attr("T: {half, bfloat16, float, double, complex64, complex128}").
		Doc("Computes x/y with broadcasting; where x is 0 the result is 0.")

	fields("Exp", math.Exp, complexExp)
	fields("Expm1", math.Expm1, func(x complex128) complex128 { return complexExp(x) - 1 })
	fields("Log", math.Log, cmplx.Log)
	fields("Log1p", math.Log1p, log1p)
	registerRoot("Sqrt", squareRoot[float32], newSqrt, cmplx.Sqrt)
	registerRoot("Rsqrt", reciprocalSquareRoot[float32], newRsqrt, func(x complex128) complex128 { return 1 / cmplx.Sqrt(x) })
	kernel.ForTypes("Pow", "T", func(dt tensor.DType) kernel.Kernel {
		return newZip(dt, loops["Pow"], narrow2(math.Pow), math.Pow, narrowComplex2(power), power)
	}, elementwise.Fields...)
	integerPower[int8](tensor.Int8)
	integerPower[int16](tensor.Int16)
	integerPower[int32](tensor.Int32)
	integerPower[int64](tensor.Int64)
	fields("Sigmoid", sigmoid, func(x complex128) complex128 { return 1 / (1 + complexExp(-x)) })
	fields2("Xlogy", guarded(math.Log, times[float64]), guarded(cmplx.Log, times[complex128]))
	fields2("Xlog1py", guarded(math.Log1p, times[float64]), guarded(log1p, times[complex128]))
	fields2("Xdivy", guarded(same[float64], over[float64]), guarded(same[complex128], over[complex128]))

	gradient.Unary(func(c *gradient.Context, _, y, dy graph.Output) graph.Output { return c.Mul(dy, c.Conj(y)) }, "Exp")
	gradient.Unary(func(c *gradient.Context, x, _, dy graph.Output) graph.Output {
		return c.Mul(dy, c.Reciprocal(c.Conj(x)))
	}, "Log")
	gradient.Map(func(c *gradient.Context, x, _ graph.Output) graph.Output { return c.Exp(x) }, "Expm1")
	gradient.Map(func(c *gradient.Context, x, _ graph.Output) graph.Output {
		return c.Reciprocal(c.Add(c.Scalar(x, 1), x))
	}, "Log1p")
	gradient.Unary(func(c *gradient.Context, _, y, dy graph.Output) graph.Output { return c.Apply("SqrtGrad", y, dy) }, "Sqrt")
	gradient.Unary(func(c *gradient.Context, _, y, dy graph.Output) graph.Output { return c.Apply("RsqrtGrad", y, dy) }, "Rsqrt")
	gradient.Unary(func(c *gradient.Context, _, y, dy graph.Output) graph.Output {
		return c.Apply("SigmoidGrad", c.Conj(y), dy)
	}, "Sigmoid")
	gradient.Binary(
		func(c *gradient.Context, x, y, _, dz graph.Output) graph.Output {
			x, y = c.Conj(x), c.Conj(y)
			return c.Mul(c.Mul(dz, y), c.Pow(x, c.Sub(y, c.Scalar(y, 1))))
		},
		func(c *gradient.Context, x, _, z, dz graph.Output) graph.Output {
			return c.Mul(c.Mul(dz, c.Conj(z)), logOfBase(c, c.Conj(x)))
		}, "Pow")
	gradient.Binary(
		func(c *gradient.Context, x, y, _, dz graph.Output) graph.Output {
			return c.Mul(c.Apply("Xlogy", notZero(c, x), y), dz)
		},
		func(c *gradient.Context, x, y, _, dz graph.Output) graph.Output {
			return c.Mul(c.Apply("Xdivy", x, y), dz)
		}, "Xlogy")
	gradient.Binary(
		func(c *gradient.Context, x, y, _, dz graph.Output) graph.Output {
			return c.Mul(c.Apply("Xlog1py", notZero(c, x), y), dz)
		},
		func(c *gradient.Context, x, y, _, dz graph.Output) graph.Output {
			return c.Mul(c.Apply("Xdivy", x, c.Add(y, c.Scalar(y, 1))), dz)
		}, "Xlog1py")
	gradient.Binary(
		func(c *gradient.Context, x, y, _, dz graph.Output) graph.Output {
			return c.Mul(c.Apply("Xdivy", notZero(c, x), y), dz)
		},
		func(c *gradient.Context, x, y, _, dz graph.Output) graph.Output {
			return c.Mul(c.Apply("Xdivy", c.Neg(x), c.Square(y)), dz)
		}, "Xdivy")
}

// logOfBase is log(x) where a power of x depends on its exponent smoothly, that is
// for positive numbers and complex ones other than 0, and 0 elsewhere.
func logOfBase(c *gradient.Context, x graph.Output) graph.Output {
	zero := c.Scalar(x, 0)
	test := "Greater"
	if x.Op != nil && slices.Contains([]tensor.DType{tensor.Complex64, tensor.Complex128}, x.DataType()) {
		test = "NotEqual"
	}
	smooth := c.Apply(test, x, zero)
	return c.Select(smooth, c.Log(c.Select(smooth, x, c.Scalar(x, 1))), zero)
}

// notZero is 1 where x is not 0, and 0 where it is.
func notZero(c *gradient.Context, x graph.Output) graph.Output {
	if x.Op == nil {
		return x
	}
	return c.Cast(c.Apply("NotEqual", x, c.Scalar(x, 0)), x.DataType())
}

func registerRoot(op string, f func(float32) float32, reals func(tensor.DType) kernel.Kernel, c func(complex128) complex128) {
	kernel.ForTypes(op, "T", func(dt tensor.DType) kernel.Kernel {
		if dt == tensor.Float {
			return &elementwise.Map[float32, float32]{In: dt, Out: dt, F: f, Vector: vectors[op]}
		}
		if k := reals(dt); k != nil {
			return k
		}
		return newComplexMap(dt, narrowComplex1(c), c)
	}, elementwise.Fields...)
}

func squareRoot[T elementwise.Float](x T) T           { return T(math.Sqrt(float64(x))) }
func reciprocalSquareRoot[T elementwise.Float](x T) T { return T(1 / math.Sqrt(float64(x))) }

func sigmoid(x float64) float64 { return 1 / (1 + math.Exp(-x)) }

// log1p keeps its precision near 0 by W. Kahan's method: the rounding of 1+x
// is undone in the quotient.
func log1p(x complex128) complex128 {
	u := 1 + x
	if u == 1 || cmplx.IsInf(x) {
		return x
	}
	return cmplx.Log(u) * x / (u - 1)
}

// guarded is f(x, g(y)), and 0 where x is.
func guarded[T elementwise.Field](g func(T) T, f func(x, y T) T) func(x, y T) T {
	return func(x, y T) T {
		if x == 0 {
			return 0
		}
		return f(x, g(y))
	}
}

func same[T elementwise.Field](x T) T { return x }

// powers are the loops of Pow.
type powers struct{}

func (powers) VV(o, x, y []float32)                   { vec.Pow(o, x, y) }
func (powers) SV(o []float32, x float32, y []float32) { elementwise.Vectors(vec.Pow).SV(o, x, y) }

// VS raises a vector to one power. The cube has the bits of math.Pow's.
func (powers) VS(o, x []float32, y float32) {
	switch y {
	case 2:
		vec.Mul(o, x, x)
	case 3:
		for i, x := range x[:len(o)] {
			x := float64(x)
			o[i] = float32(float64(x*x) * x)
		}
	default:
		vec.PowScalar(o, x, y)
	}
}

// power is cmplx.Pow, but 0 to the power of 0 is 1.
func power(x, y complex128) complex128 {
	if y == 0 {
		return 1
	}
	return cmplx.Pow(x, y)
}

//go:noinline
func integerPower[T elementwise.Integer](dt tensor.DType) {
	kernel.ForTypes("Pow", "T", func(tensor.DType) kernel.Kernel {
		return &elementwise.Zip[T, T]{In: dt, Out: dt, F: repeatedSquare[T], Check: withoutNegative[T]}
	}, dt)
}

func withoutNegative[T elementwise.Integer](y []T) error {
	for _, y := range y {
		if y < 0 {
			return status.Invalid("Integers to negative integer powers are not allowed")
		}
	}
	return nil
}

// repeatedSquare is x to the power of y, which is not negative.
func repeatedSquare[T elementwise.Integer](x, y T) T {
	r := T(1)
	for ; y > 0; y >>= 1 {
		if y&1 != 0 {
			r *= x
		}
		x *= x
	}
	return r
}
