package math

import (
	"math"

	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/graph/gradient"
	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/kernel/elementwise"
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

func init() {
	registry.Define("Div").
		Input("x: T").Input("y: T").Output("z: T").
		Traits(registry.Elementwise | registry.Fusible).
		Attr("T: {bfloat16, half, float, double, uint8, int8, uint16, int16, int32, uint32, uint64, int64, complex64, complex128}").
		Doc("Divides x by y with broadcasting; the quotient of integers is rounded toward 0, and an integer 0 for y is an error.")
	registry.Define("RealDiv").
		Input("x: T").Input("y: T").Output("z: T").
		Traits(registry.Elementwise | registry.Total | registry.Fusible).
		Attr("T: {bfloat16, half, float, double, uint8, int8, uint16, int16, int32, uint32, uint64, int64, complex64, complex128}").
		Doc("Divides x by y with broadcasting.")
	registry.Define("TruncateDiv").
		Input("x: T").Input("y: T").Output("z: T").
		Traits(registry.Elementwise | registry.Fusible).
		Attr("T: {bfloat16, half, float, double, uint8, int8, uint16, int16, int32, uint32, uint64, int64, complex64, complex128}").
		Doc("Divides x by y with broadcasting and rounds the quotient toward 0; an integer 0 for y is an error.")
	registry.Define("FloorDiv").
		Input("x: T").Input("y: T").Output("z: T").
		Traits(registry.Elementwise | registry.Fusible).
		Attr("T: {bfloat16, half, float, double, uint8, int8, uint16, int16, int32, uint32, uint64, int64, complex64, complex128}").
		Doc("Divides x by y with broadcasting and rounds the quotient down; an integer 0 for y is an error.")
	registry.Define("DivNoNan").
		Input("x: T").Input("y: T").Output("z: T").
		Traits(registry.Elementwise | registry.Total | registry.Fusible).
		Attr("T: {half, float, bfloat16, double, complex64, complex128}").
		Doc("Divides x by y with broadcasting; where y is 0 the result is 0.")
	registry.Define("Mod").
		Input("x: T").Input("y: T").Output("z: T").
		Traits(registry.Elementwise | registry.Fusible).
		Attr("T: {int32, int64, half, half, bfloat16, float, double}").
		Doc("Computes the remainder of x divided by y, with x's sign and with broadcasting; an integer 0 for y is an error.")
	registry.Define("TruncateMod").
		Input("x: T").Input("y: T").Output("z: T").
		Traits(registry.Elementwise | registry.Fusible).
		Attr("T: {int32, int64, bfloat16, half, float, double}").
		Doc("Computes the remainder of x divided by y, with x's sign and with broadcasting; an integer 0 for y is an error.")
	registry.Define("FloorMod").
		Input("x: T").Input("y: T").Output("z: T").
		Traits(registry.Elementwise | registry.Fusible).
		Attr("T: {int8, int16, int32, int64, uint8, uint16, uint32, uint64, bfloat16, half, float, double}").
		Doc("Computes the remainder of x divided by y, with y's sign and with broadcasting; an integer 0 for y is an error.")
	registry.Define("Reciprocal").
		Input("x: T").Output("y: T").
		Traits(registry.Elementwise | registry.Total | registry.Fusible).
		Attr("T: {bfloat16, half, float, double, int8, int16, int32, int64, complex64, complex128}").
		Doc("Divides 1 by every element; ∞ for 0.")
	registry.Define("Inv").
		Input("x: T").Output("y: T").
		Traits(registry.Elementwise | registry.Total | registry.Fusible).
		Attr("T: {bfloat16, half, float, double, int8, int16, int32, int64, complex64, complex128}").
		Doc("Divides 1 by every element; ∞ for 0.")

	kernel.ForTypes("Div", "T", newFieldDiv, elementwise.Fields...)
	kernel.ForTypes("Div", "T", newIntDiv, elementwise.Integers...)
	kernel.ForTypes("RealDiv", "T", newFieldDiv, elementwise.Fields...)
	kernel.ForTypes("TruncateDiv", "T", newIntDiv, elementwise.Integers...)
	floats2("TruncateDiv", func(x, y float32) float32 { return float32(math.Trunc(float64(x / y))) }, func(x, y float64) float64 { return math.Trunc(x / y) }, elementwise.Floats...)
	kernel.ForTypes("FloorDiv", "T", newFloorDiv, elementwise.Integers...)
	floats2("FloorDiv", func(x, y float32) float32 { return float32(math.Floor(float64(x / y))) }, func(x, y float64) float64 { return math.Floor(x / y) }, elementwise.Floats...)
	kernel.ForTypes("DivNoNan", "T", func(dt tensor.DType) kernel.Kernel {
		return newZip(dt, loops["DivNoNan"], unlessZero(over[float32]), unlessZero(over[float64]), unlessZero(over64), unlessZero(over128))
	}, elementwise.Fields...)
	for _, op := range []string{"Mod", "TruncateMod"} {
		kernel.ForTypes(op, "T", newTruncMod, tensor.Int32, tensor.Int64)
		floats2(op, mod, math.Mod, tensor.Float, tensor.Double)
	}
	kernel.ForTypes("FloorMod", "T", newFloorMod, elementwise.Integers...)
	floats2("FloorMod", floorMod32, floorMod, elementwise.Floats...)
	kernel.ForTypes("Reciprocal", "T", newReciprocal, elementwise.Fields...)
	kernel.ForTypes("Inv", "T", newReciprocal, elementwise.Fields...)

	gradient.Binary(
		func(c *gradient.Context, _, y, _, dz graph.Output) graph.Output { return c.Div(dz, c.Conj(y)) },
		func(c *gradient.Context, x, y, _, dz graph.Output) graph.Output {
			x, y = c.Conj(x), c.Conj(y)
			return c.Mul(dz, c.Div(c.Div(c.Neg(x), y), y))
		}, "Div", "RealDiv")
	gradient.Binary(
		func(c *gradient.Context, _, y, _, dz graph.Output) graph.Output {
			return c.Apply("DivNoNan", dz, c.Conj(y))
		},
		func(c *gradient.Context, x, y, _, dz graph.Output) graph.Output {
			x, y = c.Conj(x), c.Conj(y)
			return c.Mul(dz, c.Apply("DivNoNan", c.Apply("DivNoNan", c.Neg(x), y), y))
		}, "DivNoNan")
	gradient.Flat("FloorDiv", "TruncateDiv")
	gradient.Binary(partialOfSum, func(c *gradient.Context, x, y, _, dz graph.Output) graph.Output {
		return c.Mul(dz, c.Neg(c.Apply("FloorDiv", x, y)))
	}, "FloorMod")
	gradient.Unary(func(c *gradient.Context, _, y, dy graph.Output) graph.Output {
		return c.Apply("ReciprocalGrad", y, dy)
	}, "Reciprocal", "Inv")
}

// floats2 registers op for floating-point numbers.
func floats2(op string, f32 func(x, y float32) float32, f64 func(x, y float64) float64, types ...tensor.DType) {
	kernel.ForTypes(op, "T", func(dt tensor.DType) kernel.Kernel { return newZip(dt, loops[op], f32, f64, nil, nil) }, types...)
}

func divisionByZero() error { return status.Invalid("Integer division by zero") }

func withoutZero[T elementwise.Integer](y tensor.Memory) error {
	for _, y := range tensor.Elements[T](y) {
		if y == 0 {
			return divisionByZero()
		}
	}
	return nil
}

func over[T elementwise.Field](x, y T) T    { return x / y }
func reciprocal[T elementwise.Field](x T) T { return 1 / x }

func newFieldDiv(dt tensor.DType) kernel.Kernel {
	if k := newRealDiv(dt); k != nil {
		return k
	}
	switch dt {
	case tensor.Complex64:
		return &complexDiv[complex64]{elementwise.Zip[complex64, complex64]{In: dt, Out: dt, F: over64}, smith64, 4}
	case tensor.Complex128:
		return &complexDiv[complex128]{elementwise.Zip[complex128, complex128]{In: dt, Out: dt, F: over128}, smith128, 2}
	}
	return nil
}

// A complexDiv divides as TensorFlow's vector code does, and the last elements,
// which fill no vector of lanes elements, as its scalar code does. It cannot be prepared,
// as vectors alone could.
type complexDiv[T complex64 | complex128] struct {
	vectors elementwise.Zip[T, T]
	scalar  func(x, y T) T
	lanes   int
}

func (k *complexDiv[T]) Run(ctx *kernel.Context, in, out []tensor.Value) error {
	b, err := elementwise.NewBroadcast(in[0].Dims(), in[1].Dims())
	if err != nil {
		return err
	}
	n, err := tensor.NumElements(k.vectors.Out, b.Dims)
	if err != nil {
		return err
	}
	var tail [4]T
	first := n / k.lanes * k.lanes
	x, y := tensor.Of[T](&in[0]), tensor.Of[T](&in[1])
	b.Pairs(first, n, func(i, xi, yi int) { tail[i-first] = k.scalar(x[xi], y[yi]) })
	if err := elementwise.Binary(ctx, in, out, k.vectors.Out, &k.vectors, nil); err != nil {
		return err
	}
	copy(tensor.Of[T](&out[0])[first:], tail[:n-first])
	return nil
}

// smith64 and smith128 divide by R. Smith's method ("Algorithm 116: Complex
// division", 1962).

func smith64(x, y complex64) complex64 {
	a, b, c, d := real(x), imag(x), real(y), imag(y)
	if max(c, -c) < max(d, -d) {
		r := c / d
		den := float32(c*r) + d
		return complex((float32(a*r)+b)/den, (float32(b*r)-a)/den)
	}
	r := d / c
	den := c + float32(d*r)
	return complex((a+float32(b*r))/den, (b-float32(a*r))/den)
}

func smith128(x, y complex128) complex128 {
	a, b, c, d := real(x), imag(x), real(y), imag(y)
	if max(c, -c) < max(d, -d) {
		r := c / d
		den := float64(c*r) + d
		return complex((float64(a*r)+b)/den, (float64(b*r)-a)/den)
	}
	r := d / c
	den := c + float64(d*r)
	return complex((a+float64(b*r))/den, (b-float64(a*r))/den)
}

// over64 and over128 divide by the divisor scaled to a largest part of 1, and
// then by the scale, as Eigen does; every step is rounded.

func over64(x, y complex64) complex64 {
	a, b, c, d := real(x), imag(x), real(y), imag(y)
	scale := max(max(c, -c), max(d, -d))
	c, d = c/scale, d/scale
	norm := float32(c*c) + float32(d*d)
	re, im := float32(a*c)+float32(b*d), float32(b*c)-float32(a*d)
	return complex(re/norm/scale, im/norm/scale)
}

func over128(x, y complex128) complex128 {
	a, b, c, d := real(x), imag(x), real(y), imag(y)
	scale := max(max(c, -c), max(d, -d))
	c, d = c/scale, d/scale
	norm := float64(c*c) + float64(d*d)
	re, im := float64(a*c)+float64(b*d), float64(b*c)-float64(a*d)
	return complex(re/norm/scale, im/norm/scale)
}

// Go defines the quotient of the least integer and -1 as that integer.

func quotient[T elementwise.Integer](x, y T) T  { return x / y }
func remainder[T elementwise.Integer](x, y T) T { return x % y }

func floorQuotient[T elementwise.Integer](x, y T) T {
	q := x / y
	if (x < 0) != (y < 0) && q*y != x {
		q--
	}
	return q
}

func floorRemainder[T elementwise.Integer](x, y T) T {
	r := x % y
	if r != 0 && (r < 0) != (y < 0) {
		r += y
	}
	return r
}

// mod is [math.Mod], in less time where the quotient has fewer than 29 bits: then its
// product by y is exact in double, and so is what is left of x, and the quotient is wrong by
// one at most.
func mod(x, y float32) float32 {
	a, b := float64(x), math.Abs(float64(y))
	q := math.Trunc(a / b)
	if !(math.Abs(q) < 1<<29 && b <= math.MaxFloat32) {
		return float32(math.Mod(a, b))
	}
	r := a - float64(q*b)
	switch {
	case a > 0 && r < 0:
		r += b
	case a < 0 && r > 0:
		r -= b
	}
	return float32(math.Copysign(r, a)) // 0 has x's sign
}

// floorMod32 is floorMod of floats.
func floorMod32(x, y float32) float32 {
	r := mod(x, y)
	if r != 0 && (r < 0) != (y < 0) {
		return r + y
	}
	return r
}

// floorMod adds y to the remainder that C's fmod gives, where its sign differs
// from y's.
func floorMod(x, y float64) float64 {
	r := math.Mod(x, y)
	if r != 0 && (r < 0) != (y < 0) {
		r += y
	}
	return r
}
