package math

import (
	"math"

	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/graph/gradient"
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/tensor"
)

func init() {
	registry.Define("BesselI0e").
		Input("x: T").Output("y: T").
		Traits(registry.Elementwise | registry.Total | registry.Fusible).
		Attr("T: {bfloat16, half, float, double}").
		Doc("Computes the exponentially scaled modified Bessel function exp(-|x|)·I₀(x).")
	registry.Define("BesselI1e").
		Input("x: T").Output("y: T").
		Traits(registry.Elementwise | registry.Total | registry.Fusible).
		Attr("T: {bfloat16, half, float, double}").
		Doc("Computes the exponentially scaled modified Bessel function exp(-|x|)·I₁(x).")

	for op, order := range map[string]float64{"BesselI0e": 0, "BesselI1e": 1} {
		reals(op, func(x float64) float64 { return besselE(order, x) }, tensor.Half, tensor.Float, tensor.Double)
	}

	gradient.Map(func(c *gradient.Context, x, y graph.Output) graph.Output {
		return c.Sub(c.Apply("BesselI1e", x), c.Mul(c.Apply("Sign", x), y))
	}, "BesselI0e")
	gradient.Map(func(c *gradient.Context, x, y graph.Output) graph.Output {
		zero := c.Apply("Equal", x, c.Scalar(x, 0))
		safe := c.Select(zero, c.Scalar(x, 1), x)
		slope := c.Sub(c.Apply("BesselI0e", x), c.Mul(y, c.Add(c.Apply("Sign", x), c.Reciprocal(safe))))
		return c.Select(zero, c.Scalar(x, 0.5), slope)
	}, "BesselI1e")
}

// besselE is exp(-|x|)·I(x), the modified Bessel function of order 0 or 1: the
// power series, DLMF 10.25.2, whose terms are all of one sign, or from 20 on the
// asymptotic one, DLMF 10.40.1, whose least term is then below 1e-17.
func besselE(order, x float64) float64 {
	abs := math.Abs(x)
	sum, term := 1.0, 1.0
	if abs < 20 {
		for k := 1.0; term > sum*0x1p-54; k++ {
			term *= x / 2 / k * (x / 2 / (k + order))
			sum += term
		}
		return math.Pow(x/2, order) * sum * math.Exp(-abs)
	}
	for k := 1.0; k < 40 && math.Abs(term) > 0x1p-54; k++ {
		term *= -(4*order*order - (2*k-1)*(2*k-1)) / (8 * abs * k)
		sum += term
	}
	return math.Copysign(sum/math.Sqrt(2*math.Pi*abs), math.Pow(x, order))
}
