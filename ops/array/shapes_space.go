package array

import (
	"github.com/troupe-go/troupe/shape"
	"github.com/troupe-go/troupe/status"
)

func init() {
	shape.Register(spaceToBatchNDShape, "SpaceToBatchND")
	shape.Register(batchToSpaceNDShape, "BatchToSpaceND")
	shape.Register(spaceToBatchShape, "SpaceToBatch")
	shape.Register(batchToSpaceShape, "BatchToSpace")
	shape.Register(spaceToDepthShape, "SpaceToDepth")
	shape.Register(depthToSpaceShape, "DepthToSpace")
	shape.Register(extractImagePatchesShape, "ExtractImagePatches")
	shape.Register(extractVolumePatchesShape, "ExtractVolumePatches")
}

// blocks is how space is exchanged for batch: the block sizes of as many
// dimensions behind the batch, and the padding or cropping of each; nil where
// they are not known.
type blocks struct {
	n     int
	rank  int // of the input, if it is to have just that
	sizes []int64
	pads  []int64 // before and after each
}

func blocksND(c *shape.Context) (blocks, error) {
	sizes := c.Try(c.Input(1).WithRank(1))
	n := sizes.Dim(0)
	if err := c.Err(); err != nil {
		return blocks{}, err
	}
	if n == shape.Unknown {
		return blocks{}, status.Invalid("block_shape must have known size.")
	}
	if n > maxBlocked {
		return blocks{}, status.Invalid("block_shape has %d elements, more than the %d dimensions there can be", n, maxBlocked)
	}
	c.Try(shape.Merge(c.Input(2), shape.Of(n, 2)))
	b := blocks{n: int(n)}
	if v, ok := c.ConstInts(1); ok && len(v) == b.n {
		b.sizes = v
	}
	b.pads = padsFrom(c, 2, b.n)
	return b, c.Err()
}

// maxBlocked is more dimensions than a tensor has behind its batch.
const maxBlocked = 253

func padsFrom(c *shape.Context, i, n int) []int64 {
	if v, ok := c.ConstInts(i); ok && len(v) == 2*n {
		return v
	}
	return nil
}

// square is blocks of two dimensions of one size, which an attribute gives.
func square(c *shape.Context) (blocks, error) {
	size := c.Int("block_size")
	c.Try(shape.Merge(c.Input(1), shape.Of(2, 2)))
	return blocks{n: 2, rank: 4, sizes: []int64{size, size}, pads: padsFrom(c, 1, 2)}, c.Err()
}

func spaceToBatchNDShape(c *shape.Context) error {
	b, err := blocksND(c)
	if err != nil {
		return err
	}
	return b.intoBatch(c)
}

func batchToSpaceNDShape(c *shape.Context) error {
	b, err := blocksND(c)
	if err != nil {
		return err
	}
	return b.outOfBatch(c)
}

func spaceToBatchShape(c *shape.Context) error {
	b, err := square(c)
	if err != nil {
		return err
	}
	return b.intoBatch(c)
}

func batchToSpaceShape(c *shape.Context) error {
	b, err := square(c)
	if err != nil {
		return err
	}
	return b.outOfBatch(c)
}

func (b blocks) check(pads string) error {
	for i, n := range b.sizes {
		if n < 1 {
			return status.Invalid("block_shape[%d] must be >= 1, but is %d", i, n)
		}
	}
	for _, n := range b.pads {
		if n < 0 {
			return status.Invalid("%s cannot be negative", pads)
		}
	}
	return nil
}

func (b blocks) input(c *shape.Context) shape.Shape {
	if b.rank > 0 {
		return c.Try(c.Input(0).WithRank(b.rank))
	}
	return c.Try(c.Input(0).WithRankAtLeast(b.n + 1))
}

func (b blocks) intoBatch(c *shape.Context) error {
	in := b.input(c)
	if err := b.check("paddings"); err != nil {
		return err
	}
	if c.Err() != nil || !in.Known() {
		return c.Err()
	}
	dims := make([]int64, b.n+1)
	dims[0] = in.Dim(0)
	if b.sizes == nil && b.n > 0 {
		dims[0] = shape.Unknown
	}
	for i := range b.n {
		dims[i+1] = shape.Unknown
		if b.sizes == nil {
			continue
		}
		dims[0] = c.TryDim(shape.MulDims(dims[0], b.sizes[i]))
		if b.pads != nil {
			d := c.TryDim(shape.AddDims(in.Dim(i+1), b.pads[2*i]))
			d = c.TryDim(shape.AddDims(d, b.pads[2*i+1]))
			dims[i+1] = c.TryDim(shape.DivDimsEvenly(d, b.sizes[i]))
		}
	}
	c.SetOutput(0, c.Try(shape.Concat(shape.Of(dims...), in.From(b.n+1))))
	return c.Err()
}

