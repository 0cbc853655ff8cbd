package array

import (
	"math"

	"github.com/troupe-go/troupe/shape"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

func init() {
	shape.Register(shape.Rule("params: [?,P...], indices: I -> output: [I...,P...]"), "Gather")
	shape.Register(gatherV2Shape, "GatherV2")
	shape.Register(shape.GatherNd, "GatherNd")
	shape.Register(scatterNdShape, "ScatterNd")
	shape.Register(tensorScatterShape, "ScatterNdNonAliasingAdd",
		"TensorScatterAdd", "TensorScatterMax", "TensorScatterMin", "TensorScatterSub", "TensorScatterUpdate")
	shape.Register(oneHotShape, "OneHot")
	shape.Register(whereShape, "Where")
	shape.Register(shape.Rule("x: [?], y: [?] -> out: [?], idx: [?]"), "ListDiff")
	shape.Register(uniqueShape, "Unique")
	shape.Register(shape.Rule("x: S -> y: [?], idx: S, count: [?]"), "UniqueWithCounts")
	shape.Register(uniqueV2Shape, "UniqueV2", "UniqueWithCountsV2")
	shape.Register(unravelIndexShape, "UnravelIndex")
	shape.Register(boundShape, "LowerBound", "UpperBound")
	shape.Register(editDistanceShape, "EditDistance")
	shape.Register(fingerprintShape, "Fingerprint")
}

// gatherV2Shape is params with the axis replaced by the dimensions of indices
// that are not those of a batch.
func gatherV2Shape(c *shape.Context) error {
	params := c.Try(c.Input(0).WithRankAtLeast(1))
	indices := c.Input(1)
	c.Try(c.Input(2).WithRank(0))
	axis, ok := c.ConstInt(2)
	if !ok {
		// A negative batch_dims counts as it stands, as in TensorFlow.
		if rank := int64(params.Rank()+indices.Rank()-1) - c.Int("batch_dims"); params.Known() && indices.Known() && rank >= 0 {
			c.SetOutput(0, c.Try(shape.Shape{}.WithRank(int(min(rank, math.MaxInt32)))))
		}
		return c.Err()
	}
	batch := shape.BatchDims(c, indices)
	if c.Err() == nil && params.Known() && c.Int("batch_dims") >= int64(params.Rank()) {
		c.Try(params.WithRankAtLeast(int(min(c.Int("batch_dims"), math.MaxInt32)) + 1))
	}
	if c.Err() == nil && params.Known() && batch >= params.Rank() {
		c.Try(params.WithRankAtLeast(batch + 1))
	}
	if c.Err() != nil || !params.Known() {
		return c.Err()
	}
	at, err := params.Axis(axis)
	if err != nil || !indices.Known() {
		return err
	}
	c.SetOutput(0, c.Try(shape.Concat(params.To(at), indices.From(batch), params.From(at+1))))
	return c.Err()
}

func scatterNdShape(c *shape.Context) error {
	out := c.Try(c.ShapeFrom(2))
	c.Try(c.Input(1).WithRankAtLeast(1))
	c.SetOutput(0, out)
	c.Fail(shape.CheckScatter(out, c.Input(0), c.Input(1)))
	return c.Err()
}

func tensorScatterShape(c *shape.Context) error {
	in := c.Try(c.Input(0).WithRankAtLeast(1))
	c.SetOutput(0, in)
	c.Fail(shape.CheckScatter(in, c.Input(1), c.Input(2)))
	return c.Err()
}

func oneHotShape(c *shape.Context) error {
	axis := c.Int("axis")
	if axis < -1 {
		return status.Invalid("axis must be >= -1")
	}
	depth := c.TryDim(c.DimFrom(1))
	in := c.Input(0)
	if c.Err() != nil || !in.Known() {
		return c.Err()
	}
	// An axis beyond the rank wraps round, as in TensorFlow.
	rank := int64(in.Rank()) + 1
	c.SetOutput(0, c.Try(in.Insert(int((axis%rank+rank)%rank), depth)))
	return c.Err()
}

func whereShape(c *shape.Context) error {
	rank := shape.Unknown
	if in := c.Input(0); in.Known() {
		rank = int64(in.Rank())
	}
	c.SetOutput(0, shape.Of(shape.Unknown, rank))
	return nil
}

// uniqueShape says of the indices no more than is known of the input.
func uniqueShape(c *shape.Context) error {
	c.Try(c.Input(0).WithRank(1))
	c.SetOutput(0, shape.Of(shape.Unknown))
	c.SetOutput(1, c.Input(0))
	return c.Err()
}

// uniqueV2Shape is for values, or for slices along the axis that input 1 names
// if it is not empty.
func uniqueV2Shape(c *shape.Context) error {
	in := c.Input(0)
	if in.Known() {
		c.SetOutput(0, shape.OfRank(in.Rank()))
	}
	c.SetOutput(1, shape.Of(shape.Unknown))
	c.SetOutput(2, shape.Of(shape.Unknown))
	axes, ok := c.ConstInts(1)
	if !ok || !in.Known() {
		return nil
	}
	c.Try(c.Input(1).WithRank(1))
	switch len(axes) {
	case 0:
		if in.Rank() != 1 {
			return status.Invalid("x expects a 1D vector.")
		}
		axes = []int64{0}
	case 1:
	default:
		return status.Invalid("axis does not support input tensors larger than 1 elements.")
	}
	axis, rank := axes[0], int64(in.Rank())
	if axis < -rank || axis >= rank {
		return status.Invalid("axis expects to be in the range [%d, %d)", -rank, rank)
	}
	c.SetOutput(1, shape.Of(in.Dim(int(axis))))
	return c.Err()
}

func boundShape(c *shape.Context) error {
	c.Try(c.Input(0).WithRank(2))
	c.Try(c.Input(1).WithRank(2))
	c.SetOutput(0, c.Input(1))
	return c.Err()
}

// unravelIndexShape has a row of coordinates for each dimension.
func unravelIndexShape(c *shape.Context) error {
	indices, dims := c.Input(0), c.Try(c.Input(1).WithRank(1))
	switch indices.Rank() {
	case -1:
	case 0:
		c.SetOutput(0, shape.Of(dims.Dim(0)))
	default:
		c.SetOutput(0, shape.Of(dims.Dim(0), c.TryDim(indices.NumElements())))
	}
	return c.Err()
}

// editDistanceShape is, where both are known, the larger of the two shapes but
// for the sequences themselves.
func editDistanceShape(c *shape.Context) error {
	c.Fail(shape.CheckSparse(c.Input(0), c.Input(1), c.Input(2)))
	c.Fail(shape.CheckSparse(c.Input(3), c.Input(4), c.Input(5)))
	x, okX := c.ConstInts(2)
	y, okY := c.ConstInts(5)
	if c.Err() != nil || !okX || !okY {
		return c.Err()
	}
	if len(x) != len(y) {
		return status.Invalid("Num elements of hypothesis_shape does not match truth_shape: %d vs. %d", len(x), len(y))
	}
	if len(x) < 2 {
		return status.Invalid("Input Hypothesis SparseTensors must have rank at least 2, but hypothesis_shape rank is: %d", len(x))
	}
	dims := make([]int64, len(x)-1)
	for i := range dims {
		dims[i] = max(x[i], y[i])
	}
	c.SetOutput(0, c.Try(shape.FromVector(dims)))
	return c.Err()
}

// fingerprintShape has a row of bytes for each row of data.
func fingerprintShape(c *shape.Context) error {
	data := c.Try(c.Input(0).WithRankAtLeast(1))
	c.Try(c.Input(1).WithRank(0))
	size := shape.Unknown
	if method := c.Value(1); method != nil && method.DType() == tensor.String && method.NumElements() == 1 {
		x := tensor.ValueOf(method)
		if name := tensor.At0[string](&x); name != "farmhash64" {
			return status.Invalid("Unsupported method: %s", name)
		}
		size = 8
	}
	c.SetOutput(0, shape.Of(data.Dim(0), size))
	return c.Err()
}
