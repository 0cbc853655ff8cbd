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
		Doc("Computes the lower regularized incomplete gamma function P(a, x).")
	registry.Define("Igammac").
		Input("a: T").Input("x: T").Output("z: T").
		Attr("T: {bfloat16, half, float, double}").
		Doc("Computes the upper regularized incomplete gamma function Q(a, x) = 1 - P(a, x).")
	registry.Define("IgammaGradA").
		Input("a: T").Input("x: T").Output("z: T").
		Attr("T: {float, double}").
		Doc("Computes the derivative of Igamma with respect to a.")
	registry.Define("Betainc").
		Input("a: T").Input("b: T").Input("x: T").Output("z: T").
		Attr("T: {float, double}").
		Doc("Computes the regularized incomplete beta function I_x(a, b).")
	registry.Define("Polygamma").
		Input("a: T").Input("x: T").Output("z: T").
		Attr("T: {float, double}").
		Doc("Computes the derivative of order a of the digamma function.")
	registry.Define("Zeta").
		Input("x: T").Input("q: T").Output("z: T").
		Attr("T: {float, double}").
		Doc("Computes the Hurwitz zeta function: the sum of (q + n)^-x for n from 0 on.")
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
		Doc("Gives the float next to x1 in the direction of x2.")

	kernel.ForTypes("NextAfter", "T", func(dt tensor.DType) kernel.Kernel {
		return newZip(dt, math.Nextafter32, math.Nextafter, nil, nil)
	}, tensor.Float, tensor.Double)
}
