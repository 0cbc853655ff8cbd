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
	for _, op := range slices.Concat(code.Unary(), code.Binary(), code.Ternary()) {
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
			number, second := float64(c.Float("alpha")), op == "BiasAdd" && first(c.Str("data_format"))
			if op == "ApproximateEqual" {
				number = float64(c.Float("tolerance"))
			}
			if a := c.Attrs.Find("incompatible_shape_error"); a != nil && !a.B {
				return resident.Plan{}, status.Errorf(status.Unimplemented, "%s of shapes that may be incompatible has no kernel for accelerators", op)
			}
			return resident.Plan{
				Shapes: func(in []resident.Input) ([]resident.Shape, error) {
					dims, err := combined(op, in, second)
					out := in[0].Type
					if truth {
						out = tensor.Bool
					}
					return []resident.Shape{{Type: out, Dims: dims}}, err
				},
				Write: func(out []code.Array, in []resident.Input) ([]devices.Launch, error) {
					all := arrays(in)
					if second { // channels are the second dimension
						all[1].Dims = append(slices.Clone(all[1].Dims), slices.Repeat([]int64{1}, len(all[0].Dims)-2)...)
					}
					return code.Map(op, number, out[0], all...)
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
	resident.Register("PopulationCount", map[string][]tensor.DType{"T": {tensor.Int8, tensor.Int16, tensor.Int64, tensor.Uint8, tensor.Uint16, tensor.Uint32, tensor.Uint64}}, nil, func(*kernel.Construction) (resident.Plan, error) {
		return one(func(in []resident.Input) (tensor.DType, []int64, error) { return tensor.Uint8, in[0].Dims, nil },
			func(z code.Array, in []code.Array) ([]devices.Launch, error) { return code.PopulationCount(z, in[0]) }), nil
	})
	resident.Register("Cross", map[string][]tensor.DType{"T": append(slices.Clone(floats), tensor.Int64)}, nil, func(*kernel.Construction) (resident.Plan, error) {
		return one(func(in []resident.Input) (tensor.DType, []int64, error) {
			if x := in[0].Dims; len(x) < 1 || !slices.Equal(x, in[1].Dims) || x[len(x)-1] != 3 {
				return 0, nil, status.Invalid("Cross-products are only defined for 3-element vectors of the same shape: %s, %s", tensor.FormatDims(x), tensor.FormatDims(in[1].Dims))
			}
			return same(in)
		}, func(z code.Array, in []code.Array) ([]devices.Launch, error) { return code.Cross(z, in[0], in[1]) }), nil
	})
	resident.Register("Bucketize", map[string][]tensor.DType{"T": {tensor.Float, tensor.Double, tensor.Int64}}, nil, func(c *kernel.Construction) (resident.Plan, error) {
		var bounds []float32
		for _, v := range c.Attrs.Find("boundaries").List {
			bounds = append(bounds, v.F)
		}
		if !slices.IsSorted(bounds) {
			return resident.Plan{}, c.Errorf("Expected sorted boundaries")
		}
		return resident.Plan{
			Shapes: func(in []resident.Input) ([]resident.Shape, error) {
				return []resident.Shape{{Type: tensor.Int32, Dims: in[0].Dims}}, nil
			},
			Run: func(w *resident.Work, out []code.Array, in []resident.Input) {
				// Boundaries are floats, with which integers are compared as such.
				x, b := in[0].Array, copied(w, bounds)
				n := x.Elements()
				as := x
				if x.Type == tensor.Int64 {
					as = w.Scratch(tensor.Double, n)
					w.Add(code.Cast(as, x))
				}
				if as.Type != b.Type {
					wide := w.Scratch(as.Type, b.Dims...)
					w.Add(code.Cast(wide, b))
					b = wide
				}
				z := out[0]
				z.Dims, as.Dims, b.Dims = []int64{1, n}, []int64{1, n}, []int64{1, b.Elements()}
				w.Add(code.Search(z, b, as, true))
			},
		}, nil
	})
	for _, op := range []string{"AddN", "AccumulateNV2"} {
		resident.Register(op, map[string][]tensor.DType{"T": floats}, nil, addN)
	}
	resident.Register("BiasAddGrad", map[string][]tensor.DType{"T": floats}, nil, func(c *kernel.Construction) (resident.Plan, error) {
		second := first(c.Str("data_format"))
		at := func(rank int) int {
			if second {
				return 1
			}
			return rank - 1
		}
		return worked(func(in []resident.Input) (tensor.DType, []int64, error) {
			if len(in[0].Dims) < 2 {
				return 0, nil, status.Invalid("Input tensor must be at least 2D: %s", tensor.FormatDims(in[0].Dims))
			}
			return in[0].Type, []int64{in[0].Dims[at(len(in[0].Dims))]}, nil
		}, func(w *resident.Work, z code.Array, in []code.Array) {
			var axes []int
			for i := range in[0].Dims {
				if i != at(len(in[0].Dims)) {
					axes = append(axes, i)
				}
			}
			fold(w, "Sum", z, in[0], axes)
		}), nil
	})
	resident.Register("L2Loss", map[string][]tensor.DType{"T": floats}, nil, func(*kernel.Construction) (resident.Plan, error) {
		return worked(func(in []resident.Input) (tensor.DType, []int64, error) { return in[0].Type, nil, nil }, func(w *resident.Work, z code.Array, in []code.Array) {
			x := in[0]
			x.Dims = []int64{x.Elements()}
			fold(w, "L2Loss", z, x, []int{0})
		}), nil
	})
}

// addN adds tensors of one shape.
func addN(*kernel.Construction) (resident.Plan, error) {
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
}

// one returns a plan with one output.
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

// worked returns a plan with one output that asks for memory beside it.
func worked(shape func(in []resident.Input) (tensor.DType, []int64, error), run func(w *resident.Work, z code.Array, in []code.Array)) resident.Plan {
	return resident.Plan{
		Shapes: func(in []resident.Input) ([]resident.Shape, error) {
			t, dims, err := shape(in)
			return []resident.Shape{{Type: t, Dims: dims}}, err
		},
		Run: func(w *resident.Work, out []code.Array, in []resident.Input) { run(w, out[0], arrays(in)) },
	}
}

// same returns the shape of input 0.
func same(in []resident.Input) (tensor.DType, []int64, error) { return in[0].Type, in[0].Dims, nil }

func arrays(in []resident.Input) []code.Array {
	all := make([]code.Array, len(in))
	for i := range in {
		all[i] = in[i].Array
	}
	return all
}

// broadcast returns the shape that all inputs are broadcast to.
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
	return out, nil
}

// combined returns the shape of what an elementwise operation puts out; second says that a bias is
// for the second dimension.
func combined(op string, in []resident.Input, second bool) ([]int64, error) {
	x := in[0].Dims
	switch op {
	case "BiasAdd", "BiasAddV1":
		at := len(x) - 1
		if second {
			at = 1
		}
		if len(in[1].Dims) != 1 || len(x) < 2 || at >= len(x) || in[1].Dims[0] != x[at] {
			return nil, status.Invalid("Must provide as many biases as the last dimension of the input tensor: %s vs. %s",
				tensor.FormatDims(in[1].Dims), tensor.FormatDims(x))
		}
		return x, nil
	case "ClipByValue":
		for i, name := range []string{"clip_value_min", "clip_value_max"} {
			if d := in[1+i].Dims; len(d) > 0 && !slices.Equal(d, x) {
				return nil, status.Invalid("%s must be either of the same shape as input, or a scalar: %s vs. %s", name, tensor.FormatDims(d), tensor.FormatDims(x))
			}
		}
		return x, nil
	case "Betainc", "ApproximateEqual":
		for _, y := range in[1:] {
			if len(x) == 0 && op == "Betainc" {
				x = y.Dims
			}
			if !slices.Equal(x, y.Dims) && (op != "Betainc" || len(y.Dims) > 0) {
				return nil, status.Invalid("%s of the shapes %s and %s", op, tensor.FormatDims(x), tensor.FormatDims(y.Dims))
			}
		}
		return x, nil
	}
	return broadcast(op, in)
}
