package math

import (
	"math"

	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/graph/gradient"
	"github.com/troupe-go/troupe/kernel/elementwise"
	"github.com/troupe-go/troupe/registry"
)

func init() {
	registry.Define("Sin").
		Input("x: T").Output("y: T").
		Traits(registry.Elementwise | registry.Total | registry.Fusible).
		Attr("T: {bfloat16, half, float, double, complex64, complex128}").
		Doc("Takes the sine of every element, in radians.")
	registry.Define("Cos").
		Input("x: T").Output("y: T").
		Traits(registry.Elementwise | registry.Total | registry.Fusible).
		Attr("T: {bfloat16, half, float, double, complex64, complex128}").
		Doc("Takes the cosine of every element, in radians.")
	registry.Define("Tan").
		Input("x: T").Output("y: T").
		Traits(registry.Elementwise | registry.Total | registry.Fusible).
		Attr("T: {bfloat16, half, float, double, complex64, complex128}").
		Doc("Takes the tangent of every element, in radians.")
	registry.Define("Asin").
		Input("x: T").Output("y: T").
		Traits(registry.Elementwise | registry.Total | registry.Fusible).
		Attr("T: {bfloat16, half, float, double, complex64, complex128}").
		Doc("Takes the inverse sine of every element, in radians from -π/2 to π/2; NaN outside of [-1, 1].")
	registry.Define("Acos").
		Input("x: T").Output("y: T").
		Traits(registry.Elementwise | registry.Total | registry.Fusible).
		Attr("T: {bfloat16, half, float, double, complex64, complex128}").
		Doc("Takes the inverse cosine of every element, in radians from 0 to π; NaN outside of [-1, 1].")
	registry.Define("Atan").
		Input("x: T").Output("y: T").
		Traits(registry.Elementwise | registry.Total | registry.Fusible).
		Attr("T: {bfloat16, half, float, double, complex64, complex128}").
		Doc("Takes the inverse tangent of every element, in radians from -π/2 to π/2.")
	registry.Define("Atan2").
		Input("y: T").Input("x: T").Output("z: T").
		Traits(registry.Elementwise | registry.Total | registry.Fusible).
		Attr("T: {bfloat16, half, float, double}").
		Doc(`Computes the angle of the point (x, y), in radians from -π to π, with broadcasting.

y: The second coordinate, which comes first here.`)
	registry.Define("Sinh").
		Input("x: T").Output("y: T").
		Traits(registry.Elementwise | registry.Total | registry.Fusible).
		Attr("T: {bfloat16, half, float, double, complex64, complex128}").
		Doc("Takes the hyperbolic sine of every element.")
	registry.Define("Cosh").
		Input("x: T").Output("y: T").
		Traits(registry.Elementwise | registry.Total | registry.Fusible).
		Attr("T: {bfloat16, half, float, double, complex64, complex128}").
		Doc("Takes the hyperbolic cosine of every element.")
	registry.Define("Tanh").
		Input("x: T").Output("y: T").
		Traits(registry.Elementwise | registry.Total | registry.Fusible | registry.Activation).
		Attr("T: {bfloat16, half, float, double, complex64, complex128}").
		Doc("Takes the hyperbolic tangent of every element.")
	registry.Define("Asinh").
		Input("x: T").Output("y: T").
		Traits(registry.Elementwise | registry.Total | registry.Fusible).
		Attr("T: {bfloat16, half, float, double, complex64, complex128}").
		Doc("Takes the inverse hyperbolic sine of every element.")
	registry.Define("Acosh").
		Input("x: T").Output("y: T").
		Traits(registry.Elementwise | registry.Total | registry.Fusible).
		Attr("T: {bfloat16, half, float, double, complex64, complex128}").
		Doc("Takes the inverse hyperbolic cosine of every element; NaN below 1.")
	registry.Define("Atanh").
		Input("x: T").Output("y: T").
		Traits(registry.Elementwise | registry.Total | registry.Fusible).
		Attr("T: {bfloat16, half, float, double, complex64, complex128}").
		Doc("Takes the inverse hyperbolic tangent of every element; NaN outside of [-1, 1].")

	fields("Sin", math.Sin, complexSin)
	fields("Cos", math.Cos, complexCos)
	fields("Tan", math.Tan, complexTan)
	fields("Asin", arcsine, complexAsin)
	fields("Acos", arccosine, complexAcos)
	fields("Atan", math.Atan, complexAtan)
	floats2("Atan2", narrow2(math.Atan2), math.Atan2, elementwise.Floats...)
	fields("Sinh", sinh, complexSinh)
	fields("Cosh", cosh, complexCosh)
	fields("Tanh", math.Tanh, complexTanh)
	fields("Asinh", math.Asinh, complexAsinh)
	fields("Acosh", math.Acosh, complexAcosh)
	fields("Atanh", math.Atanh, complexAtanh)

	gradient.Unary(func(c *gradient.Context, x, _, dy graph.Output) graph.Output {
		return c.Mul(dy, c.Apply("Cos", c.Conj(x)))
	}, "Sin")
	gradient.Unary(func(c *gradient.Context, x, _, dy graph.Output) graph.Output {
		return c.Mul(c.Neg(dy), c.Apply("Sin", c.Conj(x)))
	}, "Cos")
	gradient.Unary(func(c *gradient.Context, _, y, dy graph.Output) graph.Output {
		return c.Apply("TanhGrad", c.Conj(y), dy)
	}, "Tanh")
	gradient.Map(func(c *gradient.Context, x, _ graph.Output) graph.Output {
		return c.Square(c.Reciprocal(c.Apply("Cos", x)))
	}, "Tan")
	gradient.Map(func(c *gradient.Context, x, _ graph.Output) graph.Output {
		return c.Apply("Rsqrt", oneMinusSquare(c, x))
	}, "Asin")
	gradient.Map(func(c *gradient.Context, x, _ graph.Output) graph.Output {
		return c.Neg(c.Apply("Rsqrt", oneMinusSquare(c, x)))
	}, "Acos")
	gradient.Map(func(c *gradient.Context, x, _ graph.Output) graph.Output {
		return c.Reciprocal(c.Add(c.Scalar(x, 1), c.Square(x)))
	}, "Atan")
	gradient.Binary(
		func(c *gradient.Context, y, x, _, dz graph.Output) graph.Output {
			return c.Mul(x, overSquare(c, dz, x, y))
		},
		func(c *gradient.Context, y, x, _, dz graph.Output) graph.Output {
			return c.Mul(c.Neg(y), overSquare(c, dz, x, y))
		}, "Atan2")
	gradient.Map(func(c *gradient.Context, x, _ graph.Output) graph.Output { return c.Apply("Cosh", x) }, "Sinh")
	gradient.Map(func(c *gradient.Context, x, _ graph.Output) graph.Output { return c.Apply("Sinh", x) }, "Cosh")
	gradient.Map(func(c *gradient.Context, _, y graph.Output) graph.Output { return c.Reciprocal(c.Apply("Cosh", y)) }, "Asinh")
	gradient.Map(func(c *gradient.Context, _, y graph.Output) graph.Output { return c.Reciprocal(c.Apply("Sinh", y)) }, "Acosh")
	gradient.Map(func(c *gradient.Context, x, _ graph.Output) graph.Output { return c.Reciprocal(oneMinusSquare(c, x)) }, "Atanh")
}

// oneMinusSquare is 1-x².
func oneMinusSquare(c *gradient.Context, x graph.Output) graph.Output {
	return c.Sub(c.Scalar(x, 1), c.Square(x))
}

// overSquare is dz/(x²+y²).
func overSquare(c *gradient.Context, dz, x, y graph.Output) graph.Output {
	return c.Div(dz, c.Add(c.Square(x), c.Square(y)))
}

// arcsine is asin x. Near the ends it goes by the half angle, for 1 - x is
// exact there and 1 - x·x is not.
func arcsine(x float64) float64 {
	switch {
	case x > 0.5:
		return math.Pi/2 - 2*math.Asin(math.Sqrt((1-x)/2))
	case x < -0.5:
		return 2*math.Asin(math.Sqrt((1+x)/2)) - math.Pi/2
	}
	return math.Asin(x)
}

// arccosine is acos x, likewise.
func arccosine(x float64) float64 {
	switch {
	case x > 0.5:
		return 2 * math.Asin(math.Sqrt((1-x)/2))
	case x < -0.5:
		return math.Pi - 2*math.Asin(math.Sqrt((1+x)/2))
	}
	return math.Pi/2 - math.Asin(x)
}
