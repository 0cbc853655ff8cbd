package math

import (
	"math"

	"github.com/troupe-go/troupe/devices/cpu/vec"
	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/graph/gradient"
	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/kernel/elementwise"
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/tensor"
)

func init() {
	registry.Define("Erf").
		Input("x: T").Output("y: T").
		Traits(registry.Elementwise | registry.Total | registry.Fusible).
		Attr("T: {bfloat16, half, float, double}").
		Doc("Computes the error function of every element.")
	registry.Define("Erfc").
		Input("x: T").Output("y: T").
		Traits(registry.Elementwise | registry.Total | registry.Fusible).
		Attr("T: {bfloat16, half, float, double}").
		Doc("Computes 1 minus the error function of every element, exactly where that is near 0.")
	registry.Define("Erfinv").
		Input("x: T").Output("y: T").
		Traits(registry.Elementwise | registry.Total | registry.Fusible).
		Attr("T: {bfloat16, half, float, double}").
		Doc("Computes the inverse error function of every element; NaN outside of [-1, 1].")
	registry.Define("Ndtri").
		Input("x: T").Output("y: T").
		Traits(registry.Elementwise | registry.Total | registry.Fusible).
		Attr("T: {bfloat16, half, float, double}").
		Doc("Computes the quantile of the standard normal distribution for every element, a probability; NaN outside of [0, 1].")
	registry.Define("Lgamma").
		Input("x: T").Output("y: T").
		Traits(registry.Elementwise | registry.Total | registry.Fusible).
		Attr("T: {bfloat16, half, float, double}").
		Doc("Takes log|Γ(x)| for every element x.")
	registry.Define("Digamma").
		Input("x: T").Output("y: T").
		Traits(registry.Elementwise | registry.Total | registry.Fusible).
		Attr("T: {bfloat16, half, float, double}").
		Doc("Computes the derivative of lgamma at every element.")

	reals("Erf", math.Erf, tensor.Half, tensor.Bfloat16, tensor.Float)
	reals("Erf", erfDouble, tensor.Double)
	reals("Erfc", math.Erfc, elementwise.Floats...)
	reals("Erfinv", math.Erfinv, tensor.Float, tensor.Double)
	reals("Ndtri", ndtri, tensor.Float, tensor.Double)
	reals("Lgamma", lgamma, tensor.Half, tensor.Float, tensor.Double)
	kernel.ForTypes("Digamma", "T", func(dt tensor.DType) kernel.Kernel {
		if dt == tensor.Half {
			return elementwise.NarrowMap(dt, digammaFloat, digammas)
		}
		return &elementwise.Map[float32, float32]{In: dt, Out: dt, F: digammaFloat, Vector: digammas, Slow: true}
	}, tensor.Half, tensor.Float)
	reals("Digamma", digamma, tensor.Double)

	gradient.Map(func(c *gradient.Context, x, _ graph.Output) graph.Output { return c.Apply("Digamma", x) }, "Lgamma")
	gradient.Map(func(c *gradient.Context, x, _ graph.Output) graph.Output {
		return c.Apply("Polygamma", c.Scalar(x, 1), x)
	}, "Digamma")
	for op, factor := range map[string]float64{"Erf": 2 / math.SqrtPi, "Erfc": -2 / math.SqrtPi} {
		gradient.Map(func(c *gradient.Context, x, _ graph.Output) graph.Output {
			return c.Mul(c.Scalar(x, factor), c.Exp(c.Neg(c.Square(x))))
		}, op)
	}
	gradient.Map(func(c *gradient.Context, _, y graph.Output) graph.Output {
		return c.Mul(c.Scalar(y, math.SqrtPi/2), c.Exp(c.Square(y)))
	}, "Erfinv")
	gradient.Map(func(c *gradient.Context, _, y graph.Output) graph.Output {
		return c.Mul(c.Scalar(y, math.Sqrt2*math.SqrtPi), c.Exp(c.Div(c.Square(y), c.Scalar(y, 2))))
	}, "Ndtri")
}

// erfDouble is NaN at the infinities, as TensorFlow 2.21 answers for float64.
func erfDouble(x float64) float64 {
	if math.IsInf(x, 0) {
		return math.NaN()
	}
	return math.Erf(x)
}

// lgamma grows at both ends.
func lgamma(x float64) float64 {
	if math.IsInf(x, -1) {
		return math.Inf(1)
	}
	y, _ := math.Lgamma(x)
	return y
}

// digamma reflects negative arguments, steps small ones up to 10 by the recurrence
// ψ(x) = ψ(x+1) - 1/x, and sums the asymptotic series, of which the error is below 1e-16 from
// there on. It is NaN at the poles.
func digamma(x float64) float64 {
	switch {
	case math.IsNaN(x) || math.IsInf(x, -1):
		return math.NaN()
	case math.IsInf(x, 1):
		return x
	case x <= 0:
		_, part := math.Modf(x)
		if part == 0 {
			return math.NaN()
		}
		return digamma(1-x) - math.Pi/math.Tan(math.Pi*part)
	}
	y := 0.0
	for ; x < 10; x++ {
		y -= 1 / x
	}
	return y + math.Log(x) - digammaRest(1/x)
}

// digammaRest is log(x) - ψ(x) for large x, from 1/x, by the asymptotic series of Abramowitz
// and Stegun, 6.3.18.
func digammaRest(r float64) float64 {
	z := r * r
	return 0.5*r + z*(1.0/12-z*(1.0/120-z*(1.0/252-z*(1.0/240-z*(1.0/132-z*(691.0/32760-z/12))))))
}

// digammas sets o to the digamma function of x, by digamma(x+7), of which the series has an
// error below 2e-14.
func digammas(o, x []float32) {
	var log, rest [batch]float64
	for len(o) > 0 {
		n := min(len(o), batch)
		for i, x := range x[:n] {
			// 1/x + 1/(x+1) + … + 1/(x+6) with one division: u, v and w are x(x+6), (x+1)(x+5) and
			// (x+2)(x+4).
			x := float64(x)
			middle, u := x+3, x*(x+6)
			v, w := u+5, u+8
			all := u * v * w
			steps := (all + 2*middle*middle*(v*w+u*(v+w))) / (middle * all)
			log[i] = x + 7
			rest[i] = steps + digammaRest(1/(x+7))
		}
		vec.LogFloat64s(log[:n], log[:n])
		for i, x := range x[:n] {
			if x > 0 && x <= math.MaxFloat32 {
				o[i] = float32(log[i] - rest[i])
			} else {
				o[i] = float32(digamma(float64(x)))
			}
		}
		o, x = o[n:], x[n:]
	}
}

func digammaFloat(x float32) float32 {
	o := [1]float32{}
	digammas(o[:], []float32{x})
	return o[0]
}
