package setops

import "github.com/troupe-go/troupe/shape"

func init() {
	shape.Register(shape.UnknownOutputs, "SetSize")
	shape.Register(denseSetsShape, "DenseToDenseSetOperation", "DenseToSparseSetOperation")
	shape.Register(sparseSetsShape, "SparseToSparseSetOperation")
}

// denseSetsShape returns a sparse tensor of the rank of the first set, or of the
// second where that is not known.
func denseSetsShape(c *shape.Context) error {
	rank := shape.Unknown
	set1 := c.Try(c.Input(0).WithRankAtLeast(2))
	if set1.Known() {
		rank = int64(set1.Rank())
	}
	if c.NumInputs() == 4 { // the second set is sparse
		c.Fail(shape.CheckSparse(c.Input(1), c.Input(2), c.Input(3)))
		rank = c.TryDim(shape.MergeDims(rank, c.Input(3).Dim(0)))
	} else if set2 := c.Try(c.Input(1).WithRankAtLeast(2)); set2.Known() {
		rank = c.TryDim(shape.MergeDims(rank, int64(set2.Rank())))
		c.Try(shape.Merge(set1.To(-1), set2.To(-1)))
	}
	c.SetOutput(0, shape.Of(shape.Unknown, rank))
	c.SetOutput(1, shape.Of(shape.Unknown))
	c.SetOutput(2, shape.Of(rank))
	return c.Err()
}

// sparseSetsShape returns a sparse tensor of the rank that both sets have.
func sparseSetsShape(c *shape.Context) error {
	c.Fail(shape.CheckSparse(c.Input(0), c.Input(1), c.Input(2)))
	c.Fail(shape.CheckSparse(c.Input(3), c.Input(4), c.Input(5)))
	rank := c.TryDim(shape.MergeDims(c.Input(2).Dim(0), c.Input(5).Dim(0)))
	c.SetOutput(0, shape.Of(shape.Unknown, rank))
	c.SetOutput(1, shape.Of(shape.Unknown))
	c.SetOutput(2, shape.Of(rank))
	return c.Err()
}
