package random

import (
	"math"

	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/kernel/philox"
	"github.com/troupe-go/troupe/tensor"
)

func init() {
	types := []tensor.DType{tensor.Half, tensor.Float, tensor.Double, tensor.Int32, tensor.Int64}
	for _, rate := range types {
		for _, dt := range types {
			kernel.Register(kernel.Registration{
				Op: "RandomPoissonV2", Types: map[string][]tensor.DType{"R": {rate}, "dtype": {dt}},
				New: func(c *kernel.Construction) (kernel.Kernel, error) {
					return newSampler(c, dt, poissonOf(dt), seededKey(c)), nil
				},
			})
			kernel.Register(kernel.Registration{
				Op: "StatelessRandomPoisson", Types: map[string][]tensor.DType{"Rtype": {rate}, "dtype": {dt}},
				New: func(c *kernel.Construction) (kernel.Kernel, error) {
					return newSampler(c, dt, poissonOf(dt), func(_ *kernel.Context, in []tensor.Value, _ int) (philox.Generator, error) {
						return philox.FromSeed(&in[1])
					}), nil
				},
			})
		}
	}
}

// poissonOf draws from Poisson distributions what fits into dt.
func poissonOf(dt tensor.DType) drawing {
	limit := math.Inf(1)
	switch dt {
	case tensor.Half:
		limit = 65504
	case tensor.Float:
		limit = math.MaxFloat32
	case tensor.Double:
		limit = math.MaxFloat64
	case tensor.Int32:
		limit = math.MaxInt32
	case tensor.Int64:
		limit = 1<<63 - 1024 // the largest that a float64 can be
	}
	return one(func(mean float64, g philox.Generator) float64 {
		uniform := pairs{draw: uniformPair}
		return drawPoisson(mean, limit, func() float64 { return uniform.one(&g) })
	})
}

// maxDraws bounds how often a draw is repeated. Only a limit far below the mean
// makes it so many.
const maxDraws = 1 << 16

// drawPoisson draws from the Poisson distribution of that mean: small ones by
// multiplying uniform numbers (D. Knuth), others by transformed rejection
// (W. Hörmann, "The transformed rejection method for generating Poisson random
// variables", 1993). What has no distribution gives 0.
func drawPoisson(mean, limit float64, uniform func() float64) float64 {
	if !(mean > 0) {
		return 0
	}
	if mean < 10 {
		end, product := math.Exp(-mean), 1.0
		for k := 0.0; ; k++ {
			if product *= uniform(); product <= end && k <= limit {
				return k
			}
		}
	}
	b := 0.931 + 2.53*math.Sqrt(mean)
	a := -0.059 + 0.02483*b
	inverse := 1.1239 + 1.1328/(b-3.4)
	for range maxDraws {
		u := uniform() - 0.5
		v := uniform()
		shifted := 0.5 - math.Abs(u)
		k := math.Floor((2*a/shifted+b)*u + mean + 0.43)
		if k > limit {
			continue
		}
		if shifted >= 0.07 && v <= 0.9277-3.6224/(b-2) {
			return k
		}
		if k < 0 || shifted < 0.013 && v > shifted {
			continue
		}
		gamma, _ := math.Lgamma(k + 1)
		if math.Log(v*inverse/(a/(shifted*shifted)+b)) <= -mean+k*math.Log(mean)-gamma {
			return k
		}
	}
	return limit
}
