package math

import (
	"math"
	"math/cmplx"

	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/graph/gradient"
	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/kernel/elementwise"
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/tensor"
)

func init() {
	registry.Define("Complex").
		Input("real: T").Input("imag: T").Output("out: Tout").
		Traits(registry.Elementwise | registry.Total).
		Attr("T: {float, double} = DT_FLOAT").
		Attr("Tout: {complex64, complex128} = DT_COMPLEX64").
		Doc(`Makes complex numbers of real and imaginary parts, with broadcasting.

Tout: The type of the numbers: complex64 of float, complex128 of double.`)
	registry.Define("Real").
		Input("input: T").Output("output: Tout").
		Traits(registry.Elementwise | registry.Total).
		Attr("T: {complex64, complex128} = DT_COMPLEX64").
		Attr("Tout: {float, double} = DT_FLOAT").
		Doc(`Takes the real part of every element.

Tout: The type of the result: float of complex64, double of complex128.`)
	registry.Define("Imag").
		Input("input: T").Output("output: Tout").
		Traits(registry.Elementwise | registry.Total).
		Attr("T: {complex64, complex128} = DT_COMPLEX64").
		Attr("Tout: {float, double} = DT_FLOAT").
		Doc(`Takes the imaginary part of every element.

Tout: The type of the result: float of complex64, double of complex128.`)
	registry.Define("Conj").
		Input("input: T").Output("output: T").
		Traits(registry.Elementwise | registry.Total).
		Attr("T: {complex64, complex128, variant} = DT_COMPLEX64").
		Doc("Takes the complex conjugate of every element; real elements are unchanged.")
	registry.Define("ComplexAbs").
		Input("x: T").Output("y: Tout").
		Traits(registry.Elementwise | registry.Total).
		Attr("T: {complex64, complex128} = DT_COMPLEX64").
		Attr("Tout: {float, double} = DT_FLOAT").
		Doc(`Takes the absolute value of every complex element.

Tout: The type of the result: float of complex64, double of complex128.`)
	registry.Define("Angle").
		Input("input: T").Output("output: Tout").
		Traits(registry.Elementwise | registry.Total).
		Attr("T: {complex64, complex128} = DT_COMPLEX64").
		Attr("Tout: {float, double} = DT_FLOAT").
		Doc(`Takes the argument of every complex element, in (-π, π].

Tout: The type of the angles.`)

	between("Complex", tensor.Float, tensor.Complex64,
		&elementwise.Zip[float32, complex64]{In: tensor.Float, Out: tensor.Complex64, F: func(x, y float32) complex64 { return complex(x, y) }})
	between("Complex", tensor.Double, tensor.Complex128,
		&elementwise.Zip[float64, complex128]{In: tensor.Double, Out: tensor.Complex128, F: func(x, y float64) complex128 { return complex(x, y) }})
	part("Real", func(x complex64) float32 { return real(x) }, func(x complex128) float64 { return real(x) })
	part("Imag", func(x complex64) float32 { return imag(x) }, func(x complex128) float64 { return imag(x) })
	part("ComplexAbs", magnitude, cmplx.Abs)
	part("Angle", func(x complex64) float32 { return float32(cmplx.Phase(complex128(x))) }, cmplx.Phase)
	kernel.ForTypes("Conj", "T", func(dt tensor.DType) kernel.Kernel {
		return newComplexMap(dt, narrowComplex1(cmplx.Conj), cmplx.Conj)
	}, tensor.Complex64, tensor.Complex128)
	kernel.ForTypes("Conj", "T", func(tensor.DType) kernel.Kernel { return kernel.Func(passOn) }, tensor.Variant)

	gradient.Unary(func(c *gradient.Context, x, _, dy graph.Output) graph.Output {
		return c.Neg(c.Mul(complexOf(c, dy, c.Scalar(dy, 0)), c.Reciprocal(complexOf(c, c.Op("Imag", realPart(x), x), c.Op("Real", realPart(x), x)))))
	}, "Angle")
	gradient.Unary(func(c *gradient.Context, _, _, dy graph.Output) graph.Output {
		return complexOf(c, dy, c.Scalar(dy, 0))
	}, "Real")
	gradient.Unary(func(c *gradient.Context, _, _, dy graph.Output) graph.Output {
		return complexOf(c, c.Scalar(dy, 0), dy)
	}, "Imag")
	gradient.Binary(
		func(c *gradient.Context, _, _, _, dz graph.Output) graph.Output {
			return c.Op("Real", realPart(dz), dz)
		},
		func(c *gradient.Context, _, _, _, dz graph.Output) graph.Output {
			return c.Op("Imag", realPart(dz), dz)
		}, "Complex")
	gradient.Unary(func(c *gradient.Context, x, y, dy graph.Output) graph.Output {
		zero := c.Scalar(dy, 0)
		return c.Apply("DivNoNan", c.Mul(complexOf(c, dy, zero), x), complexOf(c, y, zero))
	}, "ComplexAbs")
	gradient.Unary(func(c *gradient.Context, _, _, dy graph.Output) graph.Output { return c.Conj(dy) }, "Conj")
}

// complexOf is re+i·im, with broadcasting.
func complexOf(c *gradient.Context, re, im graph.Output) graph.Output {
	if re.Op == nil {
		return re
	}
	out := tensor.Complex64
	if re.DataType() == tensor.Double {
		out = tensor.Complex128
	}
	return c.Op("Complex", graph.Attrs{"Tout": out}, re, im)
}

// realPart returns the attributes of an operation that takes parts of z.
func realPart(z graph.Output) graph.Attrs {
	if z.Op != nil && z.DataType() == tensor.Complex128 {
		return graph.Attrs{"Tout": tensor.Double}
	}
	return nil
}

// between registers a kernel for one pair of the types T and Tout.
func between(op string, from, to tensor.DType, k kernel.Kernel) {
	kernel.Register(kernel.Registration{
		Op: op, Types: map[string][]tensor.DType{"T": {from}, "Tout": {to}},
		New: func(*kernel.Construction) (kernel.Kernel, error) { return k, nil },
	})
}

// magnitude needs no scaling, as float64 holds squares of float32.
func magnitude(x complex64) float32 {
	r, i := float64(real(x)), float64(imag(x))
	if a := math.Sqrt(r*r + i*i); a == a {
		return float32(a)
	}
	return float32(math.Hypot(r, i)) // infinite if one is, also if the other is NaN
}

// part registers an operation from complex to real numbers.
func part(op string, c64 func(complex64) float32, c128 func(complex128) float64) {
	between(op, tensor.Complex64, tensor.Float, &elementwise.Map[complex64, float32]{In: tensor.Complex64, Out: tensor.Float, F: c64})
	between(op, tensor.Complex128, tensor.Double, &elementwise.Map[complex128, float64]{In: tensor.Complex128, Out: tensor.Double, F: c128})
}
