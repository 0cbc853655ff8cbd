package accelerated

import (
	"slices"

	"github.com/troupe-go/troupe/devices"
	"github.com/troupe-go/troupe/devices/code"
	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/kernel/resident"
	"github.com/troupe-go/troupe/shape"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

// Operations that compute nothing on the device: they pass its memory on under a shape,
// or tell the host what it knows anyway.
func init() {
	types := map[string][]tensor.DType{"T": numbers}
	for _, op := range []string{"Identity", "Snapshot", "StopGradient", "PreventGradient", "GuaranteeConst"} {
		resident.Register(op, types, nil, func(*kernel.Construction) (resident.Plan, error) {
			return reshape(func(in []resident.Input) ([]int64, error) { return in[0].Dims, nil }), nil
		})
	}
	resident.Register("IdentityN", map[string][]tensor.DType{"T": held}, nil, func(*kernel.Construction) (resident.Plan, error) {
		return resident.Plan{Shapes: func(in []resident.Input) (all []resident.Shape, err error) {
			for i, x := range in {
				all = append(all, resident.Shape{Type: x.Type, Dims: x.Dims, Like: 1 + i})
			}
			return all, nil
		}}, nil
	})
	resident.Register("EnsureShape", types, nil, func(c *kernel.Construction) (resident.Plan, error) {
		want := shape.FromAttr(c.Shape("shape"))
		return reshape(func(in []resident.Input) ([]int64, error) {
			if !shape.Compatible(want, shape.Of(in[0].Dims...)) {
				return nil, status.Invalid("Shape of tensor %s is not compatible with expected shape %v", tensor.FormatDims(in[0].Dims), want)
			}
			return in[0].Dims, nil
		}), nil
	})
	resident.Register("Bitcast", map[string][]tensor.DType{"T": held, "type": held}, nil, func(c *kernel.Construction) (resident.Plan, error) {
		infer := inferred(c, nil)
		return resident.Plan{Shapes: func(in []resident.Input) ([]resident.Shape, error) {
			all, err := infer(in)
			if err == nil {
				all[0].Like = 1
			}
			return all, err
		}}, nil
	})
	resident.Register("DeepCopy", map[string][]tensor.DType{"T": held}, nil, func(*kernel.Construction) (resident.Plan, error) {
		return one(same, func(z code.Array, in []code.Array) ([]devices.Launch, error) {
			return code.Map("Identity", 0, z, in[0])
		}), nil
	})
	for _, op := range []string{"Range", "LinSpace", "BroadcastArgs", "BroadcastGradientArgs", "ConcatOffset", "UnravelIndex", "InvertPermutation", "DataFormatVecPermute", "DataFormatDimMap"} {
		resident.RegisterHost(op, nil)
	}
	resident.Register("Reshape", types, []string{"shape"}, func(*kernel.Construction) (resident.Plan, error) {
		return reshape(func(in []resident.Input) ([]int64, error) {
			return reshaped(in[0].Elements(), integers(in[1].Host))
		}), nil
	})
	resident.Register("ExpandDims", types, []string{"dim"}, func(*kernel.Construction) (resident.Plan, error) {
		return reshape(func(in []resident.Input) ([]int64, error) {
			axis, err := axisOf(&in[1], len(in[0].Dims)+1)
			if err != nil {
				return nil, err
			}
			return slices.Insert(slices.Clone(in[0].Dims), axis, 1), nil
		}), nil
	})
	resident.Register("Squeeze", types, nil, func(c *kernel.Construction) (resident.Plan, error) {
		axes := c.Ints("squeeze_dims")
		return reshape(func(in []resident.Input) ([]int64, error) {
			rank := int64(len(in[0].Dims))
			var drop []int64
			for _, a := range axes {
				if a < -rank || a >= rank {
					return nil, status.Invalid("Tried to squeeze dim index %d for tensor with %d dimensions.", a, rank)
				}
				if a = (a + rank) % rank; in[0].Dims[a] != 1 {
					return nil, status.Invalid("Can not squeeze dim[%d], expected a dimension of 1, got %d", a, in[0].Dims[a])
				}
				drop = append(drop, a)
			}
			var dims []int64
			for i, d := range in[0].Dims {
				if d != 1 || len(axes) > 0 && !slices.Contains(drop, int64(i)) {
					dims = append(dims, d)
				}
			}
			return dims, nil
		}), nil
	})
	for op, f := range map[string]func(dims []int64) ([]int64, bool){
		"Shape": func(dims []int64) ([]int64, bool) { return dims, false },
		"Rank":  func(dims []int64) ([]int64, bool) { return []int64{int64(len(dims))}, true },
		"Size": func(dims []int64) ([]int64, bool) {
			n := int64(1)
			for _, d := range dims {
				n *= d
			}
			return []int64{n}, true
		},
	} {
		for _, kind := range resident.Types {
			kernel.Register(kernel.Registration{Op: op, Device: kind, Types: types, HostMemory: []string{"output"}, New: func(c *kernel.Construction) (kernel.Kernel, error) {
				dt := c.Outputs[0]
				return kernel.Func(func(ctx *kernel.Context, in, out []tensor.Value) error {
					t, err := resident.Of(&in[0])
					if err != nil {
						return err
					}
					out[0], err = told(ctx, dt, f, t.Dims())
					return err
				}), nil
			}})
		}
	}
	for _, kind := range resident.Types {
		kernel.Register(kernel.Registration{Op: "ShapeN", Device: kind, Types: map[string][]tensor.DType{"T": numbers}, HostMemory: []string{"output"}, New: func(c *kernel.Construction) (kernel.Kernel, error) {
			dt := c.Outputs[0]
			return kernel.Func(func(ctx *kernel.Context, in, out []tensor.Value) error {
				for i := range in {
					t, err := resident.Of(&in[i])
					if err != nil {
						return err
					}
					if out[i], err = told(ctx, dt, func(dims []int64) ([]int64, bool) { return dims, false }, t.Dims()); err != nil {
						return err
					}
				}
				return nil
			}), nil
		}})
	}
}

// told returns what is told of a shape, as a scalar or a vector of int32 or int64.
func told(ctx *kernel.Context, dt tensor.DType, f func([]int64) ([]int64, bool), dims []int64) (tensor.Value, error) {
	numbers, scalar := f(dims)
	shape := []int64{int64(len(numbers))}
	if scalar {
		shape = nil
	}
	v, err := ctx.Alloc(dt, shape)
	if err != nil {
		return v, err
	}
	for i, n := range numbers {
		if dt == tensor.Int64 {
			tensor.Of[int64](&v)[i] = n
			continue
		}
		if n > 1<<31-1 {
			return v, status.Invalid("%d does not fit into int32", n)
		}
		tensor.Of[int32](&v)[i] = int32(n)
	}
	return v, nil
}

// reshape passes the memory of input 0 on.
func reshape(as func(in []resident.Input) ([]int64, error)) resident.Plan {
	return resident.Plan{Shapes: func(in []resident.Input) ([]resident.Shape, error) {
		dims, err := as(in)
		return []resident.Shape{{Type: in[0].Type, Dims: dims, Like: 1}}, err
	}}
}
