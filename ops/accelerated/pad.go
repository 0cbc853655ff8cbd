package accelerated

import (
	"slices"

	"github.com/troupe-go/troupe/devices"
	"github.com/troupe-go/troupe/devices/code"
	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/kernel/resident"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

// Paddings, by one element or by what they mirror, which is moved there dimension by
// dimension.

func init() {
	for op, host := range map[string][]string{"Pad": {"paddings"}, "PadV2": {"paddings", "constant_values"}} {
		moving(op, "T", host, func(*kernel.Construction) (resident.Plan, error) {
			return resident.Plan{
				Shapes: func(in []resident.Input) ([]resident.Shape, error) {
					_, dims, err := around(in[1], in[0].Dims)
					if err == nil && len(in) > 2 && len(in[2].Dims) != 0 {
						err = status.Invalid("constant_values must be a scalar. Found: %s", tensor.FormatDims(in[2].Dims))
					}
					return []resident.Shape{{Type: in[0].Type, Dims: dims}}, err
				},
				Write: func(out []code.Array, in []resident.Input) ([]devices.Launch, error) {
					p, _, err := around(in[1], in[0].Dims)
					if err != nil {
						return nil, err
					}
					bits := uint64(0)
					if len(in) > 2 {
						bits = bitsOf(in[2].Host)
					}
					return code.Pad(out[0], in[0].Array, evens(p), bits)
				},
			}, nil
		})
	}
	moving("MirrorPad", "T", []string{"paddings"}, func(c *kernel.Construction) (resident.Plan, error) {
		offset := int64(0)
		if c.Str("mode") == "REFLECT" {
			offset = 1
		}
		return resident.Plan{
			Shapes: func(in []resident.Input) ([]resident.Shape, error) {
				p, dims, err := around(in[1], in[0].Dims)
				if err == nil {
					err = mirrors(in[0].Dims, p, offset)
				}
				return []resident.Shape{{Type: in[0].Type, Dims: dims}}, err
			},
			Write: func(out []code.Array, in []resident.Input) ([]devices.Launch, error) {
				p, _, err := around(in[1], in[0].Dims)
				if err != nil {
					return nil, err
				}
				var s sequence
				s.add(code.Place(out[0], in[0].Array, evens(p)))
				for d := range in[0].Dims {
					edges(out[0], in[0].Dims, p, d, offset, func(image, of code.Part, dims []int64) { s.add(code.Move(image, of, dims)) })
				}
				return s.launches, s.err
			},
		}, nil
	})
	resident.Register("MirrorPadGrad", map[string][]tensor.DType{"T": append(slices.Clone(floats), tensor.Int64)}, []string{"paddings"}, func(c *kernel.Construction) (resident.Plan, error) {
		offset := int64(0)
		if c.Str("mode") == "REFLECT" {
			offset = 1
		}
		inner := func(in []resident.Input) (p, dims []int64, err error) {
			if p, _, err = around(in[1], in[0].Dims); err != nil {
				return nil, nil, err
			}
			for i, d := range in[0].Dims {
				if p[2*i]+p[2*i+1] > d {
					return nil, nil, status.Invalid("paddings of %d and %d of %d elements", p[2*i], p[2*i+1], d)
				}
				dims = append(dims, d-p[2*i]-p[2*i+1])
			}
			return p, dims, mirrors(dims, p, offset)
		}
		return resident.Plan{
			Shapes: func(in []resident.Input) ([]resident.Shape, error) {
				_, dims, err := inner(in)
				return []resident.Shape{{Type: in[0].Type, Dims: dims}}, err
			},
			Run: func(w *resident.Work, out []code.Array, in []resident.Input) {
				p, dims, err := inner(in)
				if err != nil {
					w.Fail(err)
					return
				}
				sum := w.Scratch(in[0].Type, in[0].Dims...)
				w.Add(code.Map("Identity", 0, sum, in[0].Array))
				for d := len(dims) - 1; d >= 0; d-- {
					edges(sum, dims, p, d, offset, func(image, of code.Part, dims []int64) { w.Add(code.Accumulate(of, image, dims)) })
				}
				w.Add(code.Slice(out[0], sum, evens(p), slices.Repeat([]int64{1}, len(dims))))
			},
		}, nil
	})
}

// around returns the paddings in host memory, a pair for each dimension, and the shape that they
// make of dims.
func around(in resident.Input, dims []int64) (p, padded []int64, err error) {
	p = integers(in.Host)
	if len(in.Dims) != 2 || in.Dims[1] != 2 || in.Dims[0] != int64(len(dims)) {
		return nil, nil, status.Invalid("paddings must have a row of 2 for each of %d dimensions, not the shape %s", len(dims), tensor.FormatDims(in.Dims))
	}
	for i, d := range dims {
		if p[2*i] < 0 || p[2*i+1] < 0 {
			return nil, nil, status.Invalid("Paddings must be non-negative: %d %d", p[2*i], p[2*i+1])
		}
		if p[2*i] > 1<<47 || p[2*i+1] > 1<<47 {
			return nil, nil, status.Invalid("Paddings are too large: %d %d", p[2*i], p[2*i+1])
		}
		padded = append(padded, p[2*i]+d+p[2*i+1])
	}
	return p, padded, nil
}

// evens are the elements in places 0, 2, …: of paddings those before.
func evens(p []int64) []int64 {
	all := make([]int64, len(p)/2)
	for i := range all {
		all[i] = p[2*i]
	}
	return all
}

// mirrors reports whether a tensor is large enough for what is to be mirrored of it.
func mirrors(dims, p []int64, offset int64) error {
	for i, d := range dims {
		if most := d - offset; max(p[2*i], p[2*i+1]) > most {
			return status.Invalid("paddings must be no greater than the dimension size: %d, %d greater than %d", p[2*i], p[2*i+1], most)
		}
	}
	return nil
}

// edges calls f with the paddings before and behind dimension d of a padded array whose inside
// has those dims, and with what they mirror. Dimensions before d are whole, those behind it
// without their paddings.
func edges(padded code.Array, dims, p []int64, d int, offset int64, f func(image, of code.Part, dims []int64)) {
	whole := code.All(padded)
	counts := slices.Clone(padded.Dims)
	for i := d + 1; i < len(dims); i++ {
		whole.Start += p[2*i] * whole.Strides[i]
		counts[i] = dims[i]
	}
	step, before := whole.Strides[d], p[2*d]
	last := before + dims[d] - 1
	for _, e := range [][3]int64{{before, 0, before + offset + before - 1}, {p[2*d+1], last + 1, last - offset}} { // how many, first image, what it mirrors
		if e[0] == 0 {
			continue
		}
		image, of := whole, whole
		image.Start += e[1] * step
		of.Start += e[2] * step
		of.Strides = slices.Clone(whole.Strides)
		of.Strides[d] = -step
		n := slices.Clone(counts)
		n[d] = e[0]
		f(image, of, n)
	}
}
