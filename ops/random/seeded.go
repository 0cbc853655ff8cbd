package random

import (
	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/kernel/philox"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

// The kernels of operations with attributes seed and seed2. Their generators
// live in the session, one for each node, and go on from step to step.

func init() {
	seeded("RandomUniform", "dtype", map[tensor.DType]filler{
		tensor.Float: fills(uniform32), tensor.Double: fills(uniform64),
		tensor.Half: fills(uniformHalf), tensor.Bfloat16: fills(uniformBfloat),
	})
	seeded("RandomStandardNormal", "dtype", map[tensor.DType]filler{
		tensor.Float: fills(normal32), tensor.Double: fills(normal64),
		tensor.Half: fills(narrowed(normal32, tensor.ToFloat16)), tensor.Bfloat16: fills(narrowed(normal32, tensor.ToBFloat16)),
	})
	seeded("TruncatedNormal", "dtype", map[tensor.DType]filler{
		tensor.Float: fills(truncated32), tensor.Double: fills(truncated64),
		tensor.Half: fills(narrowed(truncated32, tensor.ToFloat16)), tensor.Bfloat16: fills(narrowed(truncated32, tensor.ToBFloat16)),
	})
	seeded("RandomUniformInt", "Tout", map[tensor.DType]filler{
		tensor.Int32: fillInt32, tensor.Int64: fillInt64,
	})
}

// A filler draws the elements of o, which is not empty, with the generator g.
// limits are the inputs behind the shape.
type filler func(ctx *kernel.Context, limits []tensor.Value, o *tensor.Value, g philox.Generator) error

//go:noinline
func fills[T tensor.Element](d distribution[T]) filler {
	return func(ctx *kernel.Context, _ []tensor.Value, o *tensor.Value, g philox.Generator) error {
		return d.fill(ctx, tensor.Of[T](o), g)
	}
}

func fillInt32(ctx *kernel.Context, limits []tensor.Value, o *tensor.Value, g philox.Generator) error {
	lo, hi, err := limitsOf[int32](limits)
	if err != nil {
		return err
	}
	d := between(lo, uint32(hi)-uint32(lo))
	return d.fill(ctx, tensor.Of[int32](o), g)
}

func fillInt64(ctx *kernel.Context, limits []tensor.Value, o *tensor.Value, g philox.Generator) error {
	lo, hi, err := limitsOf[int64](limits)
	if err != nil {
		return err
	}
	d := between64(lo, uint64(hi)-uint64(lo))
	return d.fill(ctx, tensor.Of[int64](o), g)
}

// limitsOf reads minval and maxval.
func limitsOf[T int32 | int64 | uint32 | uint64](limits []tensor.Value) (lo, hi T, err error) {
	for i, name := range []string{"minval", "maxval"} {
		if limits[i].Rank() != 0 {
			return 0, 0, status.Invalid("%s must be 0-D, got shape %s", name, tensor.FormatDims(limits[i].Dims()))
		}
	}
	lo, hi = tensor.At0[T](&limits[0]), tensor.At0[T](&limits[1])
	if lo >= hi {
		return 0, 0, status.Invalid("Need minval < maxval, got %d >= %d", lo, hi)
	}
	return lo, hi, nil
}

func seeded(op, attr string, fillers map[tensor.DType]filler) {
	for dt, fill := range fillers {
		kernel.ForType(op, attr, dt, func(c *kernel.Construction) (kernel.Kernel, error) {
			node, seed, seed2 := c.Node, c.Int("seed"), c.Int("seed2")
			return kernel.Func(func(ctx *kernel.Context, in, out []tensor.Value) error {
				dims, err := kernel.Dims(&in[0], "shape")
				if err != nil {
					return err
				}
				if out[0], err = ctx.Alloc(dt, dims); err != nil {
					return err
				}
				n := out[0].NumElements()
				if n == 0 {
					return nil
				}
				g, err := philox.Reserve(ctx, node, seed, seed2, uint64(n)*reserved)
				if err != nil {
					return err
				}
				return fill(ctx, in[1:], &out[0], g)
			}), nil
		})
	}
}
