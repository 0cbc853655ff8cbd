package accelerated

import (
	"slices"

	"github.com/troupe-go/troupe/devices/code"
	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/kernel/philox"
	"github.com/troupe-go/troupe/kernel/resident"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

// Random numbers, the CPU's, from a key and a counter, from a seed, or from a generator of the
// node's own, of which the host takes what a run draws when that is handed over.

func init() {
	var (
		ints  = []tensor.DType{tensor.Int32, tensor.Int64}
		whole = append(slices.Clone(ints), tensor.Uint32, tensor.Uint64)
	)
	for name, d := range map[string]struct {
		draw  code.Draw
		types []tensor.DType
	}{
		"RandomUniform":        {code.Uniform, floats},
		"RandomNormal":         {code.Normal, floats},
		"TruncatedNormal":      {code.Truncated, floats},
		"RandomUniformFullInt": {code.Bits, whole},
		"RandomUniformInt":     {code.Between, whole},
	} {
		var limits []string
		if d.draw == code.Between {
			limits = []string{"minval", "maxval"}
		}
		register := func(op string, host []string, key func(in []tensor.Value, drawn bool) (philox.Generator, error)) {
			types := d.types
			if op == "StatelessRandomUniformInt" {
				types = ints
			}
			resident.Register(op, map[string][]tensor.DType{"dtype": types}, append(host, limits...), func(c *kernel.Construction) (resident.Plan, error) {
				return drawn(c, d.draw, func(in []resident.Input, dims []int64) (philox.Generator, error) {
					return generator(in[1:len(host)], dims, key)
				}), nil
			})
		}
		register("Stateless"+name, []string{"shape", "seed"}, func(in []tensor.Value, _ bool) (philox.Generator, error) { return philox.FromSeed(&in[0]) })
		register("Stateless"+name+"V2", []string{"shape", "key", "counter", "alg"}, philox.FromKey)
	}
	for op, d := range map[string]struct {
		draw  code.Draw
		attr  string
		types []tensor.DType
		host  []string
	}{
		"RandomUniform":        {code.Uniform, "dtype", floats, []string{"shape"}},
		"RandomStandardNormal": {code.Normal, "dtype", floats, []string{"shape"}},
		"TruncatedNormal":      {code.Truncated, "dtype", floats, []string{"shape"}},
		"RandomUniformInt":     {code.Between, "Tout", ints, []string{"shape", "minval", "maxval"}},
	} {
		resident.Register(op, map[string][]tensor.DType{d.attr: d.types}, d.host, func(c *kernel.Construction) (resident.Plan, error) {
			seed, seed2 := c.Int("seed"), c.Int("seed2")
			p := drawn(c, d.draw, nil)
			p.Draw = func(w *resident.Work, out []resident.Shape, _ []resident.Input) (philox.Generator, error) {
				n := code.Array{Dims: out[0].Dims}.Elements()
				if n == 0 {
					return philox.Generator{}, nil
				}
				return w.Reserve(seed, seed2, uint64(n)*reserved)
			}
			return p, nil
		})
	}
	for _, op := range []string{"Multinomial", "StatelessMultinomial"} {
		host := []string{"num_samples", "seed"}
		if op == "Multinomial" {
			host = host[:1]
		}
		resident.Register(op, map[string][]tensor.DType{"T": floats, "output_dtype": ints}, host, func(c *kernel.Construction) (resident.Plan, error) {
			seed, seed2 := c.Int("seed"), c.Int("seed2")
			p := resident.Plan{
				Shapes: func(in []resident.Input) ([]resident.Shape, error) {
					n := integers(in[1].Host)
					if len(in[0].Dims) != 2 || len(in[1].Dims) != 0 || n[0] < 0 || in[0].Dims[1] < 1 {
						return nil, status.Invalid("logits should be a matrix with classes, and num_samples a scalar that is not negative: %s, %v", tensor.FormatDims(in[0].Dims), n)
					}
					return []resident.Shape{{Type: c.Outputs[0], Dims: []int64{in[0].Dims[0], n[0]}}}, nil
				},
				Run: func(w *resident.Work, out []code.Array, in []resident.Input) {
					g := w.Numbers()
					if op != "Multinomial" {
						var err error
						g, err = philox.FromSeed(in[2].Host)
						w.Fail(err)
					}
					w.Add(code.Classes(out[0], in[0].Array, w.Scratch(tensor.Double, in[0].Dims...), g.Key, g.Counter))
				},
			}
			if op == "Multinomial" {
				p.Draw = func(w *resident.Work, out []resident.Shape, _ []resident.Input) (philox.Generator, error) {
					rows, samples := out[0].Dims[0], out[0].Dims[1]
					return w.Reserve(seed, seed2, uint64(rows)*uint64((samples+3)/4*4*2)*reserved)
				}
			}
			return p, nil
		})
	}
	for _, op := range []string{"StatelessRandomGetKeyCounter", "StatelessRandomGetKeyCounterAlg", "StatelessRandomGetAlg"} {
		resident.RegisterHost(op, nil)
	}
}

// reserved is how many numbers an element takes of its node's generator.
const reserved = 256

// drawn draws a tensor of the shape that input 0 says, from a generator that inputs say, or, if
// there is none such, the node's. Integers between limits have them as the last inputs.
func drawn(c *kernel.Construction, draw code.Draw, from func(in []resident.Input, dims []int64) (philox.Generator, error)) resident.Plan {
	dt := c.Outputs[0]
	p := resident.Plan{Shapes: func(in []resident.Input) ([]resident.Shape, error) {
		dims, err := kernel.Dims(in[0].Host, "shape")
		if err == nil && from != nil {
			_, err = from(in, dims)
		}
		if err == nil && draw == code.Between && (from == nil || !slices.Contains(dims, 0)) {
			_, err = limitsOf(in[len(in)-2:], dt)
		}
		return []resident.Shape{{Type: dt, Dims: dims}}, err
	}}
	p.Run = func(w *resident.Work, out []code.Array, in []resident.Input) {
		g := w.Numbers()
		if from != nil {
			var err error
			g, err = from(in, out[0].Dims)
			w.Fail(err)
		}
		var limits []uint64
		if draw == code.Between {
			var err error
			limits, err = limitsOf(in[len(in)-2:], dt)
			w.Fail(err)
		}
		if !w.Failed() {
			w.Add(code.Random(out[0], draw, g.Key, g.Counter, limits...))
		}
	}
	return p
}

// limitsOf is minval, and how many integers there are from it to maxval.
func limitsOf(in []resident.Input, dt tensor.DType) ([]uint64, error) {
	for i, name := range []string{"minval", "maxval"} {
		if len(in[i].Dims) != 0 {
			return nil, status.Invalid("%s must be 0-D, got shape %s", name, tensor.FormatDims(in[i].Dims))
		}
	}
	if dt == tensor.Uint32 || dt == tensor.Uint64 {
		lo, hi := bitsOf(in[0].Host), bitsOf(in[1].Host)
		if lo >= hi {
			return nil, status.Invalid("Need minval < maxval, got %d >= %d", lo, hi)
		}
		return []uint64{lo, hi - lo}, nil
	}
	lo, hi := integers(in[0].Host)[0], integers(in[1].Host)[0]
	if lo >= hi {
		return nil, status.Invalid("Need minval < maxval, got %d >= %d", lo, hi)
	}
	return []uint64{uint64(lo), uint64(hi) - uint64(lo)}, nil
}

// generator reads what inputs say.
func generator(in []resident.Input, dims []int64, key func(in []tensor.Value, drawn bool) (philox.Generator, error)) (philox.Generator, error) {
	var values []tensor.Value
	for _, x := range in {
		values = append(values, *x.Host)
	}
	return key(values, !slices.Contains(dims, 0))
}
