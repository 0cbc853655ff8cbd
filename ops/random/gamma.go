package random

import (
	"math"
	"slices"
	"sync"

	"github.com/troupe-go/troupe/devices/cpu/vec"
	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/kernel/philox"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

func init() {
	types := []tensor.DType{tensor.Half, tensor.Float, tensor.Double}
	for _, dt := range types {
		kernel.ForType("RandomGamma", "T", dt, func(c *kernel.Construction) (kernel.Kernel, error) {
			return newSampler(c, dt, drawGammas, seededKey(c)), nil
		})
		kernel.ForType("StatelessRandomGammaV2", "dtype", dt, func(c *kernel.Construction) (kernel.Kernel, error) {
			return newSampler(c, dt, drawGammas, func(_ *kernel.Context, in []tensor.Value, _ int) (philox.Generator, error) {
				return philox.FromSeed(&in[1])
			}), nil
		})
		kernel.ForType("StatelessRandomGammaV3", "dtype", dt, func(c *kernel.Construction) (kernel.Kernel, error) {
			return newSampler(c, dt, drawGammas, func(_ *kernel.Context, in []tensor.Value, n int) (philox.Generator, error) {
				return philox.FromKey(in[1:4], n > 0)
			}), nil
		})
	}
}

// A sampler is the kernel of draws from distributions of one parameter each.
type sampler struct {
	dt   tensor.DType
	draw drawing
	// generator is where the draws begin: element n takes values from n·reserved on.
	generator func(ctx *kernel.Context, in []tensor.Value, n int) (philox.Generator, error)
	behind    bool // the shape of the parameters comes behind the one asked for, rather than ending it
	name      string
}

// A drawing sets o, of at most batch elements, to a draw for each parameter. Element n takes
// values of the generator from n·reserved on.
type drawing func(o, parameters []float64, g philox.Generator)

// one is the drawing of elements one by one, each with a generator of its own.
func one(draw func(parameter float64, g philox.Generator) float64) drawing {
	return func(o, parameters []float64, g philox.Generator) {
		for i, p := range parameters {
			o[i] = draw(p, g)
			g.Skip(reserved)
		}
	}
}

// batch is how many elements are drawn before the step is asked whether it has ended.
const batch = 64

// A batchMemory is the parameters of a batch and its draws.
type batchMemory struct{ parameters, drawn [batch]float64 }

var batches = sync.Pool{New: func() any { return new(batchMemory) }}

func newSampler(c *kernel.Construction, dt tensor.DType, draw drawing, generator func(*kernel.Context, []tensor.Value, int) (philox.Generator, error)) *sampler {
	return &sampler{dt: dt, draw: draw, generator: generator, behind: len(c.Op.Inputs) == 2, name: c.Op.Inputs[len(c.Op.Inputs)-1].Name}
}

// seededKey takes values from the generator of the node.
func seededKey(c *kernel.Construction) func(*kernel.Context, []tensor.Value, int) (philox.Generator, error) {
	node, seed, seed2 := c.Node, c.Int("seed"), c.Int("seed2")
	return func(ctx *kernel.Context, _ []tensor.Value, n int) (philox.Generator, error) {
		return philox.Reserve(ctx, node, seed, seed2, uint64(n)*reserved)
	}
}

func (k *sampler) Run(ctx *kernel.Context, in, out []tensor.Value) error {
	dims, err := kernel.Dims(&in[0], "shape")
	if err != nil {
		return err
	}
	parameters := in[len(in)-1]
	p := parameters.Dims()
	if k.behind {
		dims = append(append([]int64(nil), dims...), p...)
	} else if (len(dims) < len(p) || !endsWith(dims, p)) && !slices.Contains(dims, 0) {
		return status.Invalid("Shape passed in must end with broadcasted shape.")
	}
	v, err := ctx.Alloc(k.dt, dims)
	if err != nil {
		return err
	}
	out[0] = v
	n, kinds := v.NumElements(), parameters.NumElements()
	g, err := k.generator(ctx, in, n)
	if err != nil || n == 0 {
		return err
	}
	at, set := reals(&parameters), setter(&out[0])
	each, draw := n/kinds, k.draw
	ctx.Parallel(n, 1<<8, func(lo, hi int) {
		b := batches.Get().(*batchMemory)
		defer batches.Put(b)
		kind, place := lo/each, lo%each
		for ; lo < hi && ctx.Err() == nil; lo += batch {
			own := g
			own.Skip(uint64(lo) * reserved)
			n := min(batch, hi-lo)
			k, p := kind, place
			for i := range n {
				b.parameters[i] = at(k)
				if p++; p == each {
					k, p = k+1, 0
				}
			}
			draw(b.drawn[:n], b.parameters[:n], own)
			for _, x := range b.drawn[:n] {
				set(place*kinds+kind, x)
				if place++; place == each {
					kind, place = kind+1, 0
				}
			}
		}
	})
	return ctx.Err()
}

func endsWith(x, end []int64) bool {
	x = x[len(x)-len(end):]
	for i, d := range end {
		if x[i] != d {
			return false
		}
	}
	return true
}

// reals reads the elements of a tensor of real numbers.
func reals(v *tensor.Value) func(i int) float64 {
	switch v.DType() {
	case tensor.Int32:
		x := tensor.Of[int32](v)
		return func(i int) float64 { return float64(x[i]) }
	case tensor.Int64:
		x := tensor.Of[int64](v)
		return func(i int) float64 { return float64(x[i]) }
	}
	return logits(v)
}

// setter writes the elements of a tensor of real numbers.
func setter(v *tensor.Value) func(i int, x float64) {
	switch v.DType() {
	case tensor.Int32:
		o := tensor.Of[int32](v)
		return func(i int, x float64) { o[i] = int32(x) }
	case tensor.Int64:
		o := tensor.Of[int64](v)
		return func(i int, x float64) { o[i] = int64(x) }
	case tensor.Half:
		o := tensor.Of[tensor.Float16](v)
		return func(i int, x float64) { o[i] = tensor.ToFloat16(float32(x)) }
	case tensor.Float:
		o := tensor.Of[float32](v)
		return func(i int, x float64) { o[i] = float32(x) }
	default:
		o := tensor.Of[float64](v)
		return func(i int, x float64) { o[i] = x }
	}
}

// pairs hands out numbers that are drawn two by two, the second one first.
type pairs struct {
	draw func(g *philox.Generator) (float64, float64)
	next float64
	left bool
}

func (p *pairs) one(g *philox.Generator) float64 {
	if p.left {
		p.left = false
		return p.next
	}
	x, y := p.draw(g)
	p.next, p.left = x, true
	return y
}

func uniformPair(g *philox.Generator) (float64, float64) {
	x := g.Next()
	return unit64(x[0], x[1]), unit64(x[2], x[3])
}

func normalPair(g *philox.Generator) (float64, float64) {
	x := g.Next()
	return boxMuller64(x[0], x[1], x[2], x[3])
}

// drawGammas is drawGamma for each of a batch: the first attempt of all of them, in which
// vectors take the logarithms, and those that it refuses one by one.
func drawGammas(o, alpha []float64, g philox.Generator) {
	var radius, angle, first, second [batch]float64
	n, next := len(o), g
	for i := range n {
		own := next
		next.Skip(reserved)
		x := own.Next()
		radius[i], angle[i] = max(unit64(x[0], x[1]), least), 2*math.Pi*unit64(x[2], x[3])
		x = own.Next()
		first[i], second[i] = unit64(x[2], x[3]), unit64(x[0], x[1])
	}
	vec.LogFloat64s(radius[:n], radius[:n])
	last := math.NaN()
	var d, c float64
	for i, alpha := range alpha[:n] {
		if alpha != last {
			last = alpha
			d, c = marsaglia(alpha)
		}
		x := math.Cos(angle[i]) * math.Sqrt(-2*radius[i])
		v := 1 + float64(c*x)
		if !(v > 0 && alpha > 0) || alpha == 1 || math.IsInf(alpha, 1) || !accepted(first[i], x, v*v*v, d) {
			own := g
			own.Skip(uint64(i) * reserved)
			o[i] = drawGamma(alpha, own)
			continue
		}
		o[i] = d * (v * v * v)
		if alpha < 1 {
			o[i] *= math.Pow(second[i], 1/alpha)
		}
	}
}

// marsaglia is the numbers d and c of Marsaglia and Tsang.
func marsaglia(alpha float64) (d, c float64) {
	d = alpha - 1.0/3
	if alpha < 1 {
		d = alpha + 2.0/3
	}
	return d, 1.0 / 3 / math.Sqrt(d)
}

// accepted reports whether the normal number x and the uniform one u give a draw d·v.
func accepted(u, x, v, d float64) bool {
	return u < 1-0.0331*(x*x)*(x*x) || math.Log(u) < 0.5*x*x+d*(1-v+math.Log(v))
}

// drawGamma draws from the gamma distribution of that shape and scale 1 by the
// method of G. Marsaglia and W. Tsang, "A simple method for generating gamma
// variables", 2000.
func drawGamma(alpha float64, g philox.Generator) float64 {
	uniform, normal := pairs{draw: uniformPair}, pairs{draw: normalPair}
	if alpha == 1 {
		return -math.Log1p(-uniform.one(&g))
	}
	switch {
	case alpha == 0:
		return 0
	case !(alpha > 0) || math.IsInf(alpha, 1):
		return math.NaN()
	}
	d, c := marsaglia(alpha)
	for {
		x := normal.one(&g)
		v := 1 + float64(c*x)
		if v <= 0 {
			continue
		}
		v = v * v * v
		if accepted(uniform.one(&g), x, v, d) {
			if alpha < 1 {
				return d * v * math.Pow(uniform.one(&g), 1/alpha)
			}
			return d * v
		}
	}
}
