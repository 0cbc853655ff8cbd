package random

import (
	"math"

	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/kernel/elementwise"
	"github.com/troupe-go/troupe/kernel/philox"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

func init() {
	half := generators[float32]{widened(uniformHalf), widened(narrowed(normal32, tensor.ToFloat16))}
	truncatedFor(tensor.Half, half)
	truncatedFor(tensor.Float, generators[float32]{uniform32, normal32})
	truncatedFor(tensor.Double, generators[float64]{uniform64, normal64})
}

// Generators are what draws are made of.
type generators[T elementwise.Float] struct{ uniform, normal distribution[T] }

// widened draws what d draws as float32.
func widened(d distribution[tensor.Float16]) distribution[float32] {
	return distribution[float32]{group: d.group, draw: func(g *philox.Generator, o *[4]float32) {
		var narrow [4]tensor.Float16
		d.draw(g, &narrow)
		for i, x := range narrow {
			o[i] = x.Float32()
		}
	}}
}

func truncatedFor[T elementwise.Float](dt tensor.DType, d generators[T]) {
	kernel.ForType("StatelessParameterizedTruncatedNormal", "dtype", dt, func(*kernel.Construction) (kernel.Kernel, error) {
		return kernel.Func(d.stateless), nil
	})
	kernel.ForType("ParameterizedTruncatedNormal", "dtype", dt, func(c *kernel.Construction) (kernel.Kernel, error) {
		node, seed, seed2 := c.Node, c.Int("seed"), c.Int("seed2")
		return kernel.Func(func(ctx *kernel.Context, in, out []tensor.Value) error {
			return d.seeded(ctx, in, out, node, seed, seed2)
		}), nil
	})
}

// maxTries bounds how often a draw is repeated.
const maxTries = 1000

// stateless returns the kernel of StatelessParameterizedTruncatedNormal.
func (d generators[T]) stateless(ctx *kernel.Context, in, out []tensor.Value) error {
	g, err := philox.FromSeed(&in[1])
	if err != nil {
		return err
	}
	message := "means, stddevs, minvals, maxvals must have compatible batch dimensions: "
	for i, v := range in[2:6] {
		if i > 0 {
			message += " vs. "
		}
		message += tensor.FormatDims(v.Dims())
	}
	p, err := broadcast(message, in[2:6]...)
	if err != nil {
		return err
	}
	if err := p.allocDraws(ctx, &in[0], &out[0], in[2].DType()); err != nil {
		return err
	}
	if out[0].NumElements() == 0 {
		return nil
	}
	set := setter(&out[0])
	each := out[0].NumElements() / p.kinds
	var with [4]func(int) float64
	for i := range with {
		with[i] = reals(&in[2+i])
	}
	for kind := range p.kinds {
		if err := ctx.Err(); err != nil {
			return err
		}
		of := func(i int) T { return T(with[i](p.place(i, kind))) }
		err := d.draw(ctx, &g, of(0), of(1), of(2), of(3), each, func(i int, x T) { set(i*p.kinds+kind, float64(x)) })
		if err != nil {
			return err
		}
	}
	return nil
}

// seeded returns the kernel of ParameterizedTruncatedNormal. Parameters are scalars or
// have an element for each slice along the first dimension.
func (d generators[T]) seeded(ctx *kernel.Context, in, out []tensor.Value, node string, seed, seed2 int64) error {
	if in[0].Rank() != 1 {
		return status.Invalid("Input shape should be a vector, got shape: %s", tensor.FormatDims(in[0].Dims()))
	}
	if in[0].NumElements() == 0 {
		return status.Invalid("Shape tensor must not be empty, got %s", in[0])
	}
	dims, err := kernel.Dims(&in[0], "shape")
	if err != nil {
		return err
	}
	if out[0], err = ctx.Alloc(in[1].DType(), dims); err != nil {
		return err
	}
	one := true
	for i, name := range []string{"means", "stddevs", "minvals", "maxvals"} {
		v := &in[1+i]
		if v.Rank() > 1 {
			return status.Invalid("Input %s should be a scalar or vector, got shape: %s", name, tensor.FormatDims(v.Dims()))
		}
		one = one && (v.Rank() == 0 || i < 2 && v.Dim(0) == 1)
	}
	total := out[0].NumElements()
	batches, each := int(dims[0]), 0
	if total > 0 {
		each = total / batches
	}
	if one {
		each = 100
		batches = (total + each - 1) / each
	}
	for i, name := range []string{"means", "stddevs", "minvals", "maxvals"} {
		if v := &in[1+i]; v.Rank() > 0 && v.Dim(0) != 1 && int64(v.Dim(0)) != dims[0] {
			return status.Invalid("Input %s should have length 1 or shape[0], got shape: %s", name, tensor.FormatDims(v.Dims()))
		}
	}
	g, err := philox.Reserve(ctx, node, seed, seed2, uint64(batches)*2*maxTries*uint64(each+3)/4)
	if err != nil {
		return err
	}
	set := setter(&out[0])
	for b := range batches {
		of := func(i int) T {
			at := 0
			if in[i].NumElements() > 1 {
				at = b
			}
			return T(reals(&in[i])(at))
		}
		n := min(each, total-b*each)
		if err := ctx.Err(); err != nil {
			return err
		}
		err := d.draw(ctx, &g, of(1), of(2), of(3), of(4), n, func(i int, x T) { set(b*each+i, float64(x)) })
		if err != nil {
			return err
		}
	}
	return nil
}

// draw draws n numbers from a normal distribution that is cut to [low, high]
// (C. Robert, "Simulation of truncated normal variables", 1995).
func (d generators[T]) draw(ctx *kernel.Context, g *philox.Generator, mean, deviation, low, high T, n int, put func(i int, x T)) error {
	if !(deviation > 0 && low < high && (low-low == 0 || high-high == 0)) {
		return status.Invalid("Invalid parameters")
	}
	// Both limits above the mean, or the lower one finite, if that can be.
	if math.IsInf(float64(low), -1) || high < mean {
		low, high, deviation = high, low, -deviation
	}
	from, to := (low-mean)/deviation, (high-mean)/deviation
	root := sqrt(from*from + 4)
	cutoff := 2 * exp(0.5+from*(from-root)/4) / (from + root)
	const inside = 1.3
	t := tries[T]{ctx: ctx, n: n, put: func(i int, x T) { put(i, x*deviation+mean) }}
	switch {
	case from < -inside && to >= 0 || to > inside && from <= 0:
		return t.normal(g, d.normal, from, to)
	case to-from < cutoff:
		return t.uniform(g, d.uniform, from, to)
	default:
		return t.exponential(g, d.uniform, from, to, (from+root)/2)
	}
}

// Tries are repeated draws of which some are taken.
type tries[T elementwise.Float] struct {
	ctx    *kernel.Context
	n      int // how many are wanted
	put    func(i int, x T)
	made   int
	failed int // in a row
}

// take takes x if accept says so. It answers done if it was the last one.
func (t *tries[T]) take(x T, accept bool) (done bool, err error) {
	if !accept {
		if t.failed++; t.failed > maxTries {
			return true, status.Errorf(status.Internal, "TruncatedNormal rejection sampler failed to accept a sample.")
		}
		return false, nil
	}
	t.put(t.made, x)
	t.made++
	t.failed = 0
	if t.made%(1<<10) == 0 {
		err = t.ctx.Err()
	}
	return t.made == t.n || err != nil, err
}

// normal takes what a normal distribution draws within the limits.
func (t *tries[T]) normal(g *philox.Generator, d distribution[T], from, to T) error {
	var drawn [4]T
	for t.made < t.n {
		d.draw(g, &drawn)
		for _, x := range drawn[:d.group] {
			if done, err := t.take(x, x >= from && x <= to); done {
				return err
			}
		}
	}
	return nil
}

// uniform draws between the limits.
func (t *tries[T]) uniform(g *philox.Generator, d distribution[T], from, to T) error {
	var drawn, u [4]T
	more := max(from, 0) * max(from, 0)
	for t.made < t.n {
		d.draw(g, &drawn)
		d.draw(g, &u)
		for i, x := range drawn[:d.group] {
			x = x*(to-from) + from
			if done, err := t.take(x, u[i] <= exp((more-x*x)/2)); done {
				return err
			}
		}
	}
	return nil
}

// exponential draws from an exponential distribution of that rate, from the lower
// limit on.
func (t *tries[T]) exponential(g *philox.Generator, d distribution[T], from, to, rate T) error {
	var drawn [4]T
	for t.made < t.n {
		d.draw(g, &drawn)
		for i := 0; i < d.group; i += 2 {
			x := T(-math.Log(float64(drawn[i])))/rate + from
			y := from - rate
			if from < rate {
				y = rate - x
			}
			if done, err := t.take(x, drawn[i+1] <= exp(-y*y/2) && x < to); done {
				return err
			}
		}
	}
	return nil
}

func exp[T elementwise.Float](x T) T  { return T(math.Exp(float64(x))) }
func sqrt[T elementwise.Float](x T) T { return T(math.Sqrt(float64(x))) }
