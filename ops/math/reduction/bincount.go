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
	registerBincount(dt, countBins[int32, T], countBins[int64, T])
}

func registerBincount(dt tensor.DType, of32, of64 counting) {
	kernel.ForType("Bincount", "T", dt, func(*kernel.Construction) (kernel.Kernel, error) {
		return kernel.Func((&bincount{dt: dt, count: of32}).flat), nil
	})
	kernel.ForType("DenseBincount", "T", dt, func(c *kernel.Construction) (kernel.Kernel, error) {
		count := of64
		if c.Type("Tidx") == tensor.Int32 {
			count = of32
		}
		return &bincount{dt, c.Bool("binary_output"), count}, nil
	})
}

type countable interface {
	int32 | int64 | float32 | float64
}

// A counting adds to size elements of o what elements lo to hi of x, none of them negative,
// count: their weights, if there are any, or else 1.
type counting func(ctx *kernel.Context, o tensor.Memory, first, size int, x tensor.Memory, lo, hi int, w tensor.Memory, binary bool) error

// A bincount is the kernel of DenseBincount.
type bincount struct {
	dt     tensor.DType
	binary bool // whether a number occurs, rather than how often
	count  counting
}

func (k *bincount) Run(ctx *kernel.Context, in, out []tensor.Value) error {
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
	if i, negative := firstNegative(&in[0]); negative {
		if len(dims) == 2 {
			return status.Invalid("Input 'in' must be non-negative! Negative input value found: %d", i)
		}
		return status.Invalid("Input arr must be non-negative!")
	}
	if out[0], err = ctx.AllocZeroed(k.dt, dims); err != nil {
		return err
	}
	o, x, w := out[0].Memory(), in[0].Memory(), in[2].Memory()
	if len(dims) == 1 {
		return k.count(ctx, o, 0, int(size), x, 0, x.Len(), w, k.binary)
	}
	rows, n := int(dims[0]), in[0].Dim(1)
	ctx.Parallel(rows, max(1, block/max(1, n)), func(lo, hi int) {
		for r := lo; r < hi; r++ {
			if k.count(ctx, o, r*int(size), int(size), x, r*n, (r+1)*n, w, k.binary) != nil {
				return
			}
		}
	})
	return ctx.Err()
}

// firstNegative finds the first element below 0.
func firstNegative(v *tensor.Value) (int64, bool) {
	if v.DType() == tensor.Int32 {
		for _, i := range tensor.Of[int32](v) {
			if i < 0 {
				return int64(i), true
			}
		}
		return 0, false
	}
	for _, i := range tensor.Of[int64](v) {
		if i < 0 {
			return i, true
		}
	}
	return 0, false
}

func countBins[I int32 | int64, T countable](ctx *kernel.Context, bins tensor.Memory, first, size int, numbers tensor.Memory, lo, hi int, weights tensor.Memory, binary bool) error {
	o, x, w := tensor.Elements[T](bins)[first:][:size], tensor.Elements[I](numbers)[lo:hi], tensor.Elements[T](weights)
	if len(w) > 0 {
		w = w[lo:hi]
	}
	for at, i := range x {
		if at%block == block-1 && ctx.Err() != nil {
			break
		}
		switch {
		case int64(i) >= int64(len(o)):
		case binary:
			o[i] = 1
		case len(w) > 0:
			o[i] += w[at]
		default:
			o[i]++
		}
	}
	return ctx.Err()
}

// flat is Bincount, for which any shape is a vector.
func (k *bincount) flat(ctx *kernel.Context, in, out []tensor.Value) error {
	if n := in[2].NumElements(); n > 0 && n != in[0].NumElements() {
		return status.Invalid("Input indices and weights must have the same size.")
	}
	return k.Run(ctx, []tensor.Value{vectorOf(&in[0]), in[1], vectorOf(&in[2])}, out)
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
