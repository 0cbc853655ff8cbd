package math

import (
	"math"

	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/graph/gradient"
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/shape"
	"github.com/troupe-go/troupe/tensor"
)

func init() {
	registry.Define("BesselI0").
		Input("x: T").Output("y: T").
		Traits(registry.Elementwise | registry.Total | registry.Fusible).
		Attr("T: {bfloat16, half, float, double}").
		Doc("Computes the modified Bessel function I₀(x).")
	registry.Define("BesselI1").
		Input("x: T").Output("y: T").
		Traits(registry.Elementwise | registry.Total | registry.Fusible).
		Attr("T: {bfloat16, half, float, double}").
		Doc("Computes the modified Bessel function I₁(x).")
	registry.Define("BesselJ0").
		Input("x: T").Output("y: T").
		Traits(registry.Elementwise | registry.Total | registry.Fusible).
		Attr("T: {bfloat16, half, float, double}").
		Doc("Computes the Bessel function of the first kind J₀(x).")
	registry.Define("BesselJ1").
		Input("x: T").Output("y: T").
		Traits(registry.Elementwise | registry.Total | registry.Fusible).
		Attr("T: {bfloat16, half, float, double}").
		Doc("Computes the Bessel function of the first kind J₁(x).")
	registry.Define("BesselY0").
		Input("x: T").Output("y: T").
		Traits(registry.Elementwise | registry.Total | registry.Fusible).
		Attr("T: {bfloat16, half, float, double}").
		Doc("Computes the Bessel function of the second kind Y₀(x).")
	registry.Define("BesselY1").
		Input("x: T").Output("y: T").
		Traits(registry.Elementwise | registry.Total | registry.Fusible).
		Attr("T: {bfloat16, half, float, double}").
		Doc("Computes the Bessel function of the second kind Y₁(x).")
	registry.Define("BesselK0").
		Input("x: T").Output("y: T").
		Traits(registry.Elementwise | registry.Total | registry.Fusible).
		Attr("T: {bfloat16, half, float, double}").
		Doc("Computes the modified Bessel function of the second kind K₀(x).")
	registry.Define("BesselK1").
		Input("x: T").Output("y: T").
		Traits(registry.Elementwise | registry.Total | registry.Fusible).
		Attr("T: {bfloat16, half, float, double}").
		Doc("Computes the modified Bessel function of the second kind K₁(x).")
	registry.Define("BesselK0e").
		Input("x: T").Output("y: T").
		Traits(registry.Elementwise | registry.Total | registry.Fusible).
		Attr("T: {bfloat16, half, float, double}").
		Doc("Computes the exponentially scaled modified Bessel function exp(x)·K₀(x).")
	registry.Define("BesselK1e").
		Input("x: T").Output("y: T").
		Traits(registry.Elementwise | registry.Total | registry.Fusible).
		Attr("T: {bfloat16, half, float, double}").
		Doc("Computes the exponentially scaled modified Bessel function exp(x)·K₁(x).")

	for op, f := range map[string]func(float64) float64{
		"BesselI0":  func(x float64) float64 { return besselI(0, x) },
		"BesselI1":  func(x float64) float64 { return besselI(1, x) },
		"BesselJ0":  math.J0,
		"BesselJ1":  math.J1,
		"BesselY0":  besselY(math.Y0),
		"BesselY1":  besselY(math.Y1),
		"BesselK0":  func(x float64) float64 { return besselK(0, x, false) },
		"BesselK1":  func(x float64) float64 { return besselK(1, x, false) },
		"BesselK0e": func(x float64) float64 { return besselK(0, x, true) },
		"BesselK1e": func(x float64) float64 { return besselK(1, x, true) },
	} {
		shape.Register(shape.Unchanged, op)
		reals(op, f, tensor.Half, tensor.Float, tensor.Double)
	}

	other := func(c *gradient.Context, op string, x graph.Output) graph.Output { return c.Apply("Bessel"+op, x) }
	except0 := func(c *gradient.Context, x graph.Output, at0 float64, slope graph.Output) graph.Output {
		return c.Select(c.Apply("Equal", x, c.Scalar(x, 0)), c.Scalar(x, at0), slope)
	}
	for op, slope := range map[string]func(c *gradient.Context, x, y graph.Output) graph.Output{
		"I0": func(c *gradient.Context, x, _ graph.Output) graph.Output { return other(c, "I1", x) },
		"I1": func(c *gradient.Context, x, y graph.Output) graph.Output { // at 0 what TensorFlow gives; it is 1/2
			return except0(c, x, 1, c.Sub(other(c, "I0", x), c.Div(y, x)))
		},
		"J0": func(c *gradient.Context, x, _ graph.Output) graph.Output { return c.Neg(other(c, "J1", x)) },
		"J1": func(c *gradient.Context, x, y graph.Output) graph.Output {
			return except0(c, x, 0.5, c.Sub(other(c, "J0", x), c.Div(y, x)))
		},
		"Y0": func(c *gradient.Context, x, _ graph.Output) graph.Output { return c.Neg(other(c, "Y1", x)) },
		"Y1": func(c *gradient.Context, x, y graph.Output) graph.Output {
			return c.Sub(other(c, "Y0", x), c.Div(y, x))
		},
		"K0":  func(c *gradient.Context, x, _ graph.Output) graph.Output { return c.Neg(other(c, "K1", x)) },
		"K0e": func(c *gradient.Context, x, y graph.Output) graph.Output { return c.Sub(y, other(c, "K1e", x)) },
		"K1": func(c *gradient.Context, x, y graph.Output) graph.Output {
			return c.Sub(c.Neg(other(c, "K0", x)), c.Div(y, x))
		},
		"K1e": func(c *gradient.Context, x, y graph.Output) graph.Output {
			return c.Sub(c.Mul(y, c.Sub(c.Scalar(x, 1), c.Reciprocal(x))), other(c, "K0e", x))
		},
	} {
		gradient.Map(slope, "Bessel"+op)
	}
}