func (b blocks) outOfBatch(c *shape.Context) error {
	in := b.input(c)
	if err := b.check("crops"); err != nil {
		return err
	}
	if c.Err() != nil || !in.Known() {
		return c.Err()
	}
	dims := make([]int64, b.n+1)
	dims[0] = in.Dim(0)
	if b.sizes == nil && b.n > 0 {
		dims[0] = shape.Unknown
	}
	for i := range b.n {
		dims[i+1] = shape.Unknown
		if b.sizes == nil {
			continue
		}
		dims[0] = c.TryDim(shape.DivDimsEvenly(dims[0], b.sizes[i]))
		if b.pads != nil {
			d := c.TryDim(shape.MulDims(in.Dim(i+1), b.sizes[i]))
			d = c.TryDim(shape.SubDims(d, b.pads[2*i]))
			dims[i+1] = c.TryDim(shape.SubDims(d, b.pads[2*i+1]))
		}
	}
	c.SetOutput(0, c.Try(shape.Concat(shape.Of(dims...), in.From(b.n+1))))
	return c.Err()
}

// spaceToDepthShape divides height and width by the block size.
func spaceToDepthShape(c *shape.Context) error {
	size := c.Int("block_size")
	return moveDepth(c, func(d int64) (int64, error) { return shape.DivDimsEvenly(d, size) },
		func(d, area int64) (int64, error) { return shape.MulDims(d, area) })
}

// depthToSpaceShape multiplies them.
func depthToSpaceShape(c *shape.Context) error {
	size := c.Int("block_size")
	return moveDepth(c, func(d int64) (int64, error) { return shape.MulDims(d, size) },
		func(d, area int64) (int64, error) { return shape.DivDimsEvenly(d, area) })
}

func moveDepth(c *shape.Context, side func(d int64) (int64, error), depth func(d, area int64) (int64, error)) error {
	f, err := shape.FormatOf(c.Str("data_format"), 2)
	if err != nil {
		return err
	}
	in := c.Try(c.Input(0).WithRank(f.Rank()))
	area := c.TryDim(shape.MulDims(c.Int("block_size"), c.Int("block_size")))
	for i := range 2 {
		in = in.ReplaceDim(f.Spatial+i, c.TryDim(side(in.Dim(f.Spatial+i))))
	}
	if f.Inner > 1 {
		in = in.ReplaceDim(-1, int64(f.Inner))
	}
	c.SetOutput(0, in.ReplaceDim(f.Channel, c.TryDim(depth(in.Dim(f.Channel), area))))
	return c.Err()
}

// extractImagePatchesShape puts each patch into the depth of a pixel. It knows
// both sides of the result or neither.
func extractImagePatchesShape(c *shape.Context) error {
	in := c.Try(c.Input(0).WithRank(4))
	if c.Err() != nil {
		return c.Err()
	}
	sizes, strides, rates := c.Ints("ksizes"), c.Ints("strides"), c.Ints("rates")
	for _, list := range [][]int64{sizes, strides, rates} {
		if len(list) != 4 {
			return status.Invalid("ExtractImagePatches requires the ksizes, strides and rates attributes to contain 4 values, but got %d", len(list))
		}
	}
	known := in.Sub(1, 3).Full()
	for i := 1; i <= 2; i++ {
		d := shape.Unknown
		if known {
			w := shape.Window{Size: sizes[i], Stride: strides[i], Dilation: rates[i], Padding: c.Str("padding")}
			d = c.TryDim(w.Positions(in.Dim(i)))
		}
		in = in.ReplaceDim(i, d)
	}
	area := c.TryDim(shape.MulDims(sizes[1], sizes[2]))
	if depth := in.Dim(3); area < 0 && depth > 0 {
		return status.Invalid("Negative dimension size caused by overflow when multiplying %d and %d", depth, area)
	}
	c.SetOutput(0, in.ReplaceDim(3, c.TryDim(shape.MulDims(in.Dim(3), area))))
	return c.Err()
}

// extractVolumePatchesShape puts each patch into the depth of a point.
func extractVolumePatchesShape(c *shape.Context) error {
	in := c.Try(c.Input(0).WithRank(5))
	sizes, strides := c.Ints("ksizes"), c.Ints("strides")
	if len(sizes) != 5 || len(strides) != 5 {
		return status.Invalid("ExtractVolumePatches requires the ksizes and strides attributes to contain 5 values, but got %d and %d", len(sizes), len(strides))
	}
	area := int64(1)
	for i := 1; i <= 3; i++ {
		w := shape.Window{Size: sizes[i], Stride: strides[i], Dilation: 1, Padding: c.Str("padding")}
		in = in.ReplaceDim(i, c.TryDim(w.Positions(in.Dim(i))))
		area = c.TryDim(shape.MulDims(area, sizes[i]))
	}
	c.SetOutput(0, in.ReplaceDim(4, c.TryDim(shape.MulDims(in.Dim(4), area))))
	return c.Err()
}
