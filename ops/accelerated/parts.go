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

// Operations that take parts of tensors, or put tensors together of them. Those of int32
// are the CPU's: they take shapes apart.

func init() {
	register := func(op string, host []string, plan func(*kernel.Construction) (resident.Plan, error)) {
		resident.RegisterHost(op, map[string][]tensor.DType{"T": {tensor.Int32}})
		types := slices.DeleteFunc(slices.Clone(numbers), func(t tensor.DType) bool { return t == tensor.Int32 })
		resident.Register(op, map[string][]tensor.DType{"T": types}, host, plan)
	}
	register("Slice", []string{"begin", "size"}, func(*kernel.Construction) (resident.Plan, error) {
		return resident.Plan{
			Shapes: func(in []resident.Input) ([]resident.Shape, error) {
				_, size, err := box(in)
				return []resident.Shape{{Type: in[0].Type, Dims: size}}, err
			},
			Write: func(out []code.Array, in []resident.Input) ([]devices.Launch, error) {
				begin, _, err := box(in)
				if err != nil {
					return nil, err
				}
				return code.Slice(out[0], in[0].Array, begin, slices.Repeat([]int64{1}, len(begin)))
			},
		}, nil
	})
	register("StridedSlice", []string{"begin", "end", "strides"}, func(c *kernel.Construction) (resident.Plan, error) {
		spec := masks(c)
		return resident.Plan{
			Shapes: func(in []resident.Input) ([]resident.Shape, error) {
				s, err := apply(spec, in[1:4], in[0].Dims)
				if err != nil {
					return nil, err
				}
				return []resident.Shape{{Type: in[0].Type, Dims: s.shape}}, nil
			},
			Write: func(out []code.Array, in []resident.Input) ([]devices.Launch, error) {
				s, err := apply(spec, in[1:4], in[0].Dims)
				if err != nil {
					return nil, err
				}
				return code.Move(code.Part{Array: out[0], Strides: code.All(code.Array{Dims: s.counts}).Strides}, s.of(in[0].Array), s.counts)
			},
		}, nil
	})
	register("StridedSliceGrad", []string{"shape", "begin", "end", "strides"}, func(c *kernel.Construction) (resident.Plan, error) {
		spec := masks(c)
		return resident.Plan{
			Shapes: func(in []resident.Input) ([]resident.Shape, error) {
				dims, err := kernel.Dims(in[0].Host, "shape")
				if err != nil {
					return nil, err
				}
				s, err := apply(spec, in[1:4], dims)
				if err == nil && !slices.Equal(s.shape, in[4].Dims) {
					err = status.Invalid("shape of dy was %s instead of %s", tensor.FormatDims(in[4].Dims), tensor.FormatDims(s.shape))
				}
				return []resident.Shape{{Type: in[4].Type, Dims: dims}}, err
			},
			Write: func(out []code.Array, in []resident.Input) ([]devices.Launch, error) {
				s, err := apply(spec, in[1:4], out[0].Dims)
				if err != nil {
					return nil, err
				}
				var l sequence
				l.add(code.Fill(out[0], 0))
				l.add(code.Move(s.of(out[0]), code.Part{Array: in[4].Array, Strides: code.All(code.Array{Dims: s.counts}).Strides}, s.counts))
				return l.launches, l.err
			},
		}, nil
	})
	register("TensorStridedSliceUpdate", []string{"begin", "end", "strides"}, func(c *kernel.Construction) (resident.Plan, error) {
		spec := masks(c)
		return resident.Plan{
			Shapes: func(in []resident.Input) ([]resident.Shape, error) {
				s, err := apply(spec, in[1:4], in[0].Dims)
				if err == nil && !empty(s.shape) {
					_, err = spread(in[4].Array, s)
				}
				return []resident.Shape{{Type: in[0].Type, Dims: in[0].Dims}}, err
			},
			Write: func(out []code.Array, in []resident.Input) ([]devices.Launch, error) {
				var l sequence
				l.add(code.Map("Identity", 0, out[0], in[0].Array))
				s, err := apply(spec, in[1:4], in[0].Dims)
				if err != nil || empty(s.shape) {
					return l.launches, err
				}
				from, err := spread(in[4].Array, s)
				if err != nil {
					return nil, err
				}
				l.add(code.Move(s.of(out[0]), from, s.counts))
				return l.launches, l.err
			},
		}, nil
	})
	register("Split", []string{"split_dim"}, func(c *kernel.Construction) (resident.Plan, error) {
		n := int64(len(c.Outputs))
		return split(1, func(in []resident.Input) (int, []int64, error) {
			axis, err := axisOf(&in[0], len(in[1].Dims))
			if err == nil && in[1].Dims[axis]%n != 0 {
				err = status.Invalid("Number of ways to split should evenly divide the split dimension, but got split_dim %d (size = %d) and num_split %d", axis, in[1].Dims[axis], n)
			}
			if err != nil {
				return 0, nil, err
			}
			return axis, slices.Repeat([]int64{in[1].Dims[axis] / n}, int(n)), nil
		}), nil
	})
	register("SplitV", []string{"size_splits", "split_dim"}, func(c *kernel.Construction) (resident.Plan, error) {
		if c.Type("Tlen") == tensor.Int8 {
			return resident.Plan{}, status.Errorf(status.Unimplemented, "SplitV by sizes of int8 has no kernel for accelerators")
		}
		return split(0, func(in []resident.Input) (int, []int64, error) {
			axis, err := axisOf(&in[2], len(in[0].Dims))
			if err != nil {
				return 0, nil, err
			}
			sizes, err := sizesOf(integers(in[1].Host), len(c.Outputs), in[0].Dims[axis])
			return axis, sizes, err
		}), nil
	})
	register("Unpack", nil, func(c *kernel.Construction) (resident.Plan, error) {
		n, axis := int64(len(c.Outputs)), c.Int("axis")
		at := func(in []resident.Input) (int, error) {
			rank := int64(len(in[0].Dims))
			if axis < -rank || axis >= rank || in[0].Dims[(axis+rank)%rank] != n {
				return 0, status.Invalid("Unpack of %s into %d along axis %d", tensor.FormatDims(in[0].Dims), n, axis)
			}
			return int((axis + rank) % rank), nil
		}
		return resident.Plan{
			Shapes: func(in []resident.Input) ([]resident.Shape, error) {
				axis, err := at(in)
				if err != nil {
					return nil, err
				}
				dims := slices.Delete(slices.Clone(in[0].Dims), axis, axis+1)
				return slices.Repeat([]resident.Shape{{Type: in[0].Type, Dims: dims}}, int(n)), nil
			},
			Write: func(out []code.Array, in []resident.Input) ([]devices.Launch, error) {
				axis, err := at(in)
				if err != nil {
					return nil, err
				}
				return parted(out, in[0].Array, axis, slices.Repeat([]int64{1}, int(n)))
			},
		}, nil
	})
	register("Pack", nil, func(c *kernel.Construction) (resident.Plan, error) {
		n, axis := len(c.Inputs), c.Int("axis")
		whole := func(in []resident.Input) (dims []int64, at int, err error) {
			rank := int64(len(in[0].Dims)) + 1
			if axis < -rank || axis >= rank {
				return nil, 0, status.Invalid("axis = %d not in [%d, %d)", axis, -rank, rank)
			}
			for _, x := range in[1:] {
				if !slices.Equal(x.Dims, in[0].Dims) {
					return nil, 0, status.Invalid("Shapes of all inputs must match: values[0].shape = %s != %s", tensor.FormatDims(in[0].Dims), tensor.FormatDims(x.Dims))
				}
			}
			at = int((axis + rank) % rank)
			return slices.Insert(slices.Clone(in[0].Dims), at, int64(n)), at, nil
		}
		return resident.Plan{
			Shapes: func(in []resident.Input) ([]resident.Shape, error) {
				dims, _, err := whole(in)
				return []resident.Shape{{Type: in[0].Type, Dims: dims}}, err
			},
			Write: func(out []code.Array, in []resident.Input) ([]devices.Launch, error) {
				_, at, err := whole(in)
				if err != nil {
					return nil, err
				}
				xs := arrays(in)
				for i := range xs {
					xs[i].Dims = slices.Insert(slices.Clone(xs[i].Dims), at, 1)
				}
				return code.Concat(out[0], at, xs...)
			},
		}, nil
	})
	register("Tile", []string{"multiples"}, func(*kernel.Construction) (resident.Plan, error) {
		return one(func(in []resident.Input) (tensor.DType, []int64, error) {
			times, dims := integers(in[1].Host), slices.Clone(in[0].Dims)
			if len(times) != len(dims) {
				return 0, nil, status.Invalid("Expected multiples argument to be a vector of length %d but got length %d", len(dims), len(times))
			}
			for i, n := range times {
				if n < 0 || dims[i] > 0 && n > (1<<62)/dims[i] {
					return 0, nil, status.Invalid("Expected multiples[%d] >= 0, but got %d", i, n)
				}
				dims[i] *= n
			}
			return in[0].Type, dims, nil
		}, func(z code.Array, in []code.Array) ([]devices.Launch, error) { return code.Tile(z, in[0]) }), nil
	})
	register("BroadcastTo", []string{"shape"}, func(*kernel.Construction) (resident.Plan, error) {
		return one(func(in []resident.Input) (tensor.DType, []int64, error) {
			dims, err := kernel.Dims(in[1].Host, "shape")
			if err != nil {
				return 0, nil, err
			}
			wide, err := broadcast("BroadcastTo", []resident.Input{in[0], {Array: code.Array{Dims: dims}}})
			if err == nil && !slices.Equal(wide, dims) {
				err = status.Invalid("%s is not broadcast to %s", tensor.FormatDims(in[0].Dims), tensor.FormatDims(dims))
			}
			return in[0].Type, dims, err
		}, func(z code.Array, in []code.Array) ([]devices.Launch, error) { return code.BroadcastTo(z, in[0]) }), nil
	})
	moving("Empty", "dtype", []string{"shape"}, func(c *kernel.Construction) (resident.Plan, error) {
		return resident.Plan{
			Shapes: func(in []resident.Input) ([]resident.Shape, error) {
				dims, err := kernel.Dims(in[0].Host, "shape")
				return []resident.Shape{{Type: c.Outputs[0], Dims: dims}}, err
			},
			Write: func(out []code.Array, _ []resident.Input) ([]devices.Launch, error) {
				return code.Fill(out[0], 0) // as memory that nobody wrote has no contents
			},
		}, nil
	})
	register("Fill", []string{"dims", "value"}, func(c *kernel.Construction) (resident.Plan, error) {
		return resident.Plan{
			Shapes: func(in []resident.Input) ([]resident.Shape, error) {
				dims, err := kernel.Dims(in[0].Host, "dims")
				if err == nil && in[1].Host.Rank() != 0 {
					err = status.Invalid("value must be a scalar, got shape %s", tensor.FormatDims(in[1].Dims))
				}
				return []resident.Shape{{Type: in[1].Type, Dims: dims}}, err
			},
			Write: func(out []code.Array, in []resident.Input) ([]devices.Launch, error) {
				return code.Fill(out[0], bitsOf(in[1].Host))
			},
		}, nil
	})
}

