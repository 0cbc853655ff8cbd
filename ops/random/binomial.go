package random

import (
	"math"

	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/kernel/philox"
	"github.com/troupe-go/troupe/resource"
	"github.com/troupe-go/troupe/tensor"
)

func init() {
	types := []tensor.DType{tensor.Half, tensor.Float, tensor.Double}
	for op, stateless := range map[string]bool{"StatelessRandomBinomial": true, "StatefulRandomBinomial": false} {
		kernel.Register(kernel.Registration{
			Op: op, Types: map[string][]tensor.DType{"T": types},
			New: func(c *kernel.Construction) (kernel.Kernel, error) {
				return &binomial{dt: c.Type("dtype"), stateless: stateless}, nil
			},
		})
	}
}

// A binomial is the kernel of draws from binomial distributions.
type binomial struct {
	target    resource.Target
	dt        tensor.DType
	stateless bool
}

func (k *binomial) Run(ctx *kernel.Context, in, out []tensor.Value) error {
	n := len(in)
	counts, probs := in[n-2], in[n-1]
	p, err := broadcast("counts and probs must have compatible batch dimensions: "+tensor.FormatDims(counts.Dims())+" vs. "+tensor.FormatDims(probs.Dims()), counts, probs)
	if err != nil {
		return err
	}
	shape := &in[0]
	if !k.stateless {
		shape = &in[2]
		if err := checkAlgorithm(&in[1]); err != nil {
			return err
		}
	}
	if err := p.allocDraws(ctx, shape, &out[0], k.dt); err != nil {
		return err
	}
	total := out[0].NumElements()
	if total == 0 {
		return nil
	}
	var g philox.Generator
	if k.stateless {
		g, err = philox.FromSeed(&in[1])
	} else {
		g, _, err = advance(ctx, &k.target, &in[0], uint64(total))
	}
	if err != nil {
		return err
	}
	count, prob, set := reals(&counts), reals(&probs), setter(&out[0])
	each, dt := total/p.kinds, counts.DType()
	ctx.Parallel(total, 1<<8, func(lo, hi int) {
		for i := lo; i < hi && ctx.Err() == nil; i++ {
			kind := i / each
			x := drawBinomial(count(p.place(0, kind)), prob(p.place(1, kind)), dt, g, uint64(i))
			set(i%each*p.kinds+kind, x)
		}
	})
	return ctx.Err()
}

// drawBinomial draws how many of count trials succeed with probability prob,
// which are of type dt. It is the i-th draw of the generator.
func drawBinomial(count, prob float64, dt tensor.DType, g philox.Generator, i uint64) float64 {
	switch {
	case count <= 0 || prob <= 0:
		return 0
	case prob >= 1:
		return count
	case prob > 0.5:
		return count - drawFewer(count, rounded(1-prob, dt), dt, g, i)
	case prob <= 0.5:
		return drawFewer(count, prob, dt, g, i)
	}
	return math.NaN()
}

// rounded is x as an element of type dt.
func rounded(x float64, dt tensor.DType) float64 {
	switch dt {
	case tensor.Half:
		return float64(tensor.ToFloat16(float32(x)).Float32())
	case tensor.Float:
		return float64(float32(x))
	}
	return x
}

// drawFewer is drawBinomial for a probability of at most a half: where the mean is
// small, by geometric numbers (L. Devroye, "Non-uniform random variate
// generation", 1986, X.4.3), else by transformed rejection.
func drawFewer(count, prob float64, dt tensor.DType, g philox.Generator, i uint64) float64 {
	if rounded(count*prob, dt) >= 10 {
		g.Skip(256 * i)
		return rejectBinomial(count, prob, g)
	}
	g.Skip(42 * i)
	uniform := pairs{draw: uniformPair}
	for n, trials := 0.0, 0.0; ; n++ {
		trials += math.Ceil(math.Log(uniform.one(&g)) / math.Log1p(-prob))
		if !(trials <= count) || n >= count {
			return n
		}
	}
}

// rejectBinomial returns the method BTRS of W. Hörmann, "The generation of binomial
// random variates", 1993.
func rejectBinomial(count, prob float64, g philox.Generator) float64 {
	uniform := pairs{draw: uniformPair}
	deviation := math.Sqrt(count * prob * (1 - prob))
	b := 1.15 + 2.53*deviation
	a := -0.0873 + 0.0248*b + 0.01*prob
	center := count*prob + 0.5
	sure := 0.92 - 4.2/b
	odds := prob / (1 - prob)
	alpha := (2.83 + 5.1/b) * deviation
	mode := math.Floor((count + 1) * prob)
	for range maxDraws {
		u := uniform.one(&g) - 0.5
		v := uniform.one(&g)
		near := 0.5 - math.Abs(u)
		k := math.Floor((2*a/near+b)*u + center)
		if near >= 0.07 && v <= sure {
			return k
		}
		if !(k >= 0 && k <= count) {
			continue
		}
		bound := (mode+0.5)*math.Log((mode+1)/(odds*(count-mode+1))) +
			(count+1)*math.Log((count-mode+1)/(count-k+1)) +
			(k+0.5)*math.Log(odds*(count-k+1)/(k+1)) +
			tail(mode) + tail(count-mode) - tail(k) - tail(count-k)
		if math.Log(v*alpha/(a/(near*near)+b)) <= bound {
			return k
		}
	}
	return mode
}

// tail returns what Stirling's formula lacks of the logarithm of k!, for k from 0 on:
// log k! - (log √(2π) + (k+½) log(k+1) - (k+1)).
func tail(k float64) float64 {
	if k <= 9 {
		gamma, _ := math.Lgamma(k + 1)
		return gamma - (0.5*math.Log(2*math.Pi) + (k+0.5)*math.Log(k+1) - (k + 1))
	}
	square := (k + 1) * (k + 1)
	return (1.0/12 - (1.0/360-1.0/1260/square)/square) / (k + 1)
}
