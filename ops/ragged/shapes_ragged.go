package ragged

import (
	"github.com/troupe-go/troupe/shape"
	"github.com/troupe-go/troupe/status"
)

func init() {
	shape.Register(raggedRangeShape, "RaggedRange")
	shape.Register(raggedGatherShape, "RaggedGather")
	shape.Register(shape.UnknownOutputs, "RaggedBincount")
	shape.Register(raggedToDenseShape, "RaggedTensorToTensor")
	shape.Register(raggedToVariantShape, "RaggedTensorToVariant")
	shape.Register(raggedToSparseShape, "RaggedTensorToSparse")
	shape.Register(shape.Rule("encoded_ragged_grad: ?, row_splits: ?, dense_values_shape: ? = S -> dense_values_grad: S"), "RaggedTensorToVariantGradient")
	shape.Register(raggedFromVariantShape, "RaggedTensorFromVariant")
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
	rank := c.Int("OUTPUT_RAGGED_RANK") - c.Int("PARAMS_RAGGED_RANK") + 1
	if indices := c.Input(splits + 1); indices.Known() && int64(indices.Rank()) != rank {
		c.Fail(status.Invalid("Shape must be rank %d but is rank %d", rank, indices.Rank()))
	}
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
	in, out := c.Int("input_ragged_rank"), c.Int("output_ragged_rank")
	if encoded := c.Input(0); in >= 0 && encoded.Known() && int64(encoded.Rank()) != out-in {
		return status.Invalid("Shape must be rank %d but is rank %d", out-in, encoded.Rank())
	}
	return nil
}

// raggedToVariantShape returns a scalar, or a vector of rows.
func raggedToVariantShape(c *shape.Context) error {
	_, splits := c.Arg("rt_nested_splits")
	for i := range splits {
		c.Try(c.Input(i).WithRank(1))
	}
	c.Try(c.Input(splits).WithRankAtLeast(1))
	switch {
	case !c.Bool("batched_input"):
		c.SetOutput(0, shape.Scalar)
	default:
		c.SetOutput(0, shape.Of(c.TryDim(shape.SubDims(c.Input(0).Dim(0), 1))))
	}
	return c.Err()
}

// partitions are the ways to say which values belong to which row, and whether
// a dense tensor can be made of them.
var partitions = map[string]bool{
	"FIRST_DIM_SIZE": true, "VALUE_ROWIDS": true, "ROW_SPLITS": true,
	"ROW_LENGTHS": false, "ROW_LIMITS": false, "ROW_STARTS": false,
}

// checkPartitions checks the types of row partitions against each other and
// against the tensors.
func checkPartitions(c *shape.Context, types []string) error {
	for _, t := range types {
		if _, ok := partitions[t]; !ok {
			return status.Invalid("Unknown string for partition info type: %s", t)
		}
	}
	lo, hi := c.Arg("row_partition_tensors")
	if len(types) != hi-lo {
		return status.Invalid("Number of row partition tensors (%d) does not equal the number of row partition types(%d).", hi-lo, len(types))
	}
	for i, t := range types {
		tensor := c.Input(lo + i)
		switch {
		case !partitions[t]:
			return status.Invalid("Unsupported partition type: %s", t)
		case t == "FIRST_DIM_SIZE" && i > 0:
			return status.Invalid("FIRST_DIM_SIZE must be first")
		case t == "FIRST_DIM_SIZE" && (len(types) < 2 || types[1] != "VALUE_ROWIDS"):
			return status.Invalid("FIRST_DIM_SIZE must be followed by VALUE_ROWIDS")
		case t == "FIRST_DIM_SIZE" && tensor.Rank() > 0:
			return status.Invalid("FIRST_DIM_SIZE must be a scalar.")
		case t == "VALUE_ROWIDS" && i == 0:
			return status.Invalid("VALUE_ROWIDS cannot be first")
		case t != "FIRST_DIM_SIZE" && tensor.Known() && tensor.Rank() != 1:
			return status.Invalid("Row partition must be a vector.")
		}
	}
	if len(types) == 0 {
		return status.Invalid("Partition info types should not be empty")
	}
	return nil
}

// raggedToDenseShape returns the shape that input 0 asks for, with what the values
// in input 1 tell of its last dimensions.
func raggedToDenseShape(c *shape.Context) error {
	out := c.Try(c.ShapeOrUnknownFrom(0))
	values, filler := c.Input(1), c.Input(2)
	types := c.Strs("row_partition_types")
	if err := checkPartitions(c, types); err != nil {
		return err
	}
	rows := len(types)
	if types[0] == "FIRST_DIM_SIZE" {
		rows--
	}
	if err := c.Err(); err != nil {
		return err
	}
	if values.Known() && filler.Known() {
		if filler.Rank() >= values.Rank() {
			return status.Invalid("default_value.shape=%v and rt_input.flat_values.shape=%v are incompatible: default_value.rank = %d  must be less than rt_input.flat_values.rank = %d", filler, values, filler.Rank(), values.Rank())
		}
		for i := range filler.Rank() {
			if d, v := filler.Dim(i), values.Dim(i+1); d != 1 && !shape.CompatibleDims(d, v) {
				return status.Invalid("default_value.shape=%v and rt_input.flat_values.shape=%v are incompatible: default_value.shape[%d] = %d but rt_input.flat_values.shape[%d] = %d", filler, values, i, d, i+1, v)
			}
		}
	}
	if !values.Known() {
		c.SetOutput(0, out)
		return nil
	}
	out = c.Try(out.WithRank(rows + values.Rank()))
	c.SetOutput(0, c.Try(shape.Merge(out, c.Try(shape.Concat(shape.OfRank(rows+1), values.From(1))))))
	return c.Err()
}
