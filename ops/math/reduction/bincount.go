package reduction

import (
	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

func init() {
	registry.Define("Bincount").
		Input("arr: int32").Input("size: int32").Input("weights: T").Output("bins: T").
		Attr("T: {int32, int64, float, double}").
		Doc(`Counts how often each number from 0 on occurs; a negative number is an error.

size: How many numbers are counted; larger ones are passed over.
weights: What each number counts; empty for 1.`)
	registry.Define("DenseBincount").
		Input("input: Tidx").Input("size: Tidx").Input("weights: T").Output("output: T").
		Attr("Tidx: {int32, int64}").
		Attr("T: {int32, int64, float, double}").
		Attr("binary_output: bool = false").
		Doc(`Counts how often each number from 0 on occurs, in a vector or in each row of a matrix; a negative number is an error.

size: How many numbers are counted; larger ones are passed over.
weights: What each number counts; empty for 1.
binary_output: Whether to report which numbers occur, rather than how often.`)

	bincountFor[int32](tensor.Int32)
	bincountFor[int64](tensor.Int64)
	bincountFor[float32](tensor.Float)
	bincountFor[float64](tensor.Double)
}

func bincountFor[T countable](dt tensor.DType) {
	kernel.ForType("Bincount", "T", dt, func(*kernel.Construction) (kernel.Kernel, error) {
		return kernel.Func(bincountFlat[T]), nil
	})
	kernel.ForType("DenseBincount", "T", dt, func(c *kernel.Construction) (kernel.Kernel, error) {
		binary := c.Bool("binary_output")
		if c.Type("Tidx") == tensor.Int32 {
			return bincount[int32, T]{binary}, nil
		}
		return bincount[int64, T]{binary}, nil
	})
}

type countable interface {
	int32 | int64 | float32 | float64
}

// A bincount is the kernel of DenseBincount.
type bincount[I int32 | int64, T countable] struct {
	binary bool // whether a number occurs, rather than how often
}

func (k bincount[I, T]) Run(ctx *kernel.Context, in, out []tensor.Value) error {
	if in[0].Rank() > 2 {
		return status.Invalid("Shape must be at most rank 2 but is rank %d", in[0].Rank())
	}
	if in[2].NumElements() > 0 && !tensor.SameShape(in[0], in[2]) {
		return status.Invalid("`weights` must be the same shape as `arr` or a length-0 `Tensor`, in which case it acts as all weights equal to 1. Received %s", tensor.FormatDims(in[2].Dims()))
	}
	size, err := bins(&in[1])
	if err != nil {
		return err
	}
	dims := []int64{size}
	if in[0].Rank() == 2 {
		dims = []int64{in[0].Dims()[0], size}
	}
	x, w := tensor.Of[I](&in[0]), tensor.Of[T](&in[2])
	for _, i := range x {
		if i < 0 {
			if len(dims) == 2 {
				return status.Invalid("Input 'in' must be non-negative! Negative input value found: %d", i)
			}
			return status.Invalid("Input arr must be non-negative!")
		}
	}
	if out[0], err = ctx.AllocZeroed(tensor.DTypeOf[T](), dims); err != nil {
		return err
	}
	o := tensor.Of[T](&out[0])
	if len(dims) == 1 {
		return k.count(ctx, o, x, w)
	}
	rows, n := int(dims[0]), in[0].Dim(1)
	ctx.Parallel(rows, max(1, block/max(1, n)), func(lo, hi int) {
		for r := lo; r < hi; r++ {
			var weights []T
			if len(w) > 0 {
				weights = w[r*n : (r+1)*n]
			}
			if k.count(ctx, o[r*int(size):(r+1)*int(size)], x[r*n:(r+1)*n], weights) != nil {
				return
			}
		}
	})
	return ctx.Err()
}

// count adds what the elements of x, none of them negative, count to o.
func (k bincount[I, T]) count(ctx *kernel.Context, o []T, x []I, w []T) error {
	for at, i := range x {
		if at%block == block-1 && ctx.Err() != nil {
			break
		}
		switch {
		case int64(i) >= int64(len(o)):
		case k.binary:
			o[i] = 1
		case len(w) > 0:
			o[i] += w[at]
		default:
			o[i]++
		}
	}
	return ctx.Err()
}

// bincountFlat is Bincount, for which any shape is a vector.
func bincountFlat[T countable](ctx *kernel.Context, in, out []tensor.Value) error {
	if n := in[2].NumElements(); n > 0 && n != in[0].NumElements() {
		return status.Invalid("Input indices and weights must have the same size.")
	}
	flat := []tensor.Value{vectorOf(&in[0]), in[1], vectorOf(&in[2])}
	return bincount[int32, T]{}.Run(ctx, flat, out)
}

// vectorOf is v's elements as a vector.
func vectorOf(v *tensor.Value) tensor.Value {
	if v.Rank() == 1 {
		return *v
	}
	return v.Reshaped([]int64{int64(v.NumElements())})
}

// bins reads a number of bins.
func bins(v *tensor.Value) (int64, error) {
	if v.Rank() != 0 {
		return 0, status.Invalid("Shape must be rank 0 but is rank %d", v.Rank())
	}
	n, err := kernel.Int(v, "size")
	if err == nil && n < 0 {
		err = status.Invalid("size (%d) must be non-negative", n)
	}
	return n, err
}