func empty(dims []int64) bool { return code.Array{Dims: dims}.Elements() == 0 }

// bitsOf are the bits of a scalar.
func bitsOf(v *tensor.Value) (bits uint64) {
	for i, b := range tensor.Bytes(v) {
		bits |= uint64(b) << (8 * i)
	}
	return bits
}

// box returns the corner and the size that Slice's inputs 1 and 2 say.
func box(in []resident.Input) (begin, size []int64, err error) {
	begin, size = integers(in[1].Host), integers(in[2].Host)
	dims := in[0].Dims
	if len(begin) != len(dims) || len(size) != len(dims) {
		return nil, nil, status.Invalid("Expected begin and size arguments to be 1-D tensors of size %d, but got shapes %s and %s instead.",
			len(dims), tensor.FormatDims(in[1].Dims), tensor.FormatDims(in[2].Dims))
	}
	for i, d := range dims {
		if begin[i] < 0 || begin[i] > d {
			return nil, nil, status.Invalid("Expected begin[%d] in [0, %d], but got %d", i, d, begin[i])
		}
		if size[i] == -1 {
			size[i] = d - begin[i]
		}
		if size[i] < 0 || size[i] > d-begin[i] {
			return nil, nil, status.Invalid("Expected size[%d] in [0, %d], but got %d", i, d-begin[i], size[i])
		}
	}
	return begin, size, nil
}

