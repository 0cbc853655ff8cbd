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
		dt, many := c.Type("dtype"), int(c.Int("batch_dims"))
		where := func(in []resident.Input) (axis, batch int, err error) {
			if err := sameType(in[0].Type, dt, "read"); err != nil {
				return 0, 0, err
			}
			if len(in[0].Dims) < 1 {
				return 0, 0, status.Invalid("params must be at least 1 dimensional")
			}
			if batch, err = batches(many, many, in[0].Dims, in[1].Dims); err != nil || batch != many || batch >= len(in[0].Dims) {
				return 0, 0, status.Invalid("ResourceGather of %s from %s with batch_dims of %d", tensor.FormatDims(in[1].Dims), tensor.FormatDims(in[0].Dims), many)
			}
			return batch, batch, within(&in[1], in[0].Dims[batch:batch+1])
		}
		return gather(where), nil
	})
	resident.RegisterRead("ResourceGatherNd", map[string][]tensor.DType{"dtype": held, "Tindices": indices}, []string{"indices"}, func(c *kernel.Construction) (resident.Plan, error) {
		dt := c.Type("dtype")
		return resident.Plan{
			Shapes: func(in []resident.Input) ([]resident.Shape, error) {
				if err := sameType(in[0].Type, dt, "read"); err != nil {
					return nil, err
				}
				depth, err := deep(in[0].Dims, in[1].Dims)
				if err == nil {
					err = within(&in[1], in[0].Dims[:depth])
				}
				if err != nil {
					return nil, err
				}
				return []resident.Shape{{Type: dt, Dims: slices.Concat(in[1].Dims[:len(in[1].Dims)-1], in[0].Dims[depth:])}}, nil
			},
			Write: func(out []code.Array, in []resident.Input) ([]devices.Launch, error) {
				return code.GatherNd(out[0], in[0].Array, in[1].Array, int(in[1].Dims[len(in[1].Dims)-1]))
			},
		}, nil
	})
	for how, types := range scatterTypes {
		if how == "Mul" || how == "Div" { // there are none of these
			continue
		}
		resident.RegisterChange("ResourceScatterNd"+how, map[string][]tensor.DType{"T": types, "Tindices": indices}, []string{"indices"}, func(c *kernel.Construction) (resident.Change, error) {
			if c.Str("bad_indices_policy") == "IGNORE" {
				return resident.Change{}, status.Errorf(status.Unimplemented, "%s that ignores bad indices has no kernel for accelerators", c.Op.Name)
			}
			dt := c.Type("T")
			return resident.Change{
				Variables: 1,
				Check: func(now, in []resident.Input) error {
					if now[0].Type != dt {
						return status.Invalid("DType of scatter resource and updates does not match.")
					}
					if err := onto(now[0].Dims, in[0].Dims, in[1].Dims); err != nil {
						return err
					}
					depth := in[0].Dims[len(in[0].Dims)-1]
					if in[0].Elements()+in[1].Elements() > 0 && (now[0].Elements() == 0 || depth == 0) {
						return status.Invalid("Indices and updates specified for empty output.  indices shape: %s", tensor.FormatDims(in[0].Dims))
					}
					return within(&in[0], now[0].Dims[:depth])
				},
				Write: func(next, now []code.Array, in []resident.Input) ([]devices.Launch, error) {
					s := begun(next, now)
					s.add(scatterOnto(how, next[0], in[0].Array, in[1].Array))
					return s.launches, s.err
				},
			}, nil
		})
	}
	resident.RegisterChange("ResourceStridedSliceAssign", map[string][]tensor.DType{"T": held}, []string{"begin", "end", "strides"}, func(c *kernel.Construction) (resident.Change, error) {
		spec, dt := masks(c), c.Type("T")
		return resident.Change{
			Variables: 1,
			Check: func(now, in []resident.Input) error {
				if err := sameType(now[0].Type, dt, "assign"); err != nil {
					return err
				}
				s, err := apply(spec, in[:3], now[0].Dims)
				if err != nil || slices.Contains(s.shape, 0) {
					return err
				}
				_, err = spread(in[3].Array, s)
				return err
			},
			Write: func(next, now []code.Array, in []resident.Input) ([]devices.Launch, error) {
				l := begun(next, now)
				s, err := apply(spec, in[:3], now[0].Dims)
				if err != nil || slices.Contains(s.shape, 0) {
					return l.launches, err
				}
				from, err := spread(in[3].Array, s)
				if err != nil {
					return nil, err
				}
				l.add(code.Move(s.of(next[0]), from, s.counts))
				return l.launches, l.err
			},
		}, nil
	})
	for how, types := range scatterTypes {
		resident.RegisterChange("ResourceScatter"+how, map[string][]tensor.DType{"dtype": types, "Tindices": indices}, []string{"indices"}, func(c *kernel.Construction) (resident.Change, error) {
			dt := c.Type("dtype")
			return resident.Change{
				Variables: 1,
				Check:     func(now, in []resident.Input) error { return scattered(dt, &now[0], &in[0], &in[1]) },
				Write: func(next, now []code.Array, in []resident.Input) ([]devices.Launch, error) {
					s := begun(next, now)
					s.add(code.Scatter(how, next[0], in[0].Array, in[1].Array, 1))
					return s.launches, s.err
				},
			}, nil
		})
	}
}

