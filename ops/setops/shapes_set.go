package setops

import "github.com/troupe-go/troupe/shape"

func init() {
	shape.Register(shape.Rule("set_indices: [n,r], set_values: [n], set_shape: [r] = [S...,?] -> size: S"), "SetSize")
	shape.Register(denseSetsShape, "DenseToDenseSetOperation", "DenseToSparseSetOperation")
}

// denseSetsShape is a sparse tensor of the rank of the first set, or of the
// second where that is not known.
func denseSetsShape(c *shape.Context) error {
	rank := shape.Unknown
	if set1 := c.Try(c.Input(0).WithRankAtLeast(2)); set1.Known() {
		rank = int64(set1.Rank())
	}
	if c.NumInputs() == 4 { // the second set is sparse
		rank = c.TryDim(shape.MergeDims(rank, c.Try(c.Input(3).WithRank(1)).Dim(0)))
	} else if set2 := c.Input(1); set2.Known() {
		rank = c.TryDim(shape.MergeDims(rank, int64(set2.Rank())))
	}
	c.SetOutput(0, shape.Of(shape.Unknown, rank))
	c.SetOutput(1, shape.Of(shape.Unknown))
	c.SetOutput(2, shape.Of(rank))
	return c.Err()
}
