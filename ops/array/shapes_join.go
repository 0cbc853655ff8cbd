package array

import (
	"github.com/troupe-go/troupe/shape"
	"github.com/troupe-go/troupe/status"
)

func init() {
	shape.Register(concatShape, "Concat", "ConcatV2")
	shape.Register(concatOffsetShape, "ConcatOffset")
	shape.Register(parallelConcatShape, "ParallelConcat")
	shape.Register(packShape, "Pack")
	shape.Register(unpackShape, "Unpack")
	shape.Register(splitShape, "Split")
	shape.Register(splitVShape, "SplitV")
	shape.Register(dynamicPartitionShape, "DynamicPartition")
	shape.Register(dynamicStitchShape, "DynamicStitch", "ParallelDynamicStitch")
}

// concatShape adds up the dimension of the axis and merges the others.
func concatShape(c *shape.Context) error {
	lo, hi := c.Arg("values")
	axisAt, _ := c.Arg("axis")
	if c.Op != nil && c.Op.Name == "Concat" {
		axisAt, _ = c.Arg("concat_dim")
	}
	c.Try(c.Input(axisAt).WithRank(0))
	rank := -1
	for i := lo; i < hi; i++ {
		switch in := c.Input(i); {
		case !in.Known():
		case in.Rank() == 0:
			return status.Invalid("Can't concatenate scalars (use tf.stack instead)")
		case rank < 0:
			rank = in.Rank()
		default:
			c.Try(in.WithRank(rank))
		}
	}
	axis, ok := c.ConstInt(axisAt)
	if err := c.Err(); err != nil || !ok || lo == hi {
		if rank >= 0 {
			c.SetOutput(0, shape.OfRank(rank))
		}
		return err
	}
	var before, after shape.Shape
	var middle int64
	for i := hi - 1; i >= lo; i-- {
		in := c.Input(i)
		if !in.Known() && rank >= 0 {
			in = shape.OfRank(rank)
		}
		if !in.Known() {
			return nil
		}
		at, err := in.Axis(axis)
		if err != nil {
			return err
		}
		before = c.Try(shape.Merge(in.To(at), before))
		middle = c.TryDim(shape.AddDims(middle, in.Dim(at)))
		after = c.Try(shape.Merge(in.From(at+1), after))
	}
	c.SetOutput(0, c.Try(shape.Concat(before, shape.Of(middle), after)))
	return c.Err()
}

// concatOffsetShape returns each offset the shape of its part's shape.
func concatOffsetShape(c *shape.Context) error {
	for i := range c.NumOutputs() {
		c.SetOutput(i, c.Input(i+1))
	}
	return nil
}

func parallelConcatShape(c *shape.Context) error {
	whole := c.Shape("shape")
	if !whole.Full() {
		return status.Invalid("shape attr must be fully defined.")
	}
	part := whole.ReplaceDim(0, 1)
	for i := range c.NumInputs() {
		in := c.Input(i)
		if !in.Full() {
			return status.Invalid("All input shapes must be fully defined.")
		}
		if in.Dim(0) != 1 {
			return status.Invalid("Size of first dimension must be 1.")
		}
		part = c.Try(shape.Merge(in, part))
	}
	c.SetOutput(0, whole)
	return c.Err()
}

func packShape(c *shape.Context) error {
	n := c.NumInputs()
	var part shape.Shape
	for i := n - 1; i >= 0; i-- {
		part = c.Try(shape.Merge(c.Input(i), part))
	}
	if !part.Known() {
		return c.Err()
	}
	axis, err := axisIn(c.Int("axis"), part.Rank()+1)
	if err != nil {
		return err
	}
	c.SetOutput(0, c.Try(part.Insert(axis, int64(n))))
	return c.Err()
}

func unpackShape(c *shape.Context) error {
	in := c.Input(0)
	if !in.Known() {
		return nil
	}
	axis, err := axisIn(c.Int("axis"), in.Rank())
	if err != nil {
		return err
	}
	c.TryDim(shape.WithValue(in.Dim(axis), c.Int("num")))
	c.SetOutputs(in.Remove(axis))
	return c.Err()
}

