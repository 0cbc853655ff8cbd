package math

import (
	"math"
	"sync"

	"github.com/troupe-go/troupe/devices/cpu/vec"
	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/graph/gradient"
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/shape"
)

func init() {
	registry.Define("Igamma").
		Input("a: T").Input("x: T").Output("z: T").
		Traits(registry.Elementwise | registry.Total | registry.Fusible).
		Attr("T: {bfloat16, half, float, double}").
		Doc("Computes P(a, x), the lower incomplete gamma function divided by Γ(a), with broadcasting.")
	registry.Define("Igammac").
		Input("a: T").Input("x: T").Output("z: T").
		Traits(registry.Elementwise | registry.Total | registry.Fusible).
		Attr("T: {bfloat16, half, float, double}").
		Doc("Computes Q(a, x) = 1 - P(a, x), the upper incomplete gamma function divided by Γ(a), with broadcasting.")
	registry.Define("IgammaGradA").
		Input("a: T").Input("x: T").Output("z: T").
		Traits(registry.Elementwise | registry.Total | registry.Fusible).
		Attr("T: {float, double}").
		Doc("Computes the derivative of Igamma with respect to a.")
	registry.Define("RandomGammaGrad").
		Input("alpha: T").Input("sample: T").Output("output: T").
		Traits(registry.Elementwise | registry.Total | registry.Fusible).
		Attr("T: {float, double}").
		Doc(`Computes the gradient of a draw from a gamma distribution with respect to alpha.

sample: The draw.`)

	shape.Register(shape.Broadcast2, "RandomGammaGrad")
	reals2("RandomGammaGrad", gammaDrawSlope)
	batched2("Igamma", igammas, igamma, gammaLower)
	batched2("Igammac", igammacs, igammac, gammaUpper)
	reals2("IgammaGradA", gammaSlope)

	density := func(c *gradient.Context, a, x, _, dz graph.Output) graph.Output {
		log := c.Sub(c.Sub(c.Mul(c.Sub(a, c.Scalar(a, 1)), c.Log(x)), x), c.Apply("Lgamma", a))
		return c.Mul(c.Exp(log), dz)
	}
	ofA := func(c *gradient.Context, a, x, _, dz graph.Output) graph.Output {
		return c.Mul(c.Apply("IgammaGradA", a, x), dz)
	}
	negative := func(f gradient.Partial) gradient.Partial {
		return func(c *gradient.Context, a, x, z, dz graph.Output) graph.Output { return c.Neg(f(c, a, x, z, dz)) }
	}
	gradient.Binary(ofA, density, "Igamma")
	gradient.Binary(negative(ofA), negative(density), "Igammac")
}

// gammaDrawSlope returns how a draw x from the gamma distribution with parameter a
// moves with a if its place P(a, x) in the distribution stays: -(∂P/∂a)/(∂P/∂x).
func gammaDrawSlope(a, x float64) float64 {
	dp := gammaSlope(a, x)
	switch {
	case math.IsNaN(dp):
		return dp
	case x == 0 || math.IsInf(a, 1) || math.IsInf(x, 1):
		return 0
	}
	density := a * poisson(a, x) / x // x^(a-1)·e^-x / Γ(a)
	if density == 0 {
		return 0 // so far out that both derivatives are 0
	}
	return -dp / density
}

// gammaParts is P(a, x) and Q(a, x) = 1 - P. They are NaN unless a > 0 and x >= 0, except
// that P(a, 0) is 0 for any a; at infinite a and x both are 0. So TensorFlow has it.
//
// Below x = a, and for small x, P is summed (DLMF 8.11.4); above, Q is a continued
// fraction (DLMF 8.9.2, evaluated forwards). Both need about √a steps near x = a, so
// that for large a the uniform asymptotic expansion takes over.
func gammaParts(a, x float64) (p, q float64) {
	switch {
	case a <= 0 && x == 0:
		return 0, math.NaN()
	case !(a > 0 && x >= 0):
		return math.NaN(), math.NaN()
	case math.IsInf(a, 1) && math.IsInf(x, 1):
		return 0, 0
	case x == 0 || math.IsInf(a, 1):
		return 0, 1
	case math.IsInf(x, 1):
		return 1, 0
	case a > 1e7:
		p, q, _ = gammaUniform(a, x)
		return p, q
	}
	front := poisson(a, x) // x^a·e^-x / Γ(a+1)
	if x <= 1 || x <= a {
		p = min(front*gammaSeries(a, x, double), 1)
		return p, 1 - p
	}
	if !(front > 0) { // x is far above a
		return 1, 0
	}
	q = min(front*a*gammaFraction(a, x, double), 1)
	return 1 - q, q
}