// besselI is I(x), the modified Bessel function of order 0 or 1.
func besselI(order, x float64) float64 {
	if math.IsInf(x, 0) {
		return math.Copysign(math.Inf(1), math.Pow(x, order))
	}
	half := math.Exp(math.Abs(x) / 2) // whose square may be infinite where the result is not
	return besselE(order, x) * half * half
}

// besselY is f, a Bessel function of the second kind, with -∞ also below 0, as
// TensorFlow has it.
func besselY(f func(float64) float64) func(float64) float64 {
	return func(x float64) float64 {
		if x < 0 {
			return math.Inf(-1)
		}
		return f(x)
	}
}

// besselK is K(x), the modified Bessel function of the second kind of order 0
// or 1, or exp(x)·K(x).
func besselK(order, x float64, scaled bool) float64 {
	switch {
	case math.IsNaN(x):
		return x
	case x <= 0:
		return math.Inf(1) // also below 0, as TensorFlow has it
	case math.IsInf(x, 1):
		return 0
	case x < 1:
		k := besselKSeries(order, x)
		if scaled {
			k *= math.Exp(x)
		}
		return k
	}
	// DLMF 10.32.9: exp(x)·K(x) is the integral of exp(-x(cosh t - 1))·cosh(order·t)
	// over t > 0. The trapezoidal rule converges exponentially.
	h := min(0.125, 0.5/math.Sqrt(x))
	sum := 0.5
	for t := h; ; t += h {
		s := math.Sinh(t / 2)
		term := math.Exp(-2 * x * s * s)
		if order == 1 {
			term *= math.Cosh(t)
		}
		sum += term
		if term < sum*0x1p-56 {
			break
		}
	}
	sum *= h
	if scaled {
		return sum
	}
	return sum * math.Exp(-x)
}

// besselKSeries is K(x) for small x > 0: DLMF 10.31.1 and 10.31.2.
func besselKSeries(order, x float64) float64 {
	const gamma = 0.57721566490153286060651209008240243 // Euler's
	q, log := x*x/4, math.Log(x/2)
	// The sum over k of q^k / (k! (k+order)!), and that with digamma functions.
	term, digammas := 1.0, -2*gamma+order
	i, s := 0.0, 0.0
	for k := 1.0; k < 40; k++ {
		i += term
		s += term * digammas
		term *= q / (k * (k + order))
		digammas += 1/k + 1/(k+order)
	}
	if order == 0 {
		return -log*i + s/2
	}
	return 1/x + log*i*x/2 - s*x/4
}
