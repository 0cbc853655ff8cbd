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

// Pools of images and volumes, and their gradients. A window that reaches over channels has
// no kernel here.

func init() {
	small := map[string][]tensor.DType{"T": floats}
	of := func(op string, dims int, host []string, types map[string][]tensor.DType, plan func(*kernel.Construction, pool) resident.Plan) {
		resident.Register(op, types, host, func(c *kernel.Construction) (resident.Plan, error) {
			g, err := windows(c, dims, "ksize")
			return plan(c, pool{g, len(c.Inputs) - 2, slices.Contains(host, "ksize")}), err
		})
	}
	register := func(op string, dims int, host []string, plan func(pool) resident.Plan) {
		types := small
		if dims == 3 && op[:3] == "Avg" {
			types = map[string][]tensor.DType{"T": {tensor.Float, tensor.Bfloat16}} // as the CPU has
		}
		of(op, dims, host, types, func(_ *kernel.Construction, p pool) resident.Plan { return plan(p) })
	}
	given := []string{"ksize", "strides"}
	for dims, suffix := range map[int]string{2: "", 3: "3D"} {
		register("MaxPool"+suffix, dims, nil, func(p pool) resident.Plan { return p.forward(false) })
		register("AvgPool"+suffix, dims, nil, func(p pool) resident.Plan { return p.forward(true) })
		register("MaxPool"+suffix+"Grad", dims, nil, func(p pool) resident.Plan { return p.gradient() })
		register("MaxPool"+suffix+"GradGrad", dims, nil, func(p pool) resident.Plan { return p.gradGrad() })
		register("AvgPool"+suffix+"Grad", dims, []string{"orig_input_shape"}, func(p pool) resident.Plan { return p.average() })
	}
	register("MaxPoolV2", 2, given, func(p pool) resident.Plan { return p.forward(false) })
	register("MaxPoolGradV2", 2, given, func(p pool) resident.Plan { return p.gradient() })
	register("MaxPoolGradGradV2", 2, given, func(p pool) resident.Plan { return p.gradGrad() })
	of("MaxPoolWithArgmax", 2, nil, map[string][]tensor.DType{"T": floats, "Targmax": {tensor.Int32, tensor.Int64}}, func(c *kernel.Construction, p pool) resident.Plan {
		return p.places(c.Type("Targmax"), c.Bool("include_batch_in_index"))
	})
}

// A pool is a window of a size that attributes say, or, of the operations that have them, the
// inputs from the last but one on.
type pool struct {
	geometry
	last  int
	given bool
}

// at returns the window over input 0, and the shape of what it makes.
func (p pool) at(in []resident.Input, dims []int64) (code.Volume, []int64, error) {
	if p.given {
		if err := p.set("ksize", integers(in[p.last].Host), &p.window.Size); err != nil {
			return code.Volume{}, nil, err
		}
		if err := p.set("strides", integers(in[p.last+1].Host), &p.window.Strides); err != nil {
			return code.Volume{}, nil, err
		}
	}
	return p.over(dims, nil)
}

// turned returns a plan whose first n inputs and first output, or all of m outputs, are images.
func (p pool) turned(plan resident.Plan, n, m int) resident.Plan {
	if !p.first {
		return plan
	}
	all := []int{0, 1, 2}
	return turned(plan, all[:n], all[:m])
}

func (p pool) forward(average bool) resident.Plan {
	return p.turned(resident.Plan{
		Shapes: func(in []resident.Input) ([]resident.Shape, error) {
			_, dims, err := p.at(in, in[0].Dims)
			return []resident.Shape{{Type: in[0].Type, Dims: dims}}, err
		},
		Write: func(out []code.Array, in []resident.Input) ([]devices.Launch, error) {
			v, _, err := p.at(in, in[0].Dims)
			switch {
			case err != nil:
				return nil, err
			case p.dims == 2:
				return code.Pool(out[0], in[0].Array, flat(v), average)
			}
			return code.PoolVolume(out[0], in[0].Array, v, average)
		},
	}, 1, 1)
}

// wrong returns an error about a shape.
func (p pool) wrong(what string, have, want []int64) error {
	return status.Invalid("%s: %s has shape %s and should have %s", p.op, what, tensor.FormatDims(have), tensor.FormatDims(want))
}

