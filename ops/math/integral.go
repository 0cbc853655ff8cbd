package math

import (
	"math"
	"math/cmplx"

	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/graph/gradient"
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/shape"
	"github.com/troupe-go/troupe/tensor"
)

func init() {
	registry.Define("Dawsn").
		Input("x: T").Output("y: T").
		Traits(registry.Elementwise | registry.Total | registry.Fusible).
		Attr("T: {bfloat16, half, float, double}").
		Doc("Computes Dawson's integral exp(-x²)·∫exp(t²)dt from 0 to x.")
	registry.Define("Expint").
		Input("x: T").Output("y: T").
		Traits(registry.Elementwise | registry.Total | registry.Fusible).
		Attr("T: {bfloat16, half, float, double}").
		Doc("Computes the exponential integral ∫exp(t)/t dt from -∞ to x, of numbers that are not negative.")
	registry.Define("FresnelCos").
		Input("x: T").Output("y: T").
		Traits(registry.Elementwise | registry.Total | registry.Fusible).
		Attr("T: {bfloat16, half, float, double}").
		Doc("Computes Fresnel's integral ∫cos(πt²/2)dt from 0 to x.")
	registry.Define("FresnelSin").
		Input("x: T").Output("y: T").
		Traits(registry.Elementwise | registry.Total | registry.Fusible).
		Attr("T: {bfloat16, half, float, double}").
		Doc("Computes Fresnel's integral ∫sin(πt²/2)dt from 0 to x.")
	registry.Define("Spence").
		Input("x: T").Output("y: T").
		Traits(registry.Elementwise | registry.Total | registry.Fusible).
		Attr("T: {bfloat16, half, float, double}").
		Doc("Computes Spence's integral -∫ln(t)/(t-1)dt from 1 to x, of numbers that are not negative.")

	for op, f := range map[string]func(float64) float64{
		"Dawsn":  dawson,
		"Expint": expint,
		"FresnelCos": func(x float64) float64 {
			c, _ := fresnel(x)
			return c
		},
		"FresnelSin": func(x float64) float64 {
			_, s := fresnel(x)
			return s
		},
		"Spence": spence,
	} {
		shape.Register(shape.Unchanged, op)
		reals(op, f, tensor.Half, tensor.Float, tensor.Double)
	}

	gradient.Map(func(c *gradient.Context, x, y graph.Output) graph.Output {
		return c.Sub(c.Scalar(x, 1), c.Mul(c.Scalar(x, 2), c.Mul(x, y)))
	}, "Dawsn")
	gradient.Map(func(c *gradient.Context, x, _ graph.Output) graph.Output { return c.Div(c.Exp(x), x) }, "Expint")
	for op, wave := range map[string]string{"FresnelCos": "Cos", "FresnelSin": "Sin"} {
		gradient.Map(func(c *gradient.Context, x, _ graph.Output) graph.Output {
			return c.Apply(wave, c.Mul(c.Scalar(x, math.Pi/2), c.Square(x)))
		}, op)
	}
	gradient.Map(func(c *gradient.Context, x, _ graph.Output) graph.Output {
		one := c.Scalar(x, 1)
		return c.Select(c.Apply("Equal", x, one), c.Scalar(x, -1), c.Div(c.Log(x), c.Sub(one, x)))
	}, "Spence")
}

// dawson is Dawson's integral: its power series, DLMF 7.6.3, near 0, else
// Rybicki's sum (Computers in Physics 3, 1989), whose error is exp(-(π/2h)²).
func dawson(x float64) float64 {
	const h = 0.2
	abs := math.Abs(x)
	switch {
	case abs < 0.5:
		sum, term := 0.0, x
		for k := 1.0; k < 60 && math.Abs(term) > 0x1p-60*math.Abs(sum); k += 2 {
			sum += term
			term *= -2 * x * x / (k + 2)
		}
		return sum
	case abs > 1e8:
		return 0.5 / x
	case math.IsNaN(x):
		return x
	}
	n := 2 * math.Round(abs/(2*h))
	rest := abs - n*h
	sum := 0.0
	for k := -31.0; k <= 31; k += 2 {
		d := rest - k*h
		sum += math.Exp(-d*d) / (n + k)
	}
	return math.Copysign(sum/math.Sqrt(math.Pi), x)
}

