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

// Operations that take rows where indices say, or change them there. Indices are in the
// device's memory; what they name that is not there is zero, or left out.

func init() {
	moving("Gather", "Tparams", nil, func(c *kernel.Construction) (resident.Plan, error) {
		return gather(func(in []resident.Input) (int, int, error) {
			if len(in[0].Dims) < 1 {
				return 0, 0, status.Invalid("params must be at least 1 dimensional")
			}
			return 0, 0, nil
		}), nil
	})
	resident.Register("GatherV2", map[string][]tensor.DType{"Tparams": numbers, "Tindices": places}, []string{"axis"}, func(c *kernel.Construction) (resident.Plan, error) {
		batch := int(c.Int("batch_dims"))
		return gather(func(in []resident.Input) (int, int, error) {
			axis, err := axisOf(&in[2], len(in[0].Dims))
			if err == nil && len(in[2].Dims) != 0 {
				err = status.Invalid("axis must be a scalar, got shape %s", tensor.FormatDims(in[2].Dims))
			}
			if err != nil {
				return 0, 0, err
			}
			b, err := batches(batch, axis, in[0].Dims, in[1].Dims)
			return axis, b, err
		}), nil
	})
	moving("GatherNd", "Tparams", nil, func(c *kernel.Construction) (resident.Plan, error) {
		if c.Type("Tindices") == tensor.Int16 {
			return resident.Plan{}, status.Errorf(status.Unimplemented, "GatherNd by int16 has no kernel for accelerators")
		}
		return one(func(in []resident.Input) (tensor.DType, []int64, error) {
			depth, err := deep(in[0].Dims, in[1].Dims)
			if err != nil {
				return 0, nil, err
			}
			return in[0].Type, slices.Concat(in[1].Dims[:len(in[1].Dims)-1], in[0].Dims[depth:]), nil
		}, func(z code.Array, in []code.Array) ([]devices.Launch, error) {
			depth, err := deep(in[0].Dims, in[1].Dims)
			if err != nil {
				return nil, err
			}
			return code.GatherNd(z, in[0], in[1], depth)
		}), nil
	})
	scatter := append(slices.Clone(floats), tensor.Int64, tensor.Bool)
	resident.RegisterHost("ScatterNd", map[string][]tensor.DType{"T": {tensor.Int32}})
	resident.Register("ScatterNd", map[string][]tensor.DType{"T": scatter, "Tindices": places}, []string{"shape"}, func(*kernel.Construction) (resident.Plan, error) {
		return resident.Plan{
			Shapes: func(in []resident.Input) ([]resident.Shape, error) {
				dims, err := kernel.Dims(in[2].Host, "shape")
				if err == nil {
					err = onto(dims, in[0].Dims, in[1].Dims)
				}
				return []resident.Shape{{Type: in[1].Type, Dims: dims}}, err
			},
			Write: func(out []code.Array, in []resident.Input) ([]devices.Launch, error) {
				var s sequence
				s.add(code.Fill(out[0], 0))
				how := "Add"
				if in[1].Type == tensor.Bool {
					how = "Max" // of truth values, as the CPU adds them
				}
				s.add(scatterOnto(how, out[0], in[0].Array, in[1].Array))
				return s.launches, s.err
			},
		}, nil
	})
	for op, how := range map[string]string{
		"TensorScatterUpdate": "Update", "TensorScatterAdd": "Add", "TensorScatterSub": "Sub", "TensorScatterMax": "Max", "TensorScatterMin": "Min", "ScatterNdNonAliasingAdd": "Add",
	} {
		types := append(slices.Clone(floats), tensor.Int64)
		if how == "Update" {
			types = held
		}
		resident.RegisterHost(op, map[string][]tensor.DType{"T": {tensor.Int32}})
		resident.Register(op, map[string][]tensor.DType{"T": types, "Tindices": places}, nil, func(*kernel.Construction) (resident.Plan, error) {
			return one(func(in []resident.Input) (tensor.DType, []int64, error) {
				return in[0].Type, in[0].Dims, onto(in[0].Dims, in[1].Dims, in[2].Dims)
			}, func(z code.Array, in []code.Array) ([]devices.Launch, error) {
				var s sequence
				s.add(code.Map("Identity", 0, z, in[0]))
				s.add(scatterOnto(how, z, in[1], in[2]))
				return s.launches, s.err
			}), nil
		})
	}
	for op, how := range map[string]string{"InplaceUpdate": "Update", "InplaceAdd": "Add", "InplaceSub": "Sub"} {
		types := append(slices.Clone(floats), tensor.Int64)
		resident.RegisterHost(op, map[string][]tensor.DType{"T": {tensor.Int32}})
		resident.Register(op, map[string][]tensor.DType{"T": types}, []string{"i"}, func(*kernel.Construction) (resident.Plan, error) {
			return resident.Plan{
				Shapes: func(in []resident.Input) ([]resident.Shape, error) {
					x, i, v := in[0].Dims, in[1].Dims, in[2].Dims
					if len(i) != 1 || len(x) == 0 || len(x) != len(v) || !slices.Equal(x[1:], v[1:]) || i[0] != v[0] || x[0] == 0 && i[0] > 0 {
						return nil, status.Invalid("%s of x %s, i %s and v %s", op, tensor.FormatDims(x), tensor.FormatDims(i), tensor.FormatDims(v))
					}
					return []resident.Shape{{Type: in[0].Type, Dims: x}}, nil
				},
				Run: func(w *resident.Work, out []code.Array, in []resident.Input) {
					rows := integers(in[1].Host) // which count around
					for k := range rows {
						n := in[0].Dims[0]
						rows[k] = (rows[k]%n + n) % n
					}
					at := tensor.ValueOf(vector(rows))
					w.Add(code.Map("Identity", 0, out[0], in[0].Array))
					w.Add(code.Scatter(how, out[0], w.Copy(&at), in[2].Array, 1))
				},
			}, nil
		})
	}
	moving("OneHot", "T", []string{"depth"}, func(c *kernel.Construction) (resident.Plan, error) {
		axis := c.Int("axis")
		at := func(rank int) int {
			if axis < 0 {
				return rank
			}
			return int(axis)
		}
		if dt := c.Type("TI"); dt != tensor.Int32 && dt != tensor.Int64 && dt != tensor.Uint8 {
			return resident.Plan{}, status.Errorf(status.Unimplemented, "OneHot of indices of %v has no kernel for accelerators", dt)
		}
		return resident.Plan{
			Shapes: func(in []resident.Input) ([]resident.Shape, error) {
				x := in[0].Dims
				if axis < -1 || axis > int64(len(x)) {
					return nil, status.Invalid("Expected axis to be -1 or between [0, %d).  But received: %d", len(x)+1, axis)
				}
				depth, err := kernel.Int(in[1].Host, "depth")
				if err == nil && (depth < 0 || len(in[2].Dims) != 0 || len(in[3].Dims) != 0) {
					err = status.Invalid("OneHot of depth %d with on_value %s and off_value %s", depth, tensor.FormatDims(in[2].Dims), tensor.FormatDims(in[3].Dims))
				}
				return []resident.Shape{{Type: in[2].Type, Dims: slices.Insert(slices.Clone(x), at(len(x)), depth)}}, err
			},
			Write: func(out []code.Array, in []resident.Input) ([]devices.Launch, error) {
				return code.OneHot(out[0], in[0].Array, in[2].Array, in[3].Array, at(len(in[0].Dims)))
			},
		}, nil
	})
	moving("DynamicPartition", "T", []string{"partitions"}, func(c *kernel.Construction) (resident.Plan, error) {
		n := len(c.Outputs)
		parts := func(in []resident.Input) ([][]int64, error) {
			rows := make([][]int64, n)
			p := integers(in[1].Host)
			if len(in[1].Dims) > len(in[0].Dims) || !slices.Equal(in[0].Dims[:len(in[1].Dims)], in[1].Dims) {
				return nil, status.Invalid("data.shape must start with partitions.shape, got data.shape = %s, partitions.shape = %s", tensor.FormatDims(in[0].Dims), tensor.FormatDims(in[1].Dims))
			}
			for i, to := range p {
				if to < 0 || to >= int64(n) {
					return nil, status.Invalid("partitions[%d] = %d is not in [0, %d)", i, to, n)
				}
				rows[to] = append(rows[to], int64(i))
			}
			return rows, nil
		}
		return resident.Plan{
			Shapes: func(in []resident.Input) (all []resident.Shape, err error) {
				rows, err := parts(in)
				for _, r := range rows {
					all = append(all, resident.Shape{Type: in[0].Type, Dims: append([]int64{int64(len(r))}, in[0].Dims[len(in[1].Dims):]...)})
				}
				return all, err
			},
			Run: func(w *resident.Work, out []code.Array, in []resident.Input) {
				rows, err := parts(in)
				w.Fail(err)
				for i, r := range rows {
					w.Add(code.Gather(out[i], flattened(in[0].Array, len(in[1].Dims)), w.Copy(onHost(r)), 0, 0))
				}
			},
		}, nil
	})
	for _, op := range []string{"DynamicStitch", "ParallelDynamicStitch"} {
		moving(op, "T", []string{"indices"}, func(c *kernel.Construction) (resident.Plan, error) {
			return resident.Plan{Shapes: inferred(c, stitched), Run: func(w *resident.Work, out []code.Array, in []resident.Input) {
				n := len(in) / 2
				w.Add(code.Fill(out[0], 0)) // where nothing is merged into
				for i := range n {
					at := w.Copy(onHost(integers(in[i].Host)))
					w.Add(code.Scatter("Update", out[0], at, in[n+i].Array, 1))
				}
			}}, nil
		})
	}
}