// gradient returns that of a pool of largest elements, from its input, its output and the
// gradient of that.
func (p pool) gradient() resident.Plan {
	return p.turned(resident.Plan{
		Shapes: func(in []resident.Input) ([]resident.Shape, error) {
			_, dims, err := p.at(in, in[0].Dims)
			for i, what := range []string{"orig_output", "grad"} {
				if err == nil && !slices.Equal(dims, in[1+i].Dims) {
					err = p.wrong(what, in[1+i].Dims, dims)
				}
			}
			return []resident.Shape{{Type: in[0].Type, Dims: in[0].Dims}}, err
		},
		Run: func(w *resident.Work, out []code.Array, in []resident.Input) {
			v, _, err := p.at(in, in[0].Dims)
			switch {
			case err != nil:
				w.Fail(err)
			case in[2].Elements() == 0:
				w.Add(code.Fill(out[0], 0))
			case p.dims == 2:
				w.Add(code.MaxPoolGrad(out[0], in[0].Array, in[2].Array, flat(v), w.Beside(code.MaxPoolGradScratch(in[2].Array))))
			default:
				w.Add(code.PoolVolumeGrad(out[0], in[0].Array, in[1].Array, in[2].Array, v, false))
			}
		},
	}, 3, 1)
}

// gradGrad takes from each window of a tensor what is where the input has its largest.
func (p pool) gradGrad() resident.Plan {
	return p.turned(resident.Plan{
		Shapes: func(in []resident.Input) ([]resident.Shape, error) {
			_, dims, err := p.at(in, in[0].Dims)
			if err == nil && !slices.Equal(dims, in[1].Dims) {
				err = p.wrong("orig_output", in[1].Dims, dims)
			}
			if err == nil && !slices.Equal(in[0].Dims, in[2].Dims) {
				err = p.wrong("grad", in[2].Dims, in[0].Dims)
			}
			return []resident.Shape{{Type: in[0].Type, Dims: dims}}, err
		},
		Write: func(out []code.Array, in []resident.Input) ([]devices.Launch, error) {
			v, _, err := p.at(in, in[0].Dims)
			if err != nil {
				return nil, err
			}
			return code.PoolPick(asVolumes(out[0]), asVolumes(in[0].Array), asVolumes(in[2].Array), v)
		},
	}, 3, 1)
}

// average returns the gradient of a pool of averages, from the shape of its input.
func (p pool) average() resident.Plan {
	shapes := func(in []resident.Input) (v code.Volume, dims []int64, err error) {
		if dims, err = kernel.Dims(in[0].Host, "orig_input_shape"); err != nil {
			return v, nil, err
		}
		v, made, err := p.at(in, dims)
		if err == nil && !slices.Equal(made, in[1].Dims) {
			err = p.wrong("grad", in[1].Dims, made)
		}
		return v, dims, err
	}
	return p.turned(resident.Plan{
		Shapes: func(in []resident.Input) ([]resident.Shape, error) {
			_, dims, err := shapes(in)
			return []resident.Shape{{Type: in[1].Type, Dims: dims}}, err
		},
		Write: func(out []code.Array, in []resident.Input) ([]devices.Launch, error) {
			v, _, err := shapes(in)
			switch {
			case err != nil:
				return nil, err
			case in[1].Elements() == 0:
				return code.Fill(out[0], 0)
			case p.dims == 2:
				return code.AvgPoolGrad(out[0], in[1].Array, flat(v))
			}
			return code.PoolVolumeGrad(out[0], code.Array{}, code.Array{}, in[1].Array, v, true)
		},
	}, 2, 1)
}

// places returns a pool that also puts out where the largest elements are.
func (p pool) places(dt tensor.DType, all bool) resident.Plan {
	return p.turned(resident.Plan{
		Shapes: func(in []resident.Input) ([]resident.Shape, error) {
			_, dims, err := p.at(in, in[0].Dims)
			if err == nil && in[0].Elements() == 0 {
				err = status.Invalid("tensor_in must not be empty (2)")
			}
			return []resident.Shape{{Type: in[0].Type, Dims: dims}, {Type: dt, Dims: dims}}, err
		},
		Write: func(out []code.Array, in []resident.Input) ([]devices.Launch, error) {
			v, _, err := p.at(in, in[0].Dims)
			if err != nil {
				return nil, err
			}
			return code.PoolArgMax(asVolumes(out[0]), asVolumes(out[1]), asVolumes(in[0].Array), v, all)
		},
	}, 1, 2)
}