// gammaLower is P(a, x).
func gammaLower(a, x float64) float64 {
	p, _ := gammaParts(a, x)
	return p
}

// gammaUpper is Q(a, x), to its last digits where it is small because a is.
func gammaUpper(a, x float64) float64 {
	p, q := gammaParts(a, x)
	if p > 0.5 && 0 < a && a < 1 && 0 < x && x <= 1 {
		return gammaRest(a, x)
	}
	return q
}

// igammas and igammacs set o to P(a, x) and to Q(a, x).
func igammas(o, a, x []float32)  { gammaBatches(o, a, x, false) }
func igammacs(o, a, x []float32) { gammaBatches(o, a, x, true) }

func igamma(a, x float32) float32 {
	o := [1]float32{}
	gammaBatch(o[:], []float32{a}, []float32{x}, false)
	return o[0]
}

func igammac(a, x float32) float32 {
	o := [1]float32{}
	gammaBatch(o[:], []float32{a}, []float32{x}, true)
	return o[0]
}

func gammaBatches(o, a, x []float32, upper bool) {
	for len(o) > 0 {
		n := min(len(o), batch)
		gammaBatch(o[:n], a[:n], x[:n], upper)
		o, a, x = o[n:], a[n:], x[n:]
	}
}

// gammaBatch sets o, of up to batch elements, to P(a, x), or to Q(a, x) if upper. It is
// gammaParts in doubles for floats: as logarithms are of numbers below 2^20, x^a·e^-x / Γ(a+1)
// can be had without Loader's form, and the series serves beyond x = a too, until Q has lost
// half of the digits of 1 - P, of which a float keeps the rest.
func gammaBatch(o, a, x []float32, upper bool) {
	var z, rising, logX, front [batch]float64
	n := len(o)
	for i := range n {
		z[i], rising[i] = stepped(float64(a[i]))
		logX[i] = float64(x[i])
	}
	vec.LogFloat64s(logX[:n], logX[:n])
	vec.LogFloat64s(front[:n], z[:n])
	for i := range n {
		front[i] = float64(a[i])*logX[i] - float64(x[i]) - (z[i]+0.5)*front[i] + z[i] - stirlingRest(z[i])
	}
	vec.ExpFloat64s(front[:n], front[:n])
	to := single
	if upper {
		to = 0x1p-46
	}
	for i := range n {
		a, x := float64(a[i]), float64(x[i])
		front := front[i] * rising[i] * (1 / math.Sqrt(2*math.Pi))
		switch {
		case !(a > 0 && a <= plainMost && x > 0 && x <= math.MaxFloat32), upper && a < 0x1p-6 && x < 4:
			if upper {
				o[i] = float32(gammaUpper(a, x))
			} else {
				o[i] = float32(gammaLower(a, x))
			}
		case x <= a+3:
			p := min(front*gammaSeries(a, x, to), 1)
			if upper {
				p = 1 - p
			}
			o[i] = float32(p)
		default:
			q := 0.0
			if front > 0 { // x is not far above a
				q = min(front*a*gammaFraction(a, x, single), 1)
			}
			if !upper {
				q = 1 - q
			}
			o[i] = float32(q)
		}
	}
}

// plainMost is up to where products of a with logarithms of floats leave their digits to
// differences: those have errors below 2^-30.
const plainMost = 1 << 16

// stepped returns a, or a+8 if a is below 8, and Γ(z+1)/Γ(a+1) for that z.
func stepped(a float64) (z, rising float64) {
	if !(a < 8) {
		return a, 1
	}
	t := a * (a + 9)
	return a + 8, (t + 8) * (t + 14) * ((t + 18) * (t + 20)) // (a+1)(a+8) · (a+2)(a+7) …
}

