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

// Operations that put the elements of a tensor into another order: reversed, rolled, or moved
// between the batch, space and channels.

func init() {
	moving("ReverseV2", "T", []string{"axis"}, func(c *kernel.Construction) (resident.Plan, error) {
		axes := func(in []resident.Input) ([]int64, error) {
			rank, turn := int64(len(in[0].Dims)), make([]int64, len(in[0].Dims))
			if in[0].Elements() == 0 || rank == 0 { // whatever the axes
				return turn, nil
			}
			if len(in[1].Dims) != 1 {
				return nil, status.Invalid("'dims' must be a vector, got shape %s", tensor.FormatDims(in[1].Dims))
			}
			for _, a := range integers(in[1].Host) {
				if a < -rank || a >= rank {
					return nil, status.Invalid("'axis'[%d] is out of valid range [%d, %d]", a, -rank, rank-1)
				}
				if a = (a + rank) % rank; turn[a] != 0 {
					return nil, status.Invalid("axis %d specified more than once.", a)
				}
				turn[a] = 1
			}
			return turn, nil
		}
		return reversal(axes), nil
	})
	moving("Reverse", "T", []string{"dims"}, func(c *kernel.Construction) (resident.Plan, error) {
		return reversal(func(in []resident.Input) ([]int64, error) {
			turn := make([]int64, len(in[0].Dims))
			if len(turn) == 0 {
				return turn, nil
			}
			if in[0].Dims[0] == 0 {
				return nil, status.Invalid("Invalid input first dimension. Found 0.")
			}
			if len(in[1].Dims) != 1 || in[1].Dims[0] != int64(len(turn)) {
				return nil, status.Invalid("'dims' must have a size equal to the rank of tensor, %d, but has shape %s", len(turn), tensor.FormatDims(in[1].Dims))
			}
			for i, b := range tensor.Of[bool](in[1].Host) {
				if b {
					turn[i] = 1
				}
			}
			return turn, nil
		}), nil
	})
	moving("ReverseSequence", "T", nil, func(c *kernel.Construction) (resident.Plan, error) {
		seq, batch := c.Int("seq_dim"), c.Int("batch_dim")
		return one(func(in []resident.Input) (tensor.DType, []int64, error) {
			x, rank := in[0].Dims, int64(len(in[0].Dims))
			if seq < 0 || batch < 0 || seq >= rank || batch >= rank || seq == batch || len(in[1].Dims) != 1 || in[1].Dims[0] != x[batch] {
				return 0, nil, status.Invalid("ReverseSequence of %s with seq_dim %d, batch_dim %d and seq_lengths %s", tensor.FormatDims(x), seq, batch, tensor.FormatDims(in[1].Dims))
			}
			return same(in)
		}, func(z code.Array, in []code.Array) ([]devices.Launch, error) {
			return code.ReverseSequence(z, in[0], in[1], int(seq), int(batch))
		}), nil
	})
	moving("Roll", "T", []string{"shift", "axis"}, func(*kernel.Construction) (resident.Plan, error) {
		return resident.Plan{
			Shapes: func(in []resident.Input) ([]resident.Shape, error) {
				_, err := shifts(in)
				return []resident.Shape{{Type: in[0].Type, Dims: in[0].Dims}}, err
			},
			Run: func(w *resident.Work, out []code.Array, in []resident.Input) {
				by, err := shifts(in)
				if err != nil {
					w.Fail(err)
					return
				}
				roll(w, out[0], in[0].Array, by)
			},
		}, nil
	})
	for _, op := range []string{"SpaceToDepth", "DepthToSpace"} {
		moving(op, "T", nil, func(c *kernel.Construction) (resident.Plan, error) {
			if f := c.Str("data_format"); f != "NHWC" { // as on the CPU
				return resident.Plan{}, status.Errorf(status.Unimplemented, "%s of %s has no kernel for accelerators", op, f)
			}
			n := c.Int("block_size")
			return resident.Plan{Shapes: inferred(c, ranked("input", 4, 0)), Write: func(out []code.Array, in []resident.Input) ([]devices.Launch, error) {
				if op == "SpaceToDepth" {
					return toDepth(out[0], in[0].Array, n, false)
				}
				return toDepth(in[0].Array, out[0], n, true)
			}}, nil
		})
	}
	for _, op := range []string{"SpaceToBatch", "SpaceToBatchND", "BatchToSpace", "BatchToSpaceND"} {
		host := []string{"block_shape", "paddings"}
		if op[:5] == "Batch" {
			host[1] = "crops"
		}
		if op[len(op)-2:] != "ND" {
			host = host[1:]
		}
		moving(op, "T", host, func(c *kernel.Construction) (resident.Plan, error) {
			square := c.Int("block_size")
			return resident.Plan{Shapes: inferred(c, nil), Run: func(w *resident.Work, out []code.Array, in []resident.Input) {
				block := []int64{square, square}
				if len(in) > 2 {
					block = integers(in[1].Host)
				}
				edges := integers(in[len(in)-1].Host)
				if len(edges) != 2*len(block) || len(in[0].Dims) <= len(block) {
					w.Fail(status.Invalid("%s of %s with %d blocks", op, tensor.FormatDims(in[0].Dims), len(block)))
					return
				}
				if op[:5] == "Space" {
					spaceToBatch(w, out[0], in[0].Array, block, edges)
				} else {
					batchToSpace(w, out[0], in[0].Array, block, edges)
				}
			}}, nil
		})
	}
}

