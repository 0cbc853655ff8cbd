package math

import (
	"math"

	"github.com/troupe-go/troupe/devices/cpu/vec"
	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/graph/gradient"
	"github.com/troupe-go/troupe/registry"
)

func init() {
	registry.Define("Zeta").
		Input("x: T").Input("q: T").Output("z: T").
		Traits(registry.Elementwise | registry.Total | registry.Fusible).
		Attr("T: {float, double}").
		Doc(`Computes the Hurwitz zeta function with broadcasting: the sum of (q + n)^-x for n from 0 on.

x: The exponent, above 1.`)
	registry.Define("Polygamma").
		Input("a: T").Input("x: T").Output("z: T").
		Traits(registry.Elementwise | registry.Total | registry.Fusible).
		Attr("T: {float, double}").
		Doc("Computes the derivative of order a of the digamma function at x, with broadcasting.")

	batched2("Zeta", zetas, zetaFloat, zeta)
	reals2("Polygamma", polygamma)

	gradient.Binary(nil, func(c *gradient.Context, x, q, _, dz graph.Output) graph.Output {
		return c.Mul(c.Mul(c.Neg(x), c.Apply("Zeta", c.Add(x, c.Scalar(x, 1)), q)), dz)
	}, "Zeta")
	gradient.Binary(nil, func(c *gradient.Context, n, x, _, dz graph.Output) graph.Output {
		return c.Mul(c.Apply("Polygamma", c.Add(n, c.Scalar(n, 1)), x), dz)
	}, "Polygamma")
}

// zeta is Hurwitz's zeta function ζ(x, q) for x > 1. Negative q are reached
// where x is an integer, by summing on either side of 0.
func zeta(x, q float64) float64 {
	switch {
	case x == 1:
		return math.Inf(1)
	case !(x > 1) || math.IsNaN(q):
		return math.NaN()
	case q > 0:
		return hurwitz(x, q)
	case q == math.Floor(q):
		if math.Mod(x, 2) == 0 {
			return math.Inf(1)
		}
		return math.NaN()
	case x != math.Floor(x):
		return math.NaN()
	}
	sign := 1.0
	if math.Mod(x, 2) != 0 {
		sign = -1
	}
	whole := math.Floor(q)
	part := q - whole
	return hurwitz(x, part) + sign*(hurwitz(x, 1-part)-hurwitz(x, 1-q))
}

// hurwitz is ζ(x, q) for x > 1 and q > 0 by the formula of Euler and Maclaurin,
// DLMF 25.11.5.
func hurwitz(x, q float64) float64 {
	if math.IsInf(q, 1) {
		return 0
	}
	const first = 9
	sum := math.Pow(q, -x)
	term, n := 0.0, q
	for i := 0.0; i < first || n <= first; i++ {
		n++
		term = math.Pow(n, -x)
		sum += term
		if term <= sum*float64(double) {
			return sum
		}
	}
	return eulerMaclaurin(x, n, sum, term, double)
}

// eulerMaclaurin is ζ(x, q), of which sum is the terms up to that of n, the last of them.
func eulerMaclaurin(x, n, sum, term float64, to precision) float64 {
	sum += term*n/(x-1) - term/2
	inverse := 1 / n
	factor := term * x * inverse
	inverse *= inverse
	for k, b := range bernoulli {
		t := factor * b
		sum += t
		if math.Abs(t) <= math.Abs(sum)*float64(to) {
			break
		}
		y := x + float64(2*k)
		factor *= (y + 1) * (y + 2) * inverse
	}
	return sum
}

// zetas sets o to ζ(x, q).
func zetas(o, x, q []float32) {
	for len(o) > 0 {
		n := min(len(o), batch)
		zetaBatch(o[:n], x[:n], q[:n])
		o, x, q = o[n:], x[n:], q[n:]
	}
}

func zetaFloat(x, q float32) float32 {
	o := [1]float32{}
	zetaBatch(o[:], []float32{x}, []float32{q})
	return o[0]
}

// zetaBatch sets o, of up to batch elements, to ζ(x, q), with four terms before the formula.
func zetaBatch(o, x, q []float32) {
	var sum, term [batch]float64
	n := len(o)
	const first = 4
	for k := range first + 1 {
		term := term[:n]
		for i, q := range q[:n] {
			term[i] = float64(q) + float64(k)
		}
		vec.LogFloat64s(term, term)
		for i, x := range x[:n] {
			term[i] *= -float64(x)
		}
		vec.ExpFloat64s(term, term)
		for i, t := range term {
			sum[i] += t
		}
	}
	for i := range n {
		if x, q := float64(x[i]), float64(q[i]); x > 1 && x <= math.MaxFloat32 && q > 0 && q <= math.MaxFloat32 {
			o[i] = float32(eulerMaclaurin(x, q+first, sum[i], term[i], single))
		} else {
			o[i] = float32(zeta(x, q))
		}
	}
}

// bernoulli is B(2k)/(2k)! for k from 1 on.
var bernoulli = [...]float64{
	1.0 / 12,
	-1.0 / 720,
	1.0 / 30240,
	-1.0 / 1209600,
	1.0 / 47900160,
	-691.0 / 1307674368000,
	1.0 / 74724249600,
	-3617.0 / 10670622842880000,
	43867.0 / 5109094217170944000,
	-174611.0 / 802857662698291200000,
	77683.0 / 14101100039391805440000,
	-236364091.0 / 1693824136731743669452800000,
}

// polygamma returns the derivative of order n of digamma, NaN unless n is a natural
// number. DLMF 25.11.12.
func polygamma(n, x float64) float64 {
	switch {
	case n != math.Floor(n) || n < 0:
		return math.NaN()
	case n == 0:
		return digamma(x)
	}
	y := math.Gamma(n+1) * zeta(n+1, x)
	if math.Mod(n, 2) == 0 {
		return -y
	}
	return y
}