// stirlingRest is stirlingError from 8 on, with an error below 1e-15.
func stirlingRest(z float64) float64 {
	r := 1 / z
	y := r * r
	return r * (1.0/12 - y*(1.0/360-y*(1.0/1260-y*(1.0/1680-y*(1.0/1188-y*(691.0/360360-y/156))))))
}

// gammaSlope is the derivative of P(a, x) with respect to a; as P, it is NaN or 0 at the
// edges.
func gammaSlope(a, x float64) float64 {
	switch {
	case a <= 0 && x == 0:
		return 0
	case !(a > 0 && x >= 0):
		return math.NaN()
	case x == 0 || math.IsInf(a, 1) || math.IsInf(x, 1):
		return 0
	case a > 1e7:
		_, _, dp := gammaUniform(a, x)
		return dp
	}
	front := poisson(a, x)
	slope := math.Log(x) - digamma(a+1) // its logarithmic derivative
	if x <= 1 || x <= a {
		sum, dsum := gammaSeriesSlope(a, x)
		return front * (slope*sum + dsum)
	}
	if !(front > 0) { // x is far above a
		return 0
	}
	sum, dsum := gammaFractionSlope(a, x)
	return -front * (a*slope*sum + sum + a*dsum)
}

// gammaSeries is the sum of xⁿ / ((a+1)…(a+n)), n from 0, four terms at a time with one
// division.
func gammaSeries(a, x float64, to precision) float64 {
	sum, term := 1.0, 1.0
	for n := a + 1; ; n += 4 {
		n1, n3 := n+1, n+3
		end := (n + 2) * n3
		all := 1 / (n * n1 * end)
		sum += term * (x * (n1*end + x*(end+x*(n3+x))) * all)
		if term *= x * x * (x * x) * all; term <= sum*float64(to) {
			return sum
		}
	}
}

// gammaSeriesSlope is gammaSeries, and its derivative.
func gammaSeriesSlope(a, x float64) (sum, dsum float64) {
	term, dterm := 1.0, 0.0
	sum = 1
	for n := a + 1; ; n++ {
		dterm = (dterm - term/n) * x / n
		term *= x / n
		sum += term
		dsum += dterm
		if term <= sum*0x1p-54 && math.Abs(dterm) <= math.Abs(dsum)*0x1p-54 {
			return sum, dsum
		}
	}
}

// gammaFraction is 1/(x+1-a- 1(1-a)/(x+3-a- 2(2-a)/(x+5-a- …))), which is
// Γ(a, x) / (x^a·e^-x).
func gammaFraction(a, x float64, to precision) float64 {
	y, z := 1-a, x+2-a
	p0, q0, p1, q1 := 1.0, x, x+1, z*x
	for c := 1.0; c < 1e5; c += 2 { // two steps at a time: a step would wait for the one before
		w1, w2, z1 := (y+1)*c, (y+2)*(c+1), z+2
		y += 2
		z += 4
		near, far := z1*z-w2, w1*z
		p0, q0, p1, q1 = p1*z1-p0*w1, q1*z1-q0*w1, p1*near-p0*far, q1*near-q0*far
		if q0 != 0 && math.Abs(p1*q0-p0*q1) <= 2*float64(to)*math.Abs(p1*q0) {
			break
		}
		if math.Abs(p1) > 0x1p300 {
			const s = 0x1p-300
			p0, q0, p1, q1 = p0*s, q0*s, p1*s, q1*s
		}
	}
	return p1 / q1
}

// gammaFractionSlope is gammaFraction, and its derivative.
func gammaFractionSlope(a, x float64) (f, df float64) {
	y, z := 1-a, x+2-a
	p0, q0, p1, q1 := 1.0, x, x+1, z*x
	var dp0, dq0, dp1 float64
	dq1 := -x
	f, df = p1/q1, -p1*dq1/(q1*q1)
	for c := 1.0; c < 1e5; c++ {
		y++
		z += 2
		yc := y * c
		p, q := p1*z-p0*yc, q1*z-q0*yc
		dp, dq := dp1*z-p1-dp0*yc+p0*c, dq1*z-q1-dq0*yc+q0*c
		p0, q0, p1, q1 = p1, q1, p, q
		dp0, dq0, dp1, dq1 = dp1, dq1, dp, dq
		if q != 0 {
			g, dg := p/q, (dp-p/q*dq)/q
			done := math.Abs(g-f) <= 0x1p-53*math.Abs(g) && math.Abs(dg-df) <= 0x1p-53*math.Abs(dg)
			if f, df = g, dg; done {
				break
			}
		}
		if math.Abs(p) > 0x1p300 {
			const s = 0x1p-300
			p0, q0, p1, q1 = p0*s, q0*s, p1*s, q1*s
			dp0, dq0, dp1, dq1 = dp0*s, dq0*s, dp1*s, dq1*s
		}
	}
	return f, df
}

