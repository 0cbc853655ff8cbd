package reduction

import (
	"github.com/troupe-go/troupe/shape"
	"github.com/troupe-go/troupe/status"
)

func init() {
	shape.Register(shape.Reduce, "Sum", "Prod", "Max", "Min", "Mean", "All", "Any", "EuclideanNorm")
	shape.Register(argShape, "ArgMax", "ArgMin")
	shape.Register(shape.Unchanged, "Cumsum", "Cumprod", "CumulativeLogsumexp")
	shape.Register(nthElementShape, "NthElement")

	shape.Register(shape.Rule("data: [?,R...], segment_ids: [?] -> output: [?,R...]"),
		"SegmentMax", "SegmentMean", "SegmentMin", "SegmentProd", "SegmentSum")
	shape.Register(unsortedSegmentShape,
		"UnsortedSegmentMax", "UnsortedSegmentMin", "UnsortedSegmentProd", "UnsortedSegmentSum")
	shape.Register(sparseSegmentShape,
		"SparseSegmentMean", "SparseSegmentSqrtN", "SparseSegmentSum",
		"SparseSegmentMeanWithNumSegments", "SparseSegmentSqrtNWithNumSegments", "SparseSegmentSumWithNumSegments",
		"SparseSegmentSumGrad", "SparseSegmentMeanGrad", "SparseSegmentSqrtNGrad")
	shape.Register(shape.Rule("grad: [?,R...], indices: [n], segment_ids: [n], dense_output_dim0: [] -> output: [u,R...], sorted_unique_indices: [u]"),
		"SparseSegmentSumGradV2", "SparseSegmentMeanGradV2", "SparseSegmentSqrtNGradV2")

	shape.Register(shape.Rule("arr: ?, size: [] = n, weights: ? -> bins: [n]"), "Bincount")
	shape.Register(denseBincountShape, "DenseBincount")
	shape.Register(histogramShape, "HistogramFixedWidth")
}

// argShape takes away the dimension that input 1 names.
func argShape(c *shape.Context) error {
	in := c.Input(0)
	c.Try(c.Input(1).WithRank(0))
	if c.Err() != nil || !in.Known() {
		return c.Err()
	}
	rank := int64(in.Rank())
	axis, ok := c.ConstInt(1)
	switch {
	case rank <= 1:
		c.SetOutput(0, shape.Scalar)
	case !ok:
		c.SetOutput(0, shape.OfRank(int(rank-1)))
	case axis < -rank || axis >= rank:
		return status.Invalid("Dimension (%d) must be in the range [%d, %d), where %d is the number of dimensions in the input.", axis, -rank, rank, rank)
	default:
		c.SetOutput(0, in.Remove(int(axis)))
	}
	return nil
}

func nthElementShape(c *shape.Context) error {
	in := c.Try(c.Input(0).WithRankAtLeast(1))
	n := c.TryDim(c.DimFrom(1))
	if d := in.Dim(-1); n != shape.Unknown && d != shape.Unknown && d <= n {
		return status.Invalid("Input must have last dimension > n = %d but is %d", n, d)
	}
	c.SetOutput(0, in.To(-1))
	return c.Err()
}

// unsortedSegmentShape has a slice of data for each segment, of which input 2
// gives the number.
func unsortedSegmentShape(c *shape.Context) error {
	data, ids := c.Input(0), c.Input(1)
	c.Try(c.Input(2).WithRank(0))
	if c.Err() != nil || !ids.Known() {
		return c.Err()
	}
	if _, _, err := shape.MergePrefix(data, ids); err != nil {
		return err
	}
	n := c.TryDim(c.DimFrom(2))
	c.SetOutput(0, c.Try(shape.Concat(shape.Of(n), data.From(ids.Rank()))))
	return c.Err()
}

// sparseSegmentShape has a row of data for each segment, of which input 3
// gives the number, if there is one.
func sparseSegmentShape(c *shape.Context) error {
	data := c.Try(c.Input(0).WithRankAtLeast(1))
	indices, ids := c.Try(c.Input(1).WithRank(1)), c.Try(c.Input(2).WithRank(1))
	c.Try(shape.Merge(indices, ids))
	n := shape.Unknown
	if c.NumInputs() > 3 {
		c.Try(c.Input(3).WithRank(0))
		n = c.TryDim(c.DimFrom(3))
	}
	c.SetOutput(0, c.Try(shape.Concat(shape.Of(n), data.From(1))))
	return c.Err()
}

// histogramShape has as many bins as input 2 says, of which there must be some.
func histogramShape(c *shape.Context) error {
	c.TryDim(shape.WithValue(c.Try(c.Input(1).WithRank(1)).Dim(0), 2))
	c.Try(c.Input(2).WithRank(0))
	n := shape.Unknown
	if v, ok := c.ConstInt(2); ok {
		if n = v; n <= 0 {
			return status.Invalid("Requires nbins > 0: %d", n)
		}
	}
	c.SetOutput(0, shape.Of(n))
	return c.Err()
}

func denseBincountShape(c *shape.Context) error {
	in := c.Try(c.Input(0).WithRankAtMost(2))
	c.Try(c.Input(1).WithRank(0))
	size := c.TryDim(c.DimFrom(1))
	if c.Value(1) == nil {
		if in.Known() {
			c.SetOutput(0, shape.OfRank(in.Rank()))
		}
		return c.Err()
	}
	switch in.Rank() {
	case 0, 1:
		c.SetOutput(0, shape.Of(size))
	case 2:
		c.SetOutput(0, shape.Of(in.Dim(0), size))
	}
	return c.Err()
}
