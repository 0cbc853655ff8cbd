package math

import (
	"math"

	"github.com/troupe-go/troupe/devices/cpu/vec"
	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/graph/gradient"
	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

func init() {
	registry.Define("Betainc").
		Input("a: T").Input("b: T").Input("x: T").Output("z: T").
		Traits(registry.Elementwise).
		Attr("T: {float, double}").
		Doc("Computes the regularized incomplete beta function I_x(a, b), with broadcasting.")

	kernel.ForType("Betainc", "T", tensor.Float, func(*kernel.Construction) (kernel.Kernel, error) {
		return kernel.Func(betainc[float32]), nil
	})
	kernel.ForType("Betainc", "T", tensor.Double, func(*kernel.Construction) (kernel.Kernel, error) {
		return kernel.Func(betainc[float64]), nil
	})

	gradient.Register(func(c *gradient.Context) { // of x alone
		if !c.Has(0) || !c.Wants(2) {
			return
		}
		a, b, x := c.Input(0), c.Input(1), c.Input(2)
		one := c.Scalar(x, 1)
		lgamma := func(v graph.Output) graph.Output { return c.Apply("Lgamma", v) }
		logBeta := c.Sub(c.Add(lgamma(a), lgamma(b)), lgamma(c.Add(a, b)))
		logDensity := c.Sub(c.Add(c.Apply("Xlog1py", c.Sub(b, one), c.Neg(x)), c.Apply("Xlogy", c.Sub(a, one), x)), logBeta)
		c.Set(2, c.SumTo(c.Mul(c.Exp(logDensity), c.Dy(0)), x))
	}, "Betainc")
}

// betainc returns the kernel of Betainc, of whose inputs only scalars broadcast.
func betainc[T float32 | float64](ctx *kernel.Context, in, out []tensor.Value) error {
	names := [3]string{"a", "b", "x"}
	var dims []int64
	var steps [3]int
	for i := range in {
		for j := range i {
			if in[i].Rank() > 0 && in[j].Rank() > 0 && !tensor.SameShape(in[i], in[j]) {
				return status.Invalid("Shapes of %s and %s are inconsistent: %s vs. %s", names[j], names[i],
					tensor.FormatDims(in[j].Dims()), tensor.FormatDims(in[i].Dims()))
			}
		}
		if in[i].Rank() > 0 {
			dims, steps[i] = in[i].Dims(), 1
		}
	}
	var err error
	if out[0], err = ctx.Alloc(tensor.DTypeOf[T](), dims); err != nil {
		return err
	}
	a, b, x, o := tensor.Of[T](&in[0]), tensor.Of[T](&in[1]), tensor.Of[T](&in[2]), tensor.Of[T](&out[0])
	ctx.Parallel(len(o), 1<<9, func(lo, hi int) {
		var p, q, z [batch]float64
		for ; lo < hi && ctx.Err() == nil; lo += batch {
			n := min(batch, hi-lo)
			for i := range n {
				at := lo + i
				p[i], q[i], z[i] = float64(a[at*steps[0]]), float64(b[at*steps[1]]), float64(x[at*steps[2]])
			}
			if tensor.DTypeOf[T]() == tensor.Float {
				betaBatch(z[:n], p[:n], q[:n])
			} else {
				for i := range n {
					z[i] = incompleteBeta(p[i], q[i], z[i])
				}
			}
			for i, z := range z[:n] {
				o[lo+i] = T(z)
			}
		}
	})
	return ctx.Err()
}

// betaBatch sets x, of up to batch elements, to I_x(a, b) with the digits of a float. It is
// incompleteBeta with Stirling's formula in place of Loader's form.
func betaBatch(x, a, b []float64) {
	var y, logX, zA, zB, zN, scale, rest [batch]float64
	n := len(x)
	a, b = a[:n], b[:n]
	for i, x := range x {
		a, b := a[i], b[i]
		both := a + b
		var risingA, risingB, risingN float64
		zA[i], risingA = stepped(a)
		zB[i], risingB = stepped(b)
		zN[i], risingN = stepped(both)
		scale[i] = risingA * risingB * (a * b) / (risingN * both) * (1 / math.Sqrt(2*math.Pi))
		rest[i] = stirlingRest(zN[i]) - stirlingRest(zA[i]) - stirlingRest(zB[i]) + (zA[i] - zN[i] + zB[i])
		logX[i], y[i] = x, 1-x
	}
	var logY, logA, logB, logN [batch]float64
	vec.LogFloat64s(logX[:n], logX[:n])
	vec.LogFloat64s(logY[:n], y[:n])
	vec.LogFloat64s(logA[:n], zA[:n])
	vec.LogFloat64s(logB[:n], zB[:n])
	vec.LogFloat64s(logN[:n], zN[:n])
	for i := range n {
		rest[i] += a[i]*logX[i] + b[i]*logY[i] + (zN[i]+0.5)*logN[i] - (zA[i]+0.5)*logA[i] - (zB[i]+0.5)*logB[i]
	}
	vec.ExpFloat64s(rest[:n], rest[:n])
	for i := range n {
		a, b := a[i], b[i]
		front := scale[i] * rest[i] // x^a·(1-x)^b / B(a, b)
		if x := x[i]; !(a > 0 && a <= plainMost && b > 0 && b <= plainMost && x > 0 && x < 1) {
			front = math.NaN()
		} else if x < (a+1)/(a+b+2) {
			front = min(front*betaQuotient(a, b, x), 1)
		} else if front = 1 - front*betaQuotient(b, a, y[i]); front < 0x1p-5 {
			front = math.NaN() // few digits are left
		}
		if front != front {
			front = incompleteBeta(a, b, x[i])
		}
		x[i] = front
	}
}

// betaQuotient is betaFraction/a for a and b of floats, as 1/(a + e₁/(a+1 + e₂/(a+2 + …)))
// forwards, where e₁ = -a(a+b)x, e₂ = (b-1)x, e₃ = -(a+1)(a+b+1)x, e₄ = 2(b-2)x and so on,
// and one division after all of them. For large a and small b a step takes digits off p0 that p1 must
// lack too, so two steps cannot be one.
func betaQuotient(a, b, x float64) float64 {
	p0, q0, p1, q1 := 0.0, 1.0, 1.0, a
	both, z, to := a+b, a, single
	if both > 64 { // later steps change almost as much as the last one
		to = 0x1p-50
	}
	for m := 0.0; m < 1e5; m++ {
		e1, e2 := -(a+m)*(both+m)*x, (m+1)*(b-m-1)*x
		z1 := z + 1
		z += 2
		p0, q0 = z1*p1+e1*p0, z1*q1+e1*q0
		p1, q1 = z*p0+e2*p1, z*q0+e2*q1
		if math.Abs(p1*q0-p0*q1) <= float64(to)*math.Abs(p1*q0) {
			break
		}
		if math.Abs(q1) > 0x1p300 {
			const s = 0x1p-300
			p0, q0, p1, q1 = p0*s, q0*s, p1*s, q1*s
		}
	}
	return p1 / q1
}

// incompleteBeta is I_x(a, b): NaN unless a > 0, b > 0 and 0 <= x <= 1. It is
// the continued fraction of DLMF 8.17.22, for x or for 1-x, whichever converges.
func incompleteBeta(a, b, x float64) float64 {
	switch {
	case !(a > 0 && b > 0 && 0 <= x && x <= 1):
		return math.NaN()
	case x == 0 || x == 1:
		return x
	case math.IsInf(a, 1) || math.IsInf(b, 1):
		return math.NaN()
	}
	// x^a·(1-x)^b / B(a, b), as poisson writes it.
	n, y := a+b, 1-x
	d := b*x - a*y // n·x - a
	front := math.Exp(-a*deviance(d/a, n*x/a)-b*deviance(-d/b, n*y/b)-
		stirlingError(a)-stirlingError(b)+stirlingError(n)) * math.Sqrt(a/n) * math.Sqrt(b) / math.Sqrt(2*math.Pi)
	if x < (a+1)/(n+2) {
		return min(front*betaFraction(a, b, x)/a, 1)
	}
	return max(1-front*betaFraction(b, a, y)/b, 0)
}

// betaFraction is evaluated as Lentz does: W. J. Lentz, Applied Optics 15 (1976),
// with the changes of Thompson and Barnett.
func betaFraction(a, b, x float64) float64 {
	const tiny = 1e-300
	from0 := func(v float64) float64 {
		if math.Abs(v) < tiny {
			return tiny
		}
		return v
	}
	c := 1.0
	d := 1 / from0(1-(a+b)*x/(a+1))
	f := d
	for m := 1.0; m < 1e5; m++ {
		for _, t := range [2]float64{
			m * (b - m) * x / ((a + 2*m - 1) * (a + 2*m)),
			-(a + m) * (a + b + m) * x / ((a + 2*m) * (a + 2*m + 1)),
		} {
			d = 1 / from0(1+t*d)
			c = from0(1 + t/c)
			f *= c * d
		}
		if math.Abs(c*d-1) < 4*float64(double) {
			break
		}
	}
	return f
}