// reversal turns the dimensions around of which turn has a 1.
func reversal(turn func(in []resident.Input) ([]int64, error)) resident.Plan {
	return resident.Plan{
		Shapes: func(in []resident.Input) ([]resident.Shape, error) {
			_, err := turn(in)
			return []resident.Shape{{Type: in[0].Type, Dims: in[0].Dims}}, err
		},
		Write: func(out []code.Array, in []resident.Input) ([]devices.Launch, error) {
			around, err := turn(in)
			if err != nil {
				return nil, err
			}
			begin, steps := make([]int64, len(around)), make([]int64, len(around))
			for i, t := range around {
				if steps[i] = 1; t == 1 {
					begin[i], steps[i] = max(in[0].Dims[i]-1, 0), -1
				}
			}
			return code.Slice(out[0], in[0].Array, begin, steps)
		},
	}
}

// shifts is by how much each dimension is rolled.
func shifts(in []resident.Input) ([]int64, error) {
	by, axes := integers(in[1].Host), integers(in[2].Host)
	sum, rank := make([]int64, len(in[0].Dims)), int64(len(in[0].Dims))
	if rank == 0 || len(in[1].Dims) > 1 || !slices.Equal(in[1].Dims, in[2].Dims) || len(by) != len(axes) {
		return nil, status.Invalid("Roll of %s by %s along %s", tensor.FormatDims(in[0].Dims), tensor.FormatDims(in[1].Dims), tensor.FormatDims(in[2].Dims))
	}
	for i, a := range axes {
		if a < -rank || a >= rank {
			return nil, status.Invalid("axis %d is out of range", a)
		}
		a = (a + rank) % rank
		if d := in[0].Dims[a]; d > 0 {
			sum[a] = ((sum[a]+by[i]%d)%d + d) % d
		}
	}
	return sum, nil
}

// roll moves the two parts of a dimension past each other, one dimension after the other.
func roll(w *resident.Work, z, x code.Array, by []int64) {
	var axes []int
	for i, n := range by {
		if n != 0 {
			axes = append(axes, i)
		}
	}
	if len(axes) == 0 {
		w.Add(code.Map("Identity", 0, z, x))
	}
	for k, a := range axes {
		to := z
		if k < len(axes)-1 {
			to = w.Scratch(x.Type, x.Dims...)
		}
		for _, part := range [][3]int64{{0, by[a], x.Dims[a] - by[a]}, {x.Dims[a] - by[a], 0, by[a]}} { // from, to, how many
			from, into := code.All(x), code.All(to)
			dims := slices.Clone(x.Dims)
			dims[a] = part[2]
			from.Start, into.Start = part[0]*from.Strides[a], part[1]*into.Strides[a]
			w.Add(code.Move(into, from, dims))
		}
		x = to
	}
}

// toDepth moves blocks of n by n pixels of images into channels of deep, or back.
func toDepth(deep, images code.Array, n int64, back bool) ([]devices.Launch, error) {
	b, h, w, c := deep.Dims[0], deep.Dims[1], deep.Dims[2], images.Dims[3]
	dims := []int64{b, h, n, w, n, c}
	row := images.Dims[2] * c
	from := code.Part{Array: images, Strides: []int64{images.Dims[1] * row, n * row, row, n * c, c, 1}}
	line := w * n * n * c
	to := code.Part{Array: deep, Strides: []int64{h * line, line, n * c, n * n * c, c, 1}}
	if back {
		return code.Move(from, to, dims)
	}
	return code.Move(to, from, dims)
}

// blocked returns a tensor of space whose blocks are apart, and the same elements in the batch:
// dimensions are block, batch, and then space and what is behind it.
func blocked(space, batch code.Array, block []int64) (s, b code.Part, dims []int64) {
	k := len(block)
	whole, moved := code.All(space), code.All(batch)
	dims = append(slices.Clone(block), space.Dims[0])
	s, b = code.Part{Array: space}, code.Part{Array: batch}
	for i := range k {
		s.Strides = append(s.Strides, whole.Strides[1+i])
		n := space.Dims[0] * moved.Strides[0]
		for _, d := range block[i+1:] {
			n *= d
		}
		b.Strides = append(b.Strides, n)
	}
	s.Strides, b.Strides = append(s.Strides, whole.Strides[0]), append(b.Strides, moved.Strides[0])
	for i, d := range batch.Dims[1:] {
		dims = append(dims, d)
		step := whole.Strides[1+i]
		if i < k {
			step *= block[i]
		}
		s.Strides, b.Strides = append(s.Strides, step), append(b.Strides, moved.Strides[1+i])
	}
	return s, b, dims
}

// spaceToBatch pads x and moves blocks of it into the batch.
func spaceToBatch(w *resident.Work, z, x code.Array, block, edges []int64) {
	before, padded := make([]int64, len(x.Dims)), slices.Clone(x.Dims)
	for i := range block {
		before[1+i] = edges[2*i]
		padded[1+i] += edges[2*i] + edges[2*i+1]
	}
	if !slices.Equal(padded, x.Dims) {
		y := w.Scratch(x.Type, padded...)
		w.Add(code.Pad(y, x, before, 0))
		x = y
	}
	s, b, dims := blocked(x, z, block)
	w.Add(code.Move(b, s, dims))
}

// batchToSpace moves x's batch into blocks and cuts the edges off.
func batchToSpace(w *resident.Work, z, x code.Array, block, edges []int64) {
	begin, whole := make([]int64, len(x.Dims)), slices.Clone(z.Dims)
	for i := range block {
		begin[1+i] = edges[2*i]
		whole[1+i] += edges[2*i] + edges[2*i+1]
	}
	y := z
	if !slices.Equal(whole, z.Dims) {
		y = w.Scratch(x.Type, whole...)
	}
	s, b, dims := blocked(y, x, block)
	w.Add(code.Move(s, b, dims))
	if !slices.Equal(whole, z.Dims) {
		w.Add(code.Slice(z, y, begin, slices.Repeat([]int64{1}, len(begin))))
	}
}