// places are the types of indices.
var places = []tensor.DType{tensor.Int32, tensor.Int64}

// onHost returns a vector in the host's memory.
func onHost(x []int64) *tensor.Value {
	v := tensor.ValueOf(vector(x))
	return &v
}

// flattened returns an array whose first dimensions are one.
func flattened(a code.Array, n int) code.Array {
	a.Dims = append([]int64{code.Array{Dims: a.Dims[:n]}.Elements()}, a.Dims[n:]...)
	return a
}

// gather takes rows along an axis, behind some dimensions of the batch, which params and
// indices share.
func gather(where func(in []resident.Input) (axis, batch int, err error)) resident.Plan {
	return resident.Plan{
		Shapes: func(in []resident.Input) ([]resident.Shape, error) {
			axis, batch, err := where(in)
			if err != nil {
				return nil, err
			}
			return []resident.Shape{{Type: in[0].Type, Dims: slices.Concat(in[0].Dims[:axis], in[1].Dims[batch:], in[0].Dims[axis+1:])}}, nil
		},
		Write: func(out []code.Array, in []resident.Input) ([]devices.Launch, error) {
			axis, batch, err := where(in)
			if err != nil {
				return nil, err
			}
			return code.Gather(out[0], in[0].Array, in[1].Array, axis, batch)
		},
	}
}

