package math

import (
	"math"

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
	a, b, x, o, to := tensor.Of[T](&in[0]), tensor.Of[T](&in[1]), tensor.Of[T](&in[2]), tensor.Of[T](&out[0]), double
	if out[0].DType() == tensor.Float {
		to = single
	}
	ctx.Parallel(len(o), 1<<10, func(lo, hi int) {
		for i := lo; i < hi && (i%64 != 0 || ctx.Err() == nil); i++ {
			o[i] = T(incompleteBeta(float64(a[i*steps[0]]), float64(b[i*steps[1]]), float64(x[i*steps[2]]), to))
		}
	})
	return ctx.Err()
}

// incompleteBeta is I_x(a, b): NaN unless a > 0, b > 0 and 0 <= x <= 1. It is
// the continued fraction of DLMF 8.17.22, for x or for 1-x, whichever converges.
func incompleteBeta(a, b, x float64, to precision) float64 {
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
		return min(front*betaFraction(a, b, x, to)/a, 1)
	}
	return max(1-front*betaFraction(b, a, y, to)/b, 0)
}

// betaFraction is evaluated as Lentz does: W. J. Lentz, Applied Optics 15 (1976),
// with the changes of Thompson and Barnett.
func betaFraction(a, b, x float64, to precision) float64 {
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
		if math.Abs(c*d-1) < 4*float64(to) {
			break
		}
	}
	return f
}