// masks are the attributes of the strided-slice operations.
func masks(c *kernel.Construction) shape.StridedSpec {
	return shape.StridedSpec{
		BeginMask: c.Int("begin_mask"), EndMask: c.Int("end_mask"), EllipsisMask: c.Int("ellipsis_mask"),
		NewAxisMask: c.Int("new_axis_mask"), ShrinkMask: c.Int("shrink_axis_mask"),
	}
}

// A taking is which elements of a tensor a strided slice takes: how many of each
// dimension, and in which shape.
type taking struct {
	dims          []shape.StridedDim
	counts, shape []int64
}

// of returns those elements of an array.
func (t taking) of(x code.Array) code.Part {
	p := code.All(x)
	p.Strides = slices.Clone(p.Strides)
	for i, d := range t.dims {
		if d.Count > 0 {
			p.Start += d.Begin * p.Strides[i]
		}
		p.Strides[i] *= d.Stride
	}
	return p
}

// apply resolves a spec, its operands being three inputs, for a tensor of those dims.
func apply(spec shape.StridedSpec, in []resident.Input, dims []int64) (t taking, err error) {
	for i, to := range []*[]int64{&spec.Begin, &spec.End, &spec.Strides} {
		if in[i].Type == tensor.Int16 {
			return t, status.Errorf(status.Unimplemented, "accelerators have no strided slices by int16")
		}
		if n := in[i].Elements(); len(in[i].Dims) != 1 || n != in[0].Elements() || n > tensor.MaxRank {
			return t, status.Invalid("Expected begin, end, and strides to be 1D equal size tensors, but got shapes %s, %s, and %s instead.",
				tensor.FormatDims(in[0].Dims), tensor.FormatDims(in[1].Dims), tensor.FormatDims(in[2].Dims))
		}
		if *to = integers(in[i].Host); *to == nil {
			*to = []int64{}
		}
	}
	s, err := spec.Apply(shape.Of(dims...))
	if err != nil {
		return t, err
	}
	t.dims, t.shape = s.Dims, s.Shape.Dims()
	for _, d := range s.Dims {
		t.counts = append(t.counts, d.Count)
	}
	return t, nil
}

