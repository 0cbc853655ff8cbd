package ragged

import (
	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

func init() {
	binsFor[int32](tensor.Int32)
	binsFor[int64](tensor.Int64)
	binsFor[float32](tensor.Float)
	binsFor[float64](tensor.Double)
}

func binsFor[T int32 | int64 | float32 | float64](dt tensor.DType) {
	kernel.ForType("RaggedBincount", "T", dt, func(c *kernel.Construction) (kernel.Kernel, error) {
		binary := c.Bool("binary_output")
		if c.Type("Tidx") == tensor.Int32 {
			return bins[int32, T]{binary}, nil
		}
		return bins[int64, T]{binary}, nil
	})
}

// A bins is the kernel of RaggedBincount.
type bins[I int32 | int64, T int32 | int64 | float32 | float64] struct{ binary bool }

func (k bins[I, T]) Run(ctx *kernel.Context, in, out []tensor.Value) error {
	if in[2].Rank() != 0 {
		return status.Invalid("Shape must be rank 0 but is rank %d", in[2].Rank())
	}
	splits, size := tensor.Of[int64](&in[0]), int64(tensor.At0[I](&in[2]))
	x, w := tensor.Of[I](&in[1]), tensor.Of[T](&in[3])
	switch {
	case size < 0:
		return status.Invalid("size (%d) must be non-negative", size)
	case len(splits) == 0:
		return status.Invalid("Splits must be non-empty")
	case splits[0] != 0:
		return status.Invalid("Splits must start with 0, not with %d", splits[0])
	case splits[len(splits)-1] != int64(len(x)):
		return status.Invalid("Splits must end with the number of values, got %d instead of %d", splits[len(splits)-1], len(x))
	case len(w) > 0 && len(w) != len(x):
		return status.Invalid("Input indices and weights must have the same size.")
	}
	for i, s := range splits[1:] {
		if s < splits[i] {
			return status.Invalid("Splits must not fall, got %d after %d", s, splits[i])
		}
	}
	for _, i := range x {
		if i < 0 {
			return status.Invalid("Input must be non-negative")
		}
	}
	var err error
	if out[0], err = ctx.AllocZeroed(tensor.DTypeOf[T](), []int64{int64(len(splits)) - 1, size}); err != nil {
		return err
	}
	o := tensor.Of[T](&out[0])
	for row := range len(splits) - 1 {
		if err := ctx.Err(); err != nil {
			return err
		}
		counts := o[row*int(size):][:size]
		for at := splits[row]; at < splits[row+1]; at++ {
			switch i := x[at]; {
			case int64(i) >= size:
			case k.binary:
				counts[i] = 1
			case len(w) > 0:
				counts[i] += w[at]
			default:
				counts[i]++
			}
		}
	}
	return nil
}
