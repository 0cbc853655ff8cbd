package reduction

import (
	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/kernel/elementwise"
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

func init() {
	registry.Define("Bucketize").
		Input("input: T").Output("output: int32").
		Attr("T: {int32, int64, float, double}").
		Attr("boundaries: list(float)").
		Doc(`Finds the interval that each number is in.

output: The number of boundaries that are not above each input: 0 below the first.
boundaries: The boundaries of the intervals, in order.`)
	registry.Define("HistogramFixedWidth").
		Input("values: T").Input("value_range: T").Input("nbins: int32").Output("out: dtype").
		Attr("T: {int32, int64, float, double}").
		Attr("dtype: {int32, int64} = DT_INT32").
		Doc(`Counts numbers in intervals of equal width.

value_range: The least and the greatest value; what is outside counts in the first or last interval.
nbins: How many intervals.
dtype: The type of the counts.`)

	bucketizeFor[int32](tensor.Int32)
	bucketizeFor[int64](tensor.Int64)
	bucketizeFor[float32](tensor.Float)
	bucketizeFor[float64](tensor.Double)
	histogramFor[int32](tensor.Int32)
	histogramFor[int64](tensor.Int64)
	histogramFor[float32](tensor.Float)
	histogramFor[float64](tensor.Double)
}

//go:noinline
func bucketizeFor[T elementwise.Real](dt tensor.DType) {
	kernel.ForType("Bucketize", "T", dt, func(c *kernel.Construction) (kernel.Kernel, error) {
		boundaries := floats(c, "boundaries")
		for i, b := range boundaries {
			if i > 0 && b < boundaries[i-1] {
				return nil, c.Errorf("Expected sorted boundaries")
			}
		}
		return &elementwise.Map[T, int32]{In: dt, Out: tensor.Int32, F: func(x T) int32 {
			// The first boundary above x; none is above NaN.
			lo, hi := 0, len(boundaries)
			for lo < hi {
				if mid := (lo + hi) / 2; float64(x) < float64(boundaries[mid]) {
					hi = mid
				} else {
					lo = mid + 1
				}
			}
			return int32(lo)
		}}, nil
	})
}

// floats returns a list(float) attribute.
func floats(c *kernel.Construction, name string) []float32 {
	var x []float32
	if v := c.Attrs.Find(name); v != nil {
		for i := range v.List {
			x = append(x, v.List[i].F)
		}
	}
	return x
}

//go:noinline
func histogramFor[T int32 | int64 | float32 | float64](dt tensor.DType) {
	for _, out := range []tensor.DType{tensor.Int32, tensor.Int64} {
		kernel.Register(kernel.Registration{
			Op:    "HistogramFixedWidth",
			Types: map[string][]tensor.DType{"T": {dt}, "dtype": {out}},
			New: func(*kernel.Construction) (kernel.Kernel, error) {
				if out == tensor.Int32 {
					return kernel.Func(histogram[T, int32]), nil
				}
				return kernel.Func(histogram[T, int64]), nil
			},
		})
	}
}

// histogram counts the elements of in[0] in in[2] intervals between the two
// elements of in[1]. It computes in float64, so that no difference of integers
// overflows.
func histogram[T int32 | int64 | float32 | float64, R int32 | int64](ctx *kernel.Context, in, out []tensor.Value) error {
	switch {
	case in[1].Rank() != 1:
		return status.Invalid("value_range should be a vector.")
	case in[1].NumElements() != 2:
		return status.Invalid("value_range should be a vector of 2 elements.")
	case in[2].Rank() != 0:
		return status.Invalid("nbins should be a scalar.")
	}
	ends := tensor.Of[T](&in[1])
	if !(ends[0] < ends[1]) {
		return status.Invalid("value_range should satisfy value_range[0] < value_range[1], but got '[%v, %v]'", ends[0], ends[1])
	}
	bins := tensor.At0[int32](&in[2])
	if bins <= 0 {
		return status.Invalid("nbins should be a positive number, but got '%d'", bins)
	}
	x := tensor.Of[T](&in[0])
	for _, v := range x {
		if v != v {
			return status.Invalid("Histogram values must not contain NaN")
		}
	}
	var err error
	if out[0], err = ctx.AllocZeroed(tensor.DTypeOf[R](), []int64{int64(bins)}); err != nil {
		return err
	}
	o := tensor.Of[R](&out[0])
	first := float64(ends[0])
	step := float64(ends[1])/float64(bins) - first/float64(bins)
	for len(x) > 0 && ctx.Err() == nil {
		n := min(len(x), block)
		for _, v := range x[:n] {
			// A quotient of two infinities counts in the first interval.
			if at := (max(float64(v), first) - first) / step; at >= float64(bins) {
				o[bins-1]++
			} else if at > 0 {
				o[int(at)]++
			} else {
				o[0]++
			}
		}
		x = x[n:]
	}
	return ctx.Err()
}