// expint is Ei(x) of x >= 0: its power series, DLMF 6.6.1, or from 40 on the
// asymptotic one, DLMF 6.12.2, whose least term is exp(-x).
func expint(x float64) float64 {
	const gamma = 0.57721566490153286060651209008240243 // Euler's
	switch {
	case x < 0 || math.IsNaN(x):
		return math.NaN()
	case x == 0:
		return math.Inf(-1)
	case math.IsInf(x, 1):
		return x
	case x < 40:
		sum, term := 0.0, x
		for k := 1.0; term > 0x1p-56*sum*k; k++ {
			sum += term / k
			term *= x / (k + 1)
		}
		return gamma + math.Log(x) + sum
	}
	sum, term := 1.0, 1.0
	for k := 1.0; k < x && term > 0x1p-56; k++ {
		term *= k / x
		sum += term
	}
	half := math.Exp(x / 2)
	return half * (sum / x) * half
}

// fresnel is Fresnel's integrals of cos(πt²/2) and sin(πt²/2): their power
// series, DLMF 7.6.4 and 7.6.6, or from 1.5 on the continued fraction of the
// complementary error function, DLMF 7.9.3, by Lentz's method.
func fresnel(x float64) (c, s float64) {
	abs := math.Abs(x)
	switch {
	case math.IsNaN(x):
		return x, x
	case abs > 1e9:
		c, s = 0.5, 0.5
	case abs < 1.5:
		q := math.Pi / 2 * abs * abs
		term := abs
		for k := 0.0; k < 60 && term != 0; k++ {
			part := term / (2*k + 1)
			switch int(k) % 4 {
			case 0:
				c += part
			case 1:
				s += part
			case 2:
				c -= part
			case 3:
				s -= part
			}
			term *= q / (k + 1)
		}
	default:
		b := complex(1, -math.Pi*abs*abs)
		d := 1 / b
		fraction, far := d, complex(1e300, 0)
		for n := 1.0; n < 400; n += 2 {
			a := complex(-n*(n+1), 0)
			b += 4
			d = 1 / (a*d + b)
			far = b + a/far
			step := far * d
			fraction *= step
			if cmplx.Abs(step-1) < 1e-16 {
				break
			}
		}
		sin, cos := math.Sincos(math.Pi / 2 * math.Mod(abs*abs, 4))
		both := complex(0.5, 0.5) * (1 - complex(cos, sin)*fraction*complex(abs, -abs))
		c, s = real(both), imag(both)
	}
	return math.Copysign(c, x), math.Copysign(s, x)
}

// spence returns the dilogarithm Li₂(1-x) of x >= 0: the transformations of DLMF
// 25.12 lead to the power series of an argument between 0 and 1/2.
func spence(x float64) float64 {
	const limit = math.Pi * math.Pi / 6
	switch {
	case x < 0 || math.IsNaN(x):
		return math.NaN()
	case x == 0:
		return limit
	case math.IsInf(x, 1):
		return math.Inf(-1)
	case x < 0.5:
		return limit - math.Log1p(-x)*math.Log(x) - dilogarithm(x)
	case x <= 1:
		return dilogarithm(1 - x)
	case x <= 2:
		log := math.Log(x)
		return -dilogarithm((x-1)/x) - log*log/2
	default:
		log, rest := math.Log(x-1), math.Log1p(-1/x)
		return dilogarithm(1/x) - limit + (rest*rest-log*log)/2
	}
}

// dilogarithm is Li₂(z) of 0 <= z <= 1/2.
func dilogarithm(z float64) float64 {
	sum, power := 0.0, z
	for k := 1.0; power > 0x1p-60*sum; k++ {
		sum += power / (k * k)
		power *= z
	}
	return sum
}
