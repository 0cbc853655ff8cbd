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

// Operations on pixels: colors, windows of images, parts of them, and quantization as it is
// trained.

func init() {
	for _, op := range []string{"RGBToHSV", "HSVToRGB", "AdjustHue", "AdjustSaturation"} {
		types := floats
		if op[:3] == "Adj" {
			types = floats[:1]
		}
		resident.Register(op, map[string][]tensor.DType{"T": types}, nil, func(*kernel.Construction) (resident.Plan, error) {
			return one(func(in []resident.Input) (tensor.DType, []int64, error) {
				if x := in[0].Dims; len(x) < 1 || x[len(x)-1] != 3 {
					return 0, nil, status.Errorf(status.FailedPrecondition, "input must have 3 channels, not the shape %s", tensor.FormatDims(x))
				}
				if len(in) > 1 && (len(in[1].Dims) != 0 || len(in[0].Dims) < 3) {
					return 0, nil, status.Invalid("%s of %s by %s", op, tensor.FormatDims(in[0].Dims), tensor.FormatDims(in[1].Dims))
				}
				return same(in)
			}, func(z code.Array, in []code.Array) ([]devices.Launch, error) {
				return code.Colors(op, z, in[0], in[1:]...)
			}), nil
		})
	}
	resident.Register("AdjustContrastv2", map[string][]tensor.DType{"T": floats[:1]}, nil, func(*kernel.Construction) (resident.Plan, error) {
		return resident.Plan{
			Shapes: func(in []resident.Input) ([]resident.Shape, error) {
				if len(in[0].Dims) < 3 || len(in[1].Dims) != 0 {
					return nil, status.Invalid("AdjustContrastv2 of %s by %s", tensor.FormatDims(in[0].Dims), tensor.FormatDims(in[1].Dims))
				}
				return []resident.Shape{{Type: in[0].Type, Dims: in[0].Dims}}, nil
			},
			Run: func(w *resident.Work, out []code.Array, in []resident.Input) {
				x, z := in[0].Array, out[0]
				if z.Elements() == 0 {
					return
				}
				n := len(x.Dims)
				dims := slices.Clone(x.Dims)
				dims[n-3], dims[n-2] = 1, 1
				mean, off, scaled := w.Scratch(x.Type, dims...), w.Scratch(x.Type, x.Dims...), w.Scratch(x.Type, x.Dims...)
				fold(w, "Mean", mean, x, []int{n - 3, n - 2})
				w.Add(code.Map("Sub", 0, off, x, mean))
				w.Add(code.Map("Mul", 0, scaled, off, in[1].Array))
				w.Add(code.Map("AddV2", 0, z, scaled, mean))
			},
		}, nil
	})
	for op, dims := range map[string]int{"ExtractImagePatches": 2, "ExtractVolumePatches": 3} {
		types := append(slices.Clone(floats), tensor.Int64, tensor.Uint8)
		resident.Register(op, map[string][]tensor.DType{"T": types}, nil, func(c *kernel.Construction) (resident.Plan, error) {
			g, err := windows(c, dims, "ksizes")
			if s := g.window; err == nil && dims == 3 && g.padding == "SAME" && (s.Strides[0] > s.Size[0] || s.Strides[1] > s.Size[1] || s.Strides[2] > s.Size[2]) {
				err = status.Errorf(status.Unimplemented, "%s with strides above its windows' size has no kernel for accelerators", op)
			}
			of := func(in []resident.Input) (code.Volume, []int64, error) {
				v, made, err := g.over(in[0].Dims, nil)
				if err == nil {
					made[dims+1] *= v.Size[0] * v.Size[1] * v.Size[2]
				}
				return v, made, err
			}
			return resident.Plan{
				Shapes: func(in []resident.Input) ([]resident.Shape, error) {
					_, made, err := of(in)
					return []resident.Shape{{Type: in[0].Type, Dims: made}}, err
				},
				Write: func(out []code.Array, in []resident.Input) ([]devices.Launch, error) {
					v, _, err := of(in)
					if err != nil {
						return nil, err
					}
					return code.Patches(asVolumes(out[0]), asVolumes(in[0].Array), v)
				},
			}, err
		})
	}
	resident.Register("Dilation2D", map[string][]tensor.DType{"T": floats}, nil, func(c *kernel.Construction) (resident.Plan, error) {
		g, err := windows(c, 2, "")
		of := func(x, w []int64) (code.Volume, []int64, error) {
			if len(w) != 3 || len(x) != 4 || w[2] != x[3] {
				return code.Volume{}, nil, status.Invalid("input and filter must have the same depth: %s, %s", tensor.FormatDims(x), tensor.FormatDims(w))
			}
			return g.over(x, []int64{w[0], w[1], 1, w[2]})
		}
		return one(func(in []resident.Input) (tensor.DType, []int64, error) {
			_, made, err := of(in[0].Dims, in[1].Dims)
			return in[0].Type, made, err
		}, func(z code.Array, in []code.Array) ([]devices.Launch, error) {
			v, _, err := of(in[0].Dims, in[1].Dims)
			if err != nil {
				return nil, err
			}
			return code.Dilate(asVolumes(z), asVolumes(in[0]), in[1], v)
		}), err
	})
	pixels := append(slices.Clone(floats), tensor.Uint8, tensor.Int8, tensor.Uint16, tensor.Int16, tensor.Int64)
	resident.Register("CropAndResize", map[string][]tensor.DType{"T": pixels}, []string{"crop_size"}, func(c *kernel.Construction) (resident.Plan, error) {
		nearest, outside := c.Str("method") == "nearest", float64(c.Float("extrapolation_value"))
		return resident.Plan{
			Shapes: func(in []resident.Input) ([]resident.Shape, error) {
				x, b, at, n := in[0].Dims, in[1].Dims, in[2].Dims, integers(in[3].Host)
				if len(x) != 4 || x[1] < 1 || x[2] < 1 || len(b) != 2 || b[1] != 4 || len(at) != 1 || at[0] != b[0] {
					return nil, status.Invalid("CropAndResize of images %s, boxes %s and box_index %s", tensor.FormatDims(x), tensor.FormatDims(b), tensor.FormatDims(at))
				}
				if len(in[3].Dims) != 1 || len(n) != 2 || n[0] <= 0 || n[1] <= 0 {
					return nil, status.Invalid("crop dimensions must be two that are positive: %v", n)
				}
				return []resident.Shape{{Type: tensor.Float, Dims: []int64{b[0], n[0], n[1], x[3]}}}, nil
			},
			Write: func(out []code.Array, in []resident.Input) ([]devices.Launch, error) {
				return code.Crop(out[0], in[0].Array, in[1].Array, in[2].Array, nearest, outside)
			},
		}, nil
	})
	for _, op := range []string{"FakeQuantWithMinMaxArgs", "FakeQuantWithMinMaxVars", "FakeQuantWithMinMaxVarsPerChannel"} {
		resident.Register(op, nil, nil, func(c *kernel.Construction) (resident.Plan, error) {
			q, ends, err := quantization(c, 1)
			return resident.Plan{
				Shapes: func(in []resident.Input) ([]resident.Shape, error) {
					return []resident.Shape{{Type: tensor.Float, Dims: in[0].Dims}}, channelled(op, in[0].Dims, in[1:])
				},
				Run: func(w *resident.Work, out []code.Array, in []resident.Input) {
					low, high := ends(w, in)
					w.Add(code.FakeQuantize(out[0], in[0].Array, low, high, q))
				},
			}, err
		})
		resident.Register(op+"Gradient", nil, nil, func(c *kernel.Construction) (resident.Plan, error) {
			q, ends, err := quantization(c, 2)
			return resident.Plan{
				Shapes: func(in []resident.Input) ([]resident.Shape, error) {
					if !slices.Equal(in[0].Dims, in[1].Dims) {
						return nil, status.Invalid("gradient and input must be the same size")
					}
					all := []resident.Shape{{Type: tensor.Float, Dims: in[0].Dims}}
					for _, end := range in[2:] {
						all = append(all, resident.Shape{Type: tensor.Float, Dims: end.Dims})
					}
					return all, channelled(op, in[1].Dims, in[2:])
				},
				Run: func(w *resident.Work, out []code.Array, in []resident.Input) {
					low, high := ends(w, in)
					x := in[1].Array
					off := []code.Array{w.Scratch(tensor.Float, x.Dims...), w.Scratch(tensor.Float, x.Dims...)}
					w.Add(code.FakeQuantizeGrad(out[0], off[0], off[1], in[0].Array, x, low, high, q))
					var axes []int // but for the channels
					for i := range x.Dims {
						if i < len(x.Dims)-1 || low.Elements() == 1 && len(low.Dims) == 0 {
							axes = append(axes, i)
						}
					}
					for i, z := range out[1:] {
						fold(w, "Sum", z, off[i], axes)
					}
				},
			}, err
		})
	}
}

