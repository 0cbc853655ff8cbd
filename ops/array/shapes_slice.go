package array

import (
	"github.com/troupe-go/troupe/shape"
	"github.com/troupe-go/troupe/status"
)

func init() {
	shape.Register(sliceShape, "Slice")
	shape.Register(stridedSliceShape, "StridedSlice")
	shape.Register(shape.FromValue(0), "StridedSliceGrad")
	shape.Register(shape.Unchanged, "TensorStridedSliceUpdate")
}

func sliceShape(c *shape.Context) error {
	in := c.Input(0)
	operands := c.Try(shape.Merge(c.Try(c.Input(1).WithRank(1)), c.Try(c.Input(2).WithRank(1))))
	if n := operands.Dim(0); n != shape.Unknown {
		in = c.Try(in.WithRank(int(n)))
	} else if in.Known() {
		c.Try(operands.WithDim(0, int64(in.Rank())))
	}
	if err := c.Err(); err != nil || !in.Known() {
		return err
	}
	dims := make([]int64, in.Rank())
	begin, haveBegin := c.ConstInts(1)
	haveBegin = haveBegin && len(begin) == len(dims)
	sizes, haveSizes := c.ConstInts(2)
	if !haveSizes || len(sizes) != len(dims) {
		c.SetOutput(0, c.Try(c.ShapeFrom(2)))
		if !c.Output(0).Known() || c.Output(0).Rank() != len(dims) {
			c.SetOutput(0, shape.OfRank(len(dims)))
		}
		return c.Err()
	}
	for i, n := range sizes {
		switch {
		case n < -1:
			return status.Invalid("Expected size[%d] >= -1, but got %d", i, n)
		case haveBegin && begin[i] < 0:
			return status.Invalid("Expected begin[%d] >= 0, but got %d", i, begin[i])
		case haveBegin && n == -1:
			n = c.TryDim(shape.SubDims(in.Dim(i), begin[i]))
		case haveBegin:
			rest := c.TryDim(shape.SubDims(in.Dim(i), begin[i]))
			c.TryDim(shape.SubDims(rest, n))
		}
		dims[i] = n
	}
	c.SetOutput(0, shape.Of(dims...))
	return c.Err()
}

func stridedSliceShape(c *shape.Context) error {
	operands := c.Try(c.Input(1).WithRank(1))
	operands = c.Try(shape.Merge(c.Try(c.Input(2).WithRank(1)), operands))
	c.Try(shape.Merge(c.Try(c.Input(3).WithRank(1)), operands))
	strides, ok := c.ConstInts(3)
	if c.Err() != nil || !ok || !c.Input(0).Known() {
		return c.Err()
	}
	spec := shape.StridedSpec{
		Strides:   strides,
		BeginMask: c.Int("begin_mask"), EndMask: c.Int("end_mask"), EllipsisMask: c.Int("ellipsis_mask"),
		NewAxisMask: c.Int("new_axis_mask"), ShrinkMask: c.Int("shrink_axis_mask"),
	}
	if begin, ok := c.ConstInts(1); ok {
		spec.Begin = begin
	}
	if end, ok := c.ConstInts(2); ok {
		spec.End = end
	}
	s, err := spec.Apply(c.Input(0))
	c.SetOutput(0, s.Shape)
	return err
}