// sizesOf are those of SplitV's outputs, of which one may be -1, for a dimension.
func sizesOf(sizes []int64, n int, dim int64) ([]int64, error) {
	open, sum := -1, int64(0)
	for i, s := range sizes {
		switch {
		case s == -1 && open < 0:
			open = i
		case s < 0 || s > dim:
			return nil, status.Invalid("Split size at index %d must be in [0, %d], got %d", i, dim, s)
		default:
			sum += s
		}
	}
	if len(sizes) != n || sum > dim || open < 0 && sum != dim {
		return nil, status.Invalid("Determined shape must either match input shape along split_dim exactly if fully specified, or be less than the size of the input along split_dim if not fully specified. Got: %d", sum)
	}
	if open >= 0 {
		sizes[open] = dim - sum
	}
	return sizes, nil
}

// split takes input which apart along an axis, into parts of sizes that how says.
func split(which int, how func(in []resident.Input) (axis int, sizes []int64, err error)) resident.Plan {
	return resident.Plan{
		Shapes: func(in []resident.Input) (all []resident.Shape, err error) {
			axis, sizes, err := how(in)
			for _, n := range sizes {
				dims := slices.Clone(in[which].Dims)
				dims[axis] = n
				all = append(all, resident.Shape{Type: in[which].Type, Dims: dims})
			}
			return all, err
		},
		Write: func(out []code.Array, in []resident.Input) ([]devices.Launch, error) {
			axis, sizes, err := how(in)
			if err != nil {
				return nil, err
			}
			return parted(out, in[which].Array, axis, sizes)
		},
	}
}

// parted copies what of x lies behind one another along an axis.
func parted(out []code.Array, x code.Array, axis int, sizes []int64) ([]devices.Launch, error) {
	var s sequence
	begin, steps := make([]int64, len(x.Dims)), slices.Repeat([]int64{1}, len(x.Dims))
	for i, z := range out {
		z.Dims = slices.Clone(x.Dims)
		z.Dims[axis] = sizes[i]
		s.add(code.Slice(z, x, begin, steps))
		begin[axis] += sizes[i]
	}
	return s.launches, s.err
}