// quantization returns what attributes say, and how the ends of the range are had: inputs at and the
// next, if there are any, or attributes.
func quantization(c *kernel.Construction, at int) (q code.Quantization, ends func(w *resident.Work, in []resident.Input) (low, high code.Array), err error) {
	bits := c.Int("num_bits")
	if bits < 2 || bits > 16 {
		return q, nil, c.Errorf("num_bits must be between 2 and 16, inclusive")
	}
	q = code.Quantization{Most: float64(int(1)<<bits - 1), Divides: c.Op.Name == "FakeQuantWithMinMaxVars"}
	if c.Bool("narrow_range") {
		q.Least = 1
	}
	low, high := c.Float("min"), c.Float("max")
	if c.Attrs.Find("min") != nil && !(low < high) {
		return q, nil, c.Errorf("min has to be smaller than max, was: %v >= %v", low, high)
	}
	return q, func(w *resident.Work, in []resident.Input) (code.Array, code.Array) {
		if at < len(in) {
			return in[at].Array, in[at+1].Array
		}
		return copied(w, []float32{low}), copied(w, []float32{high})
	}, nil
}

// channelled reports what is wrong with the shapes of the ends of a range.
func channelled(op string, x []int64, ends []resident.Input) error {
	var want []int64
	if op == "FakeQuantWithMinMaxVarsPerChannel" {
		if len(x) == 0 {
			return status.Invalid("inputs must have at least one dimension")
		}
		want = x[len(x)-1:]
	}
	for i, e := range ends {
		if !slices.Equal(e.Dims, want) {
			return status.Invalid("%s has incorrect shape, expected %s was %s", []string{"min", "max"}[i], tensor.FormatDims(want), tensor.FormatDims(e.Dims))
		}
	}
	return nil
}