// axisIn returns the dimension that an attribute means, of that many.
func axisIn(axis int64, rank int) (int, error) {
	n := int64(rank)
	if axis < -n || axis >= n {
		return 0, status.Invalid("Invalid axis: %d; must be in [%d,%d)", axis, -n, n)
	}
	if axis < 0 {
		axis += n
	}
	return int(axis), nil
}

func splitShape(c *shape.Context) error {
	in := c.Input(1)
	axis := c.TryDim(c.AxisFrom(0, in))
	if axis == shape.Unknown {
		if in.Known() {
			c.SetOutputs(shape.OfRank(in.Rank()))
		}
		return c.Err()
	}
	if in.Known() {
		part := c.TryDim(shape.DivDimsEvenly(in.Dim(int(axis)), int64(c.NumOutputs())))
		c.SetOutputs(in.ReplaceDim(int(axis), part))
	}
	return c.Err()
}

// splitVShape takes the last dimension where the sizes are known and the axis
// is not, as TensorFlow does.
func splitVShape(c *shape.Context) error {
	in := c.Input(0)
	axis := c.TryDim(c.AxisFrom(2, in))
	sizes, ok := c.ConstInts(1)
	switch {
	case c.Err() != nil || !in.Known():
		return c.Err()
	case in.Rank() == 0:
		return status.Invalid("Can't split scalars")
	case !ok && axis == shape.Unknown:
		c.SetOutputs(shape.OfRank(in.Rank()))
		return nil
	case !ok:
		c.SetOutputs(in.ReplaceDim(int(axis), shape.Unknown))
		return nil
	case len(sizes) != c.NumOutputs():
		return status.Invalid("Length of size_splits should be equal to num_outputs")
	}
	whole := in.Dim(int(axis))
	total, rest := int64(0), -1
	for i, n := range sizes {
		switch {
		case n < -1:
			return status.Invalid("Split size at index %d must be >= 0. Got: %d", i, n)
		case n >= 0:
			total = c.TryDim(shape.AddDims(total, n))
		case rest >= 0:
			return status.Invalid("size_splits can only have one -1")
		default:
			rest = i
		}
	}
	if whole != shape.Unknown && total != shape.Unknown && (rest < 0 && total != whole || total > whole) {
		return status.Invalid("can't split axis of size %d into pieces of size %v", whole, shape.Of(sizes...))
	}
	for i, n := range sizes {
		if i == rest {
			n = c.TryDim(shape.SubDims(whole, total))
		}
		c.SetOutput(i, in.ReplaceDim(int(axis), n))
	}
	return c.Err()
}

func dynamicPartitionShape(c *shape.Context) error {
	data, partitions := c.Input(0), c.Input(1)
	if _, _, err := shape.MergePrefix(data, partitions); err != nil {
		return err
	}
	if partitions.Known() {
		c.SetOutputs(c.Try(shape.Concat(shape.Of(shape.Unknown), data.From(partitions.Rank()))))
	}
	return c.Err()
}

// dynamicStitchShape knows the first dimension if it knows all indices.
func dynamicStitchShape(c *shape.Context) error {
	n := c.NumInputs() / 2
	var rest shape.Shape
	size := int64(0)
	for i := range n {
		indices, data := c.Input(i), c.Input(n+i)
		if at, ok := c.ConstInts(i); ok && size != shape.Unknown {
			for _, k := range at {
				size = max(size, c.TryDim(shape.AddDims(max(k, -1), 1)))
			}
		} else {
			size = shape.Unknown
		}
		if !indices.Known() {
			continue
		}
		if _, _, err := shape.MergePrefix(data, indices); err != nil {
			return err
		}
		rest = c.Try(shape.Merge(rest, data.From(indices.Rank())))
	}
	c.SetOutput(0, c.Try(shape.Concat(shape.Of(size), rest)))
	return c.Err()
}
