package ragged

import "github.com/troupe-go/troupe/shape"

func init() {
	shape.Register(raggedRangeShape, "RaggedRange")
	shape.Register(raggedGatherShape, "RaggedGather")
	shape.Register(shape.UnknownOutputs, "RaggedTensorToTensor", "RaggedTensorToVariant")
	shape.Register(raggedToSparseShape, "RaggedTensorToSparse")
	shape.Register(raggedFromVariantShape, "RaggedTensorFromVariant")
	shape.Register(shape.Rule("splits: [?], values: ?, size: [] = n, weights: ? -> output: [?,n]"), "RaggedBincount")
	shape.Register(shape.Rule("splits: [?], values: [?], weights: ? -> output_indices: [n,2], output_values: [n], output_dense_shape: [2]"), "RaggedCountSparseOutput")
	shape.Register(shape.Rule("-> output_values: [?], output_row_splits: [?]"), "RaggedCross")
}

// raggedRangeShape has a row for each element of the inputs, scalars or vectors
// of one length.
func raggedRangeShape(c *shape.Context) error {
	rows, vectors := int64(1), false
	for i := range 3 {
		switch in := c.Try(c.Input(i).WithRankAtMost(1)); {
		case !in.Known():
			if !vectors {
				rows = shape.Unknown
			}
		case in.Rank() == 1 && vectors:
			rows = c.TryDim(shape.MergeDims(rows, in.Dim(0)))
		case in.Rank() == 1:
			rows, vectors = in.Dim(0), true
		}
	}
	c.SetOutput(0, shape.Of(c.TryDim(shape.AddDims(rows, 1))))
	c.SetOutput(1, shape.Of(shape.Unknown))
	return c.Err()
}

func raggedGatherShape(c *shape.Context) error {
	_, splits := c.Arg("params_nested_splits")
	for i := range splits {
		c.Try(c.Input(i).WithRank(1))
	}
	values := c.Try(c.Input(splits).WithRankAtLeast(1))
	for i := range c.NumOutputs() {
		c.SetOutput(i, shape.Of(shape.Unknown))
	}
	c.SetOutput(c.NumOutputs()-1, c.Try(shape.Concat(shape.Of(shape.Unknown), values.From(1))))
	return c.Err()
}

// raggedToSparseShape has an index for each value: those of the splits and of
// the dimensions of the values.
func raggedToSparseShape(c *shape.Context) error {
	_, splits := c.Arg("rt_nested_splits")
	for i := range splits {
		c.Try(c.Input(i).WithRank(1))
	}
	values := c.Try(c.Input(splits).WithRankAtLeast(1))
	count := c.TryDim(values.NumElements())
	rank := shape.Unknown
	if values.Known() {
		rank = int64(splits + values.Rank())
	}
	c.SetOutput(0, shape.Of(count, rank))
	c.SetOutput(1, shape.Of(count))
	c.SetOutput(2, shape.Of(rank))
	return c.Err()
}

// raggedFromVariantShape knows the splits, which are vectors.
func raggedFromVariantShape(c *shape.Context) error {
	for i := range c.NumOutputs() - 1 {
		c.SetOutput(i, shape.Of(shape.Unknown))
	}
	return nil
}
