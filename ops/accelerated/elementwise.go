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

// numbers are the types that code may have.
var numbers = []tensor.DType{
	tensor.Float, tensor.Double, tensor.Half, tensor.Bfloat16, tensor.Int8, tensor.Int16, tensor.Int32, tensor.Int64,
	tensor.Uint8, tensor.Uint16, tensor.Uint32, tensor.Uint64, tensor.Bool,
}

var floats = []tensor.DType{tensor.Float, tensor.Double, tensor.Half, tensor.Bfloat16}

// untyped are the operations that have no attribute T.
var untyped = []string{"LogicalNot", "LogicalAnd", "LogicalOr"}

func init() {
	for _, op := range slices.Concat(code.Unary(), code.Binary()) {
		if op == "Identity" { // which needs no code
			continue
		}
		var types map[string][]tensor.DType
		_, truth := code.Takes(op, tensor.Float)
		if slices.Contains(untyped, op) {
			truth = true
		} else {
			var taken []tensor.DType
			for _, t := range numbers {
				if takes, is := code.Takes(op, t); takes {
					taken, truth = append(taken, t), is
				}
			}
			if i := slices.Index(taken, tensor.Int32); i >= 0 {
				taken = slices.Delete(taken, i, i+1)
				resident.RegisterHost(op, map[string][]tensor.DType{"T": {tensor.Int32}})
			}
			types = map[string][]tensor.DType{"T": taken}
		}
		resident.Register(op, types, nil, func(c *kernel.Construction) (resident.Plan, error) {
			alpha := float64(c.Float("alpha"))
			if format := c.Str("data_format"); op == "BiasAdd" && format == "NCHW" {
				return resident.Plan{}, status.Errorf(status.Unimplemented, "%s of NCHW has no kernel for accelerators", op)
			}
			if a := c.Attrs.Find("incompatible_shape_error"); a != nil && !a.B {
				return resident.Plan{}, status.Errorf(status.Unimplemented, "%s of shapes that may be incompatible has no kernel for accelerators", op)
			}
			return resident.Plan{
				Shapes: func(in []resident.Input) ([]resident.Shape, error) {
					dims, err := broadcast(op, in)
					out := in[0].Type
					if truth {
						out = tensor.Bool
					}
					return []resident.Shape{{Type: out, Dims: dims}}, err
				},
				Write: func(out []code.Array, in []resident.Input) ([]devices.Launch, error) {
					return code.Map(op, alpha, out[0], arrays(in)...)
				},
			}, nil
		})
	}
	resident.Register("Cast", map[string][]tensor.DType{"SrcT": numbers, "DstT": numbers}, nil, func(c *kernel.Construction) (resident.Plan, error) {
		return one(func(in []resident.Input) (tensor.DType, []int64, error) { return c.Type("DstT"), in[0].Dims, nil },
			func(z code.Array, in []code.Array) ([]devices.Launch, error) { return code.Cast(z, in[0]) }), nil
	})
	resident.Register("SelectV2", map[string][]tensor.DType{"T": numbers}, nil, func(*kernel.Construction) (resident.Plan, error) {
		return one(func(in []resident.Input) (tensor.DType, []int64, error) {
			dims, err := broadcast("SelectV2", in)
			return in[1].Type, dims, err
		}, func(z code.Array, in []code.Array) ([]devices.Launch, error) {
			return code.Select(z, in[0], in[1], in[2])
		}), nil
	})
	resident.Register("Select", map[string][]tensor.DType{"T": numbers}, nil, func(*kernel.Construction) (resident.Plan, error) {
		return one(func(in []resident.Input) (tensor.DType, []int64, error) {
			c, x := in[0].Dims, in[1].Dims
			if !slices.Equal(x, in[2].Dims) || len(c) > 0 && !slices.Equal(c, x) && (len(c) != 1 || len(x) == 0 || c[0] != x[0]) {
				return 0, nil, status.Invalid("Select takes a condition of shape %s between values of %s and %s", tensor.FormatDims(c), tensor.FormatDims(x), tensor.FormatDims(in[2].Dims))
			}
			return in[1].Type, x, nil
		}, func(z code.Array, in []code.Array) ([]devices.Launch, error) {
			c := in[0]
			if len(c.Dims) == 1 { // one for each row
				for len(c.Dims) < len(z.Dims) {
					c.Dims = append(slices.Clip(c.Dims), 1)
				}
			}
			return code.Select(z, c, in[1], in[2])
		}), nil
	})
	resident.Register("AddN", map[string][]tensor.DType{"T": floats}, nil, func(*kernel.Construction) (resident.Plan, error) {
		return one(func(in []resident.Input) (tensor.DType, []int64, error) {
			for _, x := range in[1:] {
				if !slices.Equal(x.Dims, in[0].Dims) {
					return 0, nil, status.Invalid("AddN of %s and %s", tensor.FormatDims(in[0].Dims), tensor.FormatDims(x.Dims))
				}
			}
			return same(in)
		}, func(z code.Array, in []code.Array) ([]devices.Launch, error) {
			all, err := code.Map("Identity", 0, z, in[0])
			for _, x := range in[1:] {
				if err != nil {
					return nil, err
				}
				var add []devices.Launch
				add, err = code.Map("AddV2", 0, z, z, x)
				all = append(all, add...)
			}
			return all, err
		}), nil
	})
}

// one is a plan with one output.
func one(shape func(in []resident.Input) (tensor.DType, []int64, error), write func(z code.Array, in []code.Array) ([]devices.Launch, error)) resident.Plan {
	return resident.Plan{
		Shapes: func(in []resident.Input) ([]resident.Shape, error) {
			t, dims, err := shape(in)
			return []resident.Shape{{Type: t, Dims: dims}}, err
		},
		Write: func(out []code.Array, in []resident.Input) ([]devices.Launch, error) {
			return write(out[0], arrays(in))
		},
	}
}

// same is the shape of input 0.
func same(in []resident.Input) (tensor.DType, []int64, error) { return in[0].Type, in[0].Dims, nil }

func arrays(in []resident.Input) []code.Array {
	all := make([]code.Array, len(in))
	for i := range in {
		all[i] = in[i].Array
	}
	return all
}

// broadcast is the shape that all inputs are broadcast to.
func broadcast(op string, in []resident.Input) ([]int64, error) {
	var out []int64
	for _, x := range in {
		if len(x.Dims) > len(out) {
			out = append(slices.Repeat([]int64{1}, len(x.Dims)-len(out)), out...)
		}
		lead := len(out) - len(x.Dims)
		for i, d := range x.Dims {
			switch have := &out[lead+i]; {
			case *have == 1:
				*have = d
			case d != 1 && d != *have:
				return nil, status.Invalid("Incompatible shapes: %s vs. %s", tensor.FormatDims(in[0].Dims), tensor.FormatDims(x.Dims))
			}
		}
	}
	if op == "BiasAdd" && (len(in[1].Dims) != 1 || len(in[0].Dims) == 0 || in[1].Dims[0] != in[0].Dims[len(in[0].Dims)-1]) {
		return nil, status.Invalid("Must provide as many biases as the last dimension of the input tensor: %s vs. %s",
			tensor.FormatDims(in[1].Dims), tensor.FormatDims(in[0].Dims))
	}
	return out, nil
}
