package accelerated

import (
	"math"
	"slices"

	"github.com/troupe-go/troupe/devices"
	"github.com/troupe-go/troupe/devices/code"
	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/kernel/resident"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

// Operations along one dimension: running sums, the largest of a row, searches in what is
// sorted, counts, and norms of channels around one.

func init() {
	wide := append(slices.Clone(floats), tensor.Int64)
	for op, types := range map[string][]tensor.DType{"Cumsum": wide, "Cumprod": wide, "CumulativeLogsumexp": floats} {
		resident.Register(op, map[string][]tensor.DType{"T": types}, []string{"axis"}, func(c *kernel.Construction) (resident.Plan, error) {
			exclusive, reverse := c.Bool("exclusive"), c.Bool("reverse")
			return resident.Plan{
				Shapes: func(in []resident.Input) ([]resident.Shape, error) {
					_, err := axisOf(&in[1], len(in[0].Dims))
					if err == nil && len(in[1].Dims) != 0 {
						err = status.Invalid("axis must be a scalar, got shape %s", tensor.FormatDims(in[1].Dims))
					}
					return []resident.Shape{{Type: in[0].Type, Dims: in[0].Dims}}, err
				},
				Write: func(out []code.Array, in []resident.Input) ([]devices.Launch, error) {
					axis, err := axisOf(&in[1], len(in[0].Dims))
					if err != nil {
						return nil, err
					}
					return code.Scan(op, out[0], in[0].Array, axis, exclusive, reverse)
				},
			}, nil
		})
	}
	top := func(k func(in []resident.Input) int64) func(c *kernel.Construction) (resident.Plan, error) {
		return func(c *kernel.Construction) (resident.Plan, error) {
			return resident.Plan{
				Shapes: func(in []resident.Input) ([]resident.Shape, error) {
					x, n := in[0].Dims, k(in)
					if len(x) < 1 || n < 0 || x[len(x)-1] < n {
						return nil, status.Invalid("input must have at least k=%d columns. Had %s", n, tensor.FormatDims(x))
					}
					dims := append(slices.Clone(x[:len(x)-1]), n)
					return []resident.Shape{{Type: in[0].Type, Dims: dims}, {Type: c.Outputs[1], Dims: dims}}, nil
				},
				Write: func(out []code.Array, in []resident.Input) ([]devices.Launch, error) {
					return code.Top(out[0], out[1], in[0].Array)
				},
			}, nil
		}
	}
	resident.Register("TopK", map[string][]tensor.DType{"T": wide}, nil, func(c *kernel.Construction) (resident.Plan, error) {
		n := c.Int("k")
		return top(func([]resident.Input) int64 { return n })(c)
	})
	resident.Register("TopKV2", map[string][]tensor.DType{"T": wide, "Tk": places, "index_type": places}, []string{"k"}, top(func(in []resident.Input) int64 {
		if n := integers(in[1].Host); len(n) == 1 && len(in[1].Dims) == 0 {
			return n[0]
		}
		return -1
	}))
	among := func(k func(in []resident.Input) int64) resident.Plan {
		return resident.Plan{
			Shapes: func(in []resident.Input) ([]resident.Shape, error) {
				p, t := in[0].Dims, in[1].Dims
				if len(p) != 2 || len(t) != 1 || p[0] != t[0] || len(in) > 2 && len(in[2].Dims) != 0 {
					return nil, status.Invalid("predictions must be 2-dimensional, and targets have one for each row: %s, %s", tensor.FormatDims(p), tensor.FormatDims(t))
				}
				return []resident.Shape{{Type: tensor.Bool, Dims: t}}, nil
			},
			Write: func(out []code.Array, in []resident.Input) ([]devices.Launch, error) {
				return code.InTop(out[0], in[0].Array, in[1].Array, k(in))
			},
		}
	}
	resident.Register("InTopK", map[string][]tensor.DType{"T": places}, nil, func(c *kernel.Construction) (resident.Plan, error) {
		n := c.Int("k")
		return among(func([]resident.Input) int64 { return n }), nil
	})
	resident.Register("InTopKV2", map[string][]tensor.DType{"T": places}, []string{"k"}, func(*kernel.Construction) (resident.Plan, error) {
		return among(func(in []resident.Input) int64 { return integers(in[2].Host)[0] }), nil
	})
	for _, op := range []string{"LowerBound", "UpperBound"} {
		resident.Register(op, map[string][]tensor.DType{"T": wide, "out_type": places}, nil, func(c *kernel.Construction) (resident.Plan, error) {
			return resident.Plan{
				Shapes: func(in []resident.Input) ([]resident.Shape, error) {
					x, v := in[0].Dims, in[1].Dims
					if len(x) != 2 || len(v) != 2 || x[0] != v[0] || x[1] > math.MaxInt32 {
						return nil, status.Invalid("%s of %s in %s", op, tensor.FormatDims(v), tensor.FormatDims(x))
					}
					return []resident.Shape{{Type: c.Outputs[0], Dims: v}}, nil
				},
				Write: func(out []code.Array, in []resident.Input) ([]devices.Launch, error) {
					return code.Search(out[0], in[0].Array, in[1].Array, op == "UpperBound")
				},
			}, nil
		})
	}
	resident.Register("Bincount", map[string][]tensor.DType{"T": {tensor.Float, tensor.Double, tensor.Int64}}, []string{"size"}, func(c *kernel.Construction) (resident.Plan, error) {
		return counting(c, 2, false), nil
	})
	resident.Register("DenseBincount", map[string][]tensor.DType{"T": {tensor.Float, tensor.Double, tensor.Int64}}, []string{"size"}, func(c *kernel.Construction) (resident.Plan, error) {
		return counting(c, 2, c.Bool("binary_output")), nil
	})
	for _, op := range []string{"LRN", "LRNGrad"} {
		resident.Register(op, map[string][]tensor.DType{"T": {tensor.Float, tensor.Half}}, nil, func(c *kernel.Construction) (resident.Plan, error) {
			radius, bias, alpha, beta := c.Int("depth_radius"), float64(c.Float("bias")), float64(c.Float("alpha")), float64(c.Float("beta"))
			if radius < 0 || radius > math.MaxInt32 {
				return resident.Plan{}, c.Errorf("depth_radius = %d larger than int max", radius)
			}
			return one(func(in []resident.Input) (tensor.DType, []int64, error) {
				for _, x := range in {
					if len(x.Dims) != 4 || !slices.Equal(x.Dims, in[0].Dims) {
						return 0, nil, status.Invalid("%s takes images of one shape, not %s", op, tensor.FormatDims(x.Dims))
					}
				}
				return same(in)
			}, func(z code.Array, in []code.Array) ([]devices.Launch, error) {
				if op == "LRN" {
					return code.LRN(z, in[0], radius, bias, alpha, beta)
				}
				return code.LRNGrad(z, in[0], in[1], in[2], radius, bias, alpha, beta)
			}), nil
		})
	}
}

// counting counts the elements of input 0, a vector, or of each row of a matrix, or adds up
// their weights, input weights.
func counting(c *kernel.Construction, weights int, binary bool) resident.Plan {
	return resident.Plan{
		Shapes: func(in []resident.Input) ([]resident.Shape, error) {
			n := integers(in[1].Host)
			if len(n) != 1 || n[0] < 0 || len(in[1].Dims) != 0 {
				return nil, status.Invalid("size (%v) must be a non-negative scalar", n)
			}
			x := in[0].Dims
			if c.Op.Name == "DenseBincount" && (len(x) < 1 || len(x) > 2) {
				return nil, status.Invalid("Shape must be at most rank 2 but is rank %d", len(x))
			}
			if w := in[weights].Dims; in[weights].Elements() > 0 && !slices.Equal(w, x) {
				return nil, status.Invalid("weights must be the same shape as arr or length 0: %s, %s", tensor.FormatDims(w), tensor.FormatDims(x))
			}
			dims := []int64{n[0]}
			if len(x) == 2 && c.Op.Name == "DenseBincount" {
				dims = []int64{x[0], n[0]}
			}
			return []resident.Shape{{Type: c.Outputs[0], Dims: dims}}, nil
		},
		Run: func(w *resident.Work, out []code.Array, in []resident.Input) {
			z, x, by := out[0], in[0].Array, in[weights].Array
			counts := z
			if binary {
				counts = w.Scratch(z.Type, z.Dims...)
			}
			w.Add(code.Count(counts, x, by, by.Elements() > 0 && !binary, len(z.Dims) == 2))
			if binary {
				zero := w.Scratch(z.Type)
				is := w.Scratch(tensor.Bool, z.Dims...)
				w.Add(code.Fill(zero, 0))
				w.Add(code.Map("NotEqual", 0, is, counts, zero))
				w.Add(code.Cast(z, is))
			}
		},
	}
}