// scatterTypes are the ways of changing rows of variables, and for which elements there is each.
var scatterTypes = func() map[string][]tensor.DType {
	computed := slices.DeleteFunc(slices.Clone(held), func(t tensor.DType) bool { return t == tensor.Bool })
	return map[string][]tensor.DType{"Update": held, "Add": computed, "Sub": computed, "Mul": computed, "Div": floats, "Min": computed, "Max": computed}
}()

// begun makes the elements of next those of now, where they are in other memory.
func begun(next, now []code.Array) (s sequence) {
	for i := range next {
		if next[i].Buffer != now[i].Buffer {
			s.add(code.Map("Identity", 0, next[i], now[i]))
		}
	}
	return s
}

// spread returns a value as a part of the shape that a strided slice takes, to which it broadcasts.
func spread(value code.Array, s taking) (code.Part, error) {
	wide, err := broadcast("", []resident.Input{{Array: value}, {Array: code.Array{Dims: s.shape}}})
	if err != nil || !slices.Equal(wide, s.shape) {
		return code.Part{}, status.Invalid("a value of shape %s does not broadcast to %s", tensor.FormatDims(value.Dims), tensor.FormatDims(s.shape))
	}
	// Both shapes have the same elements in the same order, so dimensions of size 1 may differ.
	strides := make([]int64, len(s.shape))
	own, lead := code.All(value).Strides, len(s.shape)-len(value.Dims)
	for i, d := range value.Dims {
		if d != 1 {
			strides[lead+i] = own[i]
		}
	}
	p := code.Part{Array: value, Strides: make([]int64, len(s.counts))}
	at := 0
	for i, n := range s.counts {
		for at < len(s.shape) && s.shape[at] == 1 && n != 1 {
			at++
		}
		if n == 1 {
			continue
		}
		if at == len(s.shape) || s.shape[at] != n {
			return code.Part{}, status.Errorf(status.Internal, "a slice of %v has shape %v", s.counts, s.shape)
		}
		p.Strides[i] = strides[at]
		at++
	}
	return p, nil
}

// scattered reports what is wrong with a change of rows of a variable.
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
	return within(indices, []int64{limit})
}

// within reports which of the tuples of indices in host memory does not name a row of a tensor with
// those first dimensions; a tuple has as many numbers.
func within(in *resident.Input, limits []int64) error {
	for i, n := range integers(in.Host) {
		depth := max(len(limits), 1)
		if n >= 0 && n < limits[i%depth] {
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
		return status.Invalid("indices%s = %d is not in [0, %d)", place, n, limits[i%depth])
	}
	return nil
}
