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

func init() {
	resident.Register("ConcatV2", map[string][]tensor.DType{"T": numbers}, []string{"axis"}, func(c *kernel.Construction) (resident.Plan, error) {
		n := len(c.Inputs) - 1
		return concat(n, 0, n), nil
	})
	moving("Concat", "T", []string{"concat_dim"}, func(c *kernel.Construction) (resident.Plan, error) {
		return concat(0, 1, len(c.Inputs)), nil
	})
	for _, op := range []string{"ArgMax", "ArgMin"} {
		resident.Register(op, map[string][]tensor.DType{"T": floats, "Tidx": {tensor.Int32, tensor.Int64}, "output_type": {tensor.Int32, tensor.Int64}}, []string{"dimension"}, func(c *kernel.Construction) (resident.Plan, error) {
			dt := c.Outputs[0]
			axisIn := func(in []resident.Input) (int, error) {
				axis, err := axisOf(&in[1], len(in[0].Dims))
				if err == nil && in[0].Dims[axis] == 0 {
					err = status.Invalid("Reduction axis %d is empty in shape %s", axis, tensor.FormatDims(in[0].Dims))
				}
				return axis, err
			}
			return resident.Plan{
				Shapes: func(in []resident.Input) ([]resident.Shape, error) {
					axis, err := axisIn(in)
					if err != nil {
						return nil, err
					}
					return []resident.Shape{{Type: dt, Dims: slices.Delete(slices.Clone(in[0].Dims), axis, axis+1)}}, nil
				},
				Write: func(out []code.Array, in []resident.Input) ([]devices.Launch, error) {
					axis, err := axisIn(in)
					if err != nil {
						return nil, err
					}
					return code.ArgExtreme(out[0], in[0].Array, axis, op == "ArgMin")
				},
			}, nil
		})
	}
}

// concat joins the inputs from first up to last along the axis that another one says.
func concat(axisAt, first, last int) resident.Plan {
	return resident.Plan{
		Shapes: func(in []resident.Input) ([]resident.Shape, error) {
			axis, err := axisOf(&in[axisAt], len(in[first].Dims))
			if err != nil {
				return nil, err
			}
			dims := append([]int64(nil), in[first].Dims...)
			for _, x := range in[first+1 : last] {
				for i := range dims {
					if len(x.Dims) != len(dims) || i != axis && x.Dims[i] != dims[i] {
						return nil, status.Invalid("ConcatOp : Dimensions of inputs should match: shape[0] = %s vs. %s", tensor.FormatDims(in[first].Dims), tensor.FormatDims(x.Dims))
					}
				}
				dims[axis] += x.Dims[axis]
			}
			return []resident.Shape{{Type: in[first].Type, Dims: dims}}, nil
		},
		Write: func(out []code.Array, in []resident.Input) ([]devices.Launch, error) {
			axis, err := axisOf(&in[axisAt], len(in[first].Dims))
			if err != nil {
				return nil, err
			}
			return code.Concat(out[0], axis, arrays(in[first:last])...)
		},
	}
}

// axisOf returns the dimension that an input in host memory names, of rank.
func axisOf(in *resident.Input, rank int) (int, error) {
	all := integers(in.Host)
	if len(all) != 1 || all[0] < -int64(rank) || all[0] >= int64(rank) {
		return 0, status.Invalid("an axis in [%d, %d) is expected, not %v", -rank, rank, all)
	}
	return int((all[0] + int64(rank)) % int64(rank)), nil
}