// gammaRest is Q(a, x) where it is small because a is. With DLMF 8.7.1, P is
// x^a/Γ(a+1)·(1 + a·Σ(-x)ⁿ/(n!·(a+n))), n from 1.
func gammaRest(a, x float64) float64 {
	sum, term := 0.0, 1.0
	for n := 1.0; n < 30 && math.Abs(term) > float64(double); n++ {
		term *= -x / n
		sum += term / (a + n)
	}
	front := a*math.Log(x) - logGamma1p(a)
	return -math.Expm1(front) - math.Exp(front)*a*sum
}

// logGamma1p is log Γ(1+a) for 0 <= a <= 1, by DLMF 5.7.3.
func logGamma1p(a float64) float64 {
	const gamma = 0.577215664901532860606512090082402431 // Euler's constant
	sum, power := 0.0, a
	for n, z := range zetaLess1() {
		power *= -a
		sum -= power * z / float64(n+2)
	}
	return (1-gamma)*a - math.Log1p(a) + sum
}

// zetaLess1 is ζ(n) - 1 for n from 2 on.
var zetaLess1 = sync.OnceValue(func() []float64 {
	z := make([]float64, 50)
	for n := range z {
		z[n] = hurwitz(float64(n+2), 2)
	}
	return z
})

// gammaUniform is P, Q and the derivative of P for large a by the first term of the uniform
// expansion, DLMF 8.12: what is left out is below 1/a of the term.
func gammaUniform(a, x float64) (p, q, dp float64) {
	mu := (x - a) / a
	half := deviance(mu, x/a) // η²/2
	eta := math.Copysign(math.Sqrt(2*half), mu)
	density := math.Exp(-a*half) / math.Sqrt(2*math.Pi*a)
	c0, ratio := -1.0/3, 1.0 // 1/μ - 1/η and μ/η
	if math.Abs(eta) > 1e-3 {
		c0, ratio = 1/mu-1/eta, mu/eta
	} else {
		c0 += eta * (1.0/12 - eta*(2.0/135-eta/864))
		ratio += eta * (1.0/3 + eta/36)
	}
	rest := density * c0
	p = math.Erfc(-eta*math.Sqrt(a/2))/2 - rest
	q = math.Erfc(eta*math.Sqrt(a/2))/2 + rest
	if density == 0 {
		return p, q, 0
	}
	dp = density*(eta/2-ratio) - rest*math.Log1p(mu)
	return p, q, dp
}

// poisson is x^a·e^-x / Γ(a+1) in Loader's form, in which nothing large
// cancels. C. Loader, Fast and Accurate Computation of Binomial Probabilities,
// 2000.
func poisson(a, x float64) float64 {
	return math.Exp(-a*deviance((x-a)/a, x/a)-stirlingError(a)) / math.Sqrt(2*math.Pi*a)
}

// deviance is u - log(r), where r = 1+u.
func deviance(u, r float64) float64 {
	if math.Abs(u) > 0.3 {
		return u - math.Log(r)
	}
	h := u / (2 + u) // log(1+u) = 2·atanh(h)
	sum, power := 0.0, h*h*h
	for k := 3.0; k < 40 && math.Abs(power) > u*h*0x1p-56; k += 2 {
		sum += power / k
		power *= h * h
	}
	return u*h - 2*sum
}

// stirlingError is log Γ(a+1) less Stirling's approximation log(√(2πa)·(a/e)^a),
// for large a by its asymptotic series.
func stirlingError(a float64) float64 {
	if a < 16 {
		return lgamma(a+1) - (a+0.5)*math.Log(a) + a - math.Log(2*math.Pi)/2
	}
	z := 1 / (a * a)
	return (1.0/12 - z*(1.0/360-z*(1.0/1260-z*(1.0/1680-z*(1.0/1188-z*691.0/360360))))) / a
}