// batches checks how many dimensions of the batch a gather along an axis has; a negative
// number counts from the end of the indices'.
func batches(n, axis int, params, indices []int64) (int, error) {
	if n < 0 {
		n += len(indices)
	}
	if n < 0 || n > len(indices) || n > axis {
		return 0, status.Invalid("batch_dims (%d) must be less than or equal to axis (%d) and to rank(indices) (%d)", n, axis, len(indices))
	}
	if !slices.Equal(params[:n], indices[:n]) {
		return 0, status.Invalid("params.shape %s should be equal to indices.shape %s in the first %d dimensions", tensor.FormatDims(params), tensor.FormatDims(indices), n)
	}
	return n, nil
}

// deep returns how many numbers the tuples of indices have.
func deep(params, indices []int64) (int, error) {
	if len(params) < 1 || len(indices) < 1 {
		return 0, status.Invalid("params and indices must be at least vectors: %s and %s", tensor.FormatDims(params), tensor.FormatDims(indices))
	}
	n := indices[len(indices)-1]
	if rows := (code.Array{Dims: indices[:len(indices)-1]}).Elements(); rows > 0 && (code.Array{Dims: params}).Elements() == 0 {
		return 0, status.Invalid("Requested more than 0 entries, but params is empty.  Params shape: %s", tensor.FormatDims(params))
	}
	if n > int64(len(params)) {
		return 0, status.Invalid("index innermost dimension length must be <= params rank; saw: %d vs. %d", n, len(params))
	}
	return int(n), nil
}

// onto reports what is wrong with updates of rows of a tensor that tuples of indices name.
func onto(dims, indices, updates []int64) error {
	depth, err := deep(dims, indices)
	if err != nil {
		return err
	}
	if want := slices.Concat(indices[:len(indices)-1], dims[min(depth, len(dims)):]); !slices.Equal(want, updates) {
		return status.Invalid("Shape of updates must be %s for indices of %s into %s, not %s", tensor.FormatDims(want), tensor.FormatDims(indices), tensor.FormatDims(dims), tensor.FormatDims(updates))
	}
	return nil
}

// scatterOnto changes rows of z.
func scatterOnto(how string, z, indices, updates code.Array) ([]devices.Launch, error) {
	return code.Scatter(how, z, indices, updates, int(indices.Dims[len(indices.Dims)-1]))
}

// stitched reports what is wrong with the indices and data of a DynamicStitch.
func stitched(in []resident.Input) error {
	n := len(in) / 2
	for i := range n {
		at, x := in[i].Dims, in[n+i].Dims
		if len(x) < len(at) || !slices.Equal(x[:len(at)], at) || !slices.Equal(x[len(at):], in[n].Dims[min(len(in[0].Dims), len(in[n].Dims)):]) {
			return status.Invalid("data[%d].shape = %s does not start with indices[%d].shape = %s, or does not end as that of others", i, tensor.FormatDims(x), i, tensor.FormatDims(at))
		}
		for _, k := range integers(in[i].Host) {
			if k < 0 {
				return status.Invalid("indices[%d] is out of range", k)
			}
		}
	}
	return nil
}
