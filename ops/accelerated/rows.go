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

// Rows of variables, which are read and changed where they are. Indices are looked at by the
// host before anything is done, and then copied to the device.

func init() {
	indices := []tensor.DType{tensor.Int32, tensor.Int64}
	resident.RegisterRead("ResourceGather", map[string][]tensor.DType{"dtype": held, "Tindices": indices}, []string{"indices"}, func(c *kernel.Construction) (resident.Plan, error) {
		if c.Int("batch_dims") != 0 {
			return resident.Plan{}, status.Errorf(status.Unimplemented, "ResourceGather with batch_dims has no kernel for accelerators")
		}
		dt := c.Type("dtype")
		return resident.Plan{
			Shapes: func(in []resident.Input) ([]resident.Shape, error) {
				if err := sameType(in[0].Type, dt, "read"); err != nil {
					return nil, err
				}
				if len(in[0].Dims) < 1 {
					return nil, status.Invalid("params must be at least 1 dimensional")
				}
				if err := within(&in[1], in[0].Dims[0]); err != nil {
					return nil, err
				}
				return []resident.Shape{{Type: dt, Dims: slices.Concat(in[1].Dims, in[0].Dims[1:])}}, nil
			},
			Write: func(out []code.Array, in []resident.Input) ([]devices.Launch, error) {
				return code.Gather(out[0], in[0].Array, in[1].Array, 0, 0)
			},
		}, nil
	})
	for _, how := range []string{"Update", "Add", "Sub", "Mul", "Min", "Max"} {
		types := held
		if how != "Update" {
			types = slices.DeleteFunc(slices.Clone(held), func(t tensor.DType) bool { return t == tensor.Bool })
		}
		resident.RegisterChange("ResourceScatter"+how, map[string][]tensor.DType{"dtype": types, "Tindices": indices}, []string{"indices"}, func(c *kernel.Construction) (resident.Change, error) {
			dt := c.Type("dtype")
			return resident.Change{
				Variables: 1,
				Check:     func(now, in []resident.Input) error { return scattered(dt, &now[0], &in[0], &in[1]) },
				Write: func(next, now []code.Array, in []resident.Input) (all []devices.Launch, err error) {
					if next[0].Buffer != now[0].Buffer {
						if all, err = code.Map("Identity", 0, next[0], now[0]); err != nil {
							return nil, err
						}
					}
					rows, err := code.Scatter(how, next[0], in[0].Array, in[1].Array, 1)
					return append(all, rows...), err
				},
			}, nil
		})
	}
}

// scattered says what is wrong with a change of rows of a variable.
func scattered(dt tensor.DType, now, indices, updates *resident.Input) error {
	if now.Type != dt {
		return status.Invalid("DType of scatter resource and updates does not match.")
	}
	x, at, got := now.Dims, indices.Dims, updates.Dims
	limit, row := int64(1), now.Elements()
	if len(x) > 0 {
		limit, row = x[0], code.Array{Dims: x[1:]}.Elements()
	}
	if len(got) > 0 {
		if len(got) < len(at) || !slices.Equal(got[:len(at)], at) {
			return status.Invalid("The shape of indices (%s) must be a prefix of the shape of updates (%s)", tensor.FormatDims(at), tensor.FormatDims(got))
		}
		if rest := (code.Array{Dims: got[len(at):]}); rest.Elements() != row {
			return status.Invalid("Must have updates.shape = indices.shape + params.shape[1:] or updates.shape = [], got updates.shape %s, indices.shape %s, params.shape %s",
				tensor.FormatDims(got), tensor.FormatDims(at), tensor.FormatDims(x))
		}
	}
	return within(indices, limit)
}

// within says which of the indices in host memory is not in [0, limit).
func within(in *resident.Input, limit int64) error {
	for i, n := range integers(in.Host) {
		if n >= 0 && n < limit {
			continue
		}
		where, rest := make([]int64, len(in.Dims)), int64(i)
		for d := len(where) - 1; d >= 0; d-- {
			where[d], rest = rest%in.Dims[d], rest/in.Dims[d]
		}
		place := ""
		if len(where) > 0 {
			place = tensor.FormatDims(where)
		}
		return status.Invalid("indices%s = %d is not in [0, %d)", place, n, limit)
	}
	return nil
}
