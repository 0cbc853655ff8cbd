package math

import (
	"math"

	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/tensor"
)

func init() {
	registry.Define("Igamma").
		Input("a: T").Input("x: T").Output("z: T").
		Attr("T: {bfloat16, half, float, double}").
		Doc("Computes P(a, x), the lower incomplete gamma function divided by Γ(a), with broadcasting.")
	registry.Define("Igammac").
		Input("a: T").Input("x: T").Output("z: T").
		Attr("T: {bfloat16, half, float, double}").
		Doc("Computes Q(a, x) = 1 - P(a, x), the upper incomplete gamma function divided by Γ(a), with broadcasting.")
	registry.Define("IgammaGradA").
		Input("a: T").Input("x: T").Output("z: T").
		Attr("T: {float, double}").
		Doc("Computes the derivative of Igamma with respect to a.")
	registry.Define("Betainc").
		Input("a: T").Input("b: T").Input("x: T").Output("z: T").
		Attr("T: {float, double}").
		Doc("Computes the regularized incomplete beta function I_x(a, b), with broadcasting.")
	registry.Define("Polygamma").
		Input("a: T").Input("x: T").Output("z: T").
		Attr("T: {float, double}").
		Doc("Computes the derivative of order a of the digamma function at x, with broadcasting.")
	registry.Define("Zeta").
		Input("x: T").Input("q: T").Output("z: T").
		Attr("T: {float, double}").
		Doc(`Computes the Hurwitz zeta function with broadcasting: the sum of (q + n)^-x for n from 0 on.

x: The exponent, above 1.`)
	registry.Define("BesselI0e").
		Input("x: T").Output("y: T").
		Attr("T: {bfloat16, half, float, double}").
		Doc("Computes the exponentially scaled modified Bessel function exp(-|x|)·I₀(x).")
	registry.Define("BesselI1e").
		Input("x: T").Output("y: T").
		Attr("T: {bfloat16, half, float, double}").
		Doc("Computes the exponentially scaled modified Bessel function exp(-|x|)·I₁(x).")
	registry.Define("NextAfter").
		Input("x1: T").Input("x2: T").Output("output: T").
		Attr("T: {double, float} = DT_FLOAT").
		Doc("Gives, with broadcasting, the float that comes after x1 on the way to x2; it is x1 where they are equal.")

	kernel.ForTypes("NextAfter", "T", func(dt tensor.DType) kernel.Kernel {
		return newZip(dt, math.Nextafter32, math.Nextafter, nil, nil)
	}, tensor.Float, tensor.Double)
}
