package array

import (
	"math"

	"github.com/troupe-go/troupe/shape"
	"github.com/troupe-go/troupe/status"
)

func init() {
	shape.Register(reshapeShape, "Reshape")
	shape.Register(expandDimsShape, "ExpandDims")
	shape.Register(squeezeShape, "Squeeze")
	shape.Register(transposeShape, "Transpose", "ConjugateTranspose")
	shape.Register(broadcastToShape, "BroadcastTo")
	shape.Register(tileShape, "Tile")
	shape.Register(shape.UnknownOutputs, "TileGrad")
	shape.Register(padShape, "Pad", "PadV2", "MirrorPad")
	shape.Register(padGradShape, "MirrorPadGrad")
	shape.Register(reverseShape, "Reverse")
	shape.Register(reverseV2Shape, "ReverseV2")
	shape.Register(reverseSequenceShape, "ReverseSequence")
	shape.Register(rollShape, "Roll")
	shape.Register(shape.UnchangedRank(1), "InvertPermutation")
}

// reshapeShape works out the one unknown dimension of the result, if there is
// one and the elements tell.
func reshapeShape(c *shape.Context) error {
	in, out := c.Input(0), c.Try(c.ShapeFrom(1))
	c.SetOutput(0, out)
	if c.Err() != nil || !in.Known() || !out.Known() {
		return c.Err()
	}
	have, inGaps := knownElements(c, in)
	want, outGaps := knownElements(c, out)
	switch {
	case c.Err() != nil || len(inGaps) > 1 || len(outGaps) > 1:
	case len(inGaps) == 0 && len(outGaps) == 0:
		if have != want {
			return status.Invalid("Cannot reshape a tensor with %d elements to shape %v (%d elements)", have, out, want)
		}
	case len(inGaps) == 0:
		if want > 0 {
			c.SetOutput(0, out.ReplaceDim(outGaps[0], c.TryDim(shape.DivDimsEvenly(have, want))))
		}
	case len(outGaps) == 0:
		if have > 0 {
			c.TryDim(shape.DivDimsEvenly(want, have))
		}
	}
	return c.Err()
}

// knownElements returns the product of the known dimensions and where the unknown
// ones are. A dimension of 0 leaves nothing unknown.
func knownElements(c *shape.Context, s shape.Shape) (product int64, gaps []int) {
	product = 1
	for i, d := range s.Dims() {
		switch d {
		case 0:
			return 0, nil
		case shape.Unknown:
			gaps = append(gaps, i)
		default:
			product = c.TryDim(shape.MulDims(product, d))
		}
	}
	return product, gaps
}

func expandDimsShape(c *shape.Context) error {
	in := c.Input(0)
	at, ok := c.ConstInts(1)
	switch {
	case !ok:
		return nil
	case len(at) != 1:
		return status.Invalid("'dim' input must be a tensor with a single value, but has %d elements", len(at))
	case !in.Known():
		return nil
	}
	rank := int64(in.Rank())
	dim := at[0]
	if dim < -1-rank || dim > rank {
		return status.Invalid("dim %d not in the interval [%d, %d].", dim, -1-rank, rank)
	}
	if dim < 0 {
		dim += rank + 1
	}
	c.SetOutput(0, c.Try(in.Insert(int(dim), 1)))
	return c.Err()
}

// squeezeShape takes away the dimensions that the attribute names, or, if it
// names none, those of 1.
func squeezeShape(c *shape.Context) error {
	in := c.Input(0)
	if !in.Known() {
		return nil
	}
	named := c.Ints("squeeze_dims")
	rank := int64(in.Rank())
	drop := make([]bool, rank)
	for k, i := range named {
		if i < -rank || i >= rank {
			return status.Invalid("squeeze_dims[%d] not in [%d,%d).", k, -rank, rank)
		}
		if i < 0 {
			i += rank
		}
		drop[i] = true
		if d := in.Dim(int(i)); d != 1 && d != shape.Unknown {
			return status.Invalid("Can not squeeze dim[%d], expected a dimension of 1, got %d", i, d)
		}
	}
	dims := make([]int64, 0, rank)
	for i, d := range in.Dims() {
		switch {
		case len(named) == 0 && d == shape.Unknown:
			return nil
		case drop[i] || len(named) == 0 && d == 1:
		default:
			dims = append(dims, d)
		}
	}
	c.SetOutput(0, shape.Of(dims...))
	return nil
}

func transposeShape(c *shape.Context) error {
	in, operand := c.Input(0), c.Input(1)
	perm, ok := c.ConstInts(1)
	if !in.Known() {
		n, err := operand.NumElements()
		if err != nil || n < 2 { // a permutation of one element may be that of a scalar
			return err
		}
		if in, err = in.WithRank(int(min(n, math.MaxInt32))); err != nil {
			return err
		}
	}
	operand = c.Try(operand.WithRank(1))
	c.TryDim(shape.WithValue(operand.Dim(0), int64(in.Rank())))
	if c.Err() != nil {
		return c.Err()
	}
	if !ok {
		c.SetOutput(0, shape.OfRank(in.Rank()))
		return nil
	}
	rank := int64(in.Rank())
	dims := make([]int64, rank)
	for i, p := range perm {
		if p < -rank || p >= rank {
			return status.Invalid("perm dim %d is out of range of input rank %d", p, rank)
		}
		dims[i] = in.Dim(int(p))
	}
	c.SetOutput(0, shape.Of(dims...))
	return nil
}

func broadcastToShape(c *shape.Context) error {
	in, out := c.Input(0), c.Try(c.ShapeFrom(1))
	if in.Known() && out.Known() {
		c.Try(in.WithRankAtMost(out.Rank()))
		for i := 1; c.Err() == nil && i <= in.Rank(); i++ {
			if d := in.Dim(-i); d > 1 {
				out = out.ReplaceDim(-i, c.TryDim(shape.MergeDims(d, out.Dim(-i))))
			}
		}
	}
	c.SetOutput(0, out)
	return c.Err()
}

func tileShape(c *shape.Context) error {
	in, multiples := c.Input(0), c.Try(c.ShapeFrom(1))
	if in.Known() {
		multiples = c.Try(multiples.WithRank(in.Rank()))
		c.Try(shape.Merge(c.Input(1), shape.Of(int64(in.Rank()))))
	} else if multiples.Known() {
		in = c.Try(in.WithRank(multiples.Rank()))
	}
	if c.Err() != nil || !in.Known() {
		return c.Err()
	}
	dims := make([]int64, in.Rank())
	for i := range dims {
		dims[i] = c.TryDim(shape.MulDims(in.Dim(i), multiples.Dim(i)))
	}
	c.SetOutput(0, shape.Of(dims...))
	return c.Err()
}

// padShape and padGradShape take input 1 as a matrix with the paddings before
// and after each dimension.
func padShape(c *shape.Context) error { return padded(c, shape.AddDims) }

// padGradShape learns the rank from the paddings only.
func padGradShape(c *shape.Context) error {
	operand := c.Try(c.Input(1).WithRank(2))
	if operand.Dim(0) == shape.Unknown {
		return c.Err()
	}
	return padded(c, shape.SubDims)
}

func padded(c *shape.Context, apply func(dim, by int64) (int64, error)) error {
	in := c.Input(0)
	operand := c.Try(c.Input(1).WithRank(2))
	c.TryDim(shape.WithValue(operand.Dim(1), 2))
	if n := operand.Dim(0); n != shape.Unknown {
		in = c.Try(in.WithRank(int(n)))
	}
	paddings, ok := c.ConstInts(1)
	switch {
	case c.Err() != nil || !in.Known():
		return c.Err()
	case !ok || len(paddings) != 2*in.Rank():
		c.SetOutput(0, shape.OfRank(in.Rank()))
		return nil
	}
	dims := make([]int64, in.Rank())
	for i, d := range in.Dims() {
		before, after := paddings[2*i], paddings[2*i+1]
		if before < 0 || after < 0 {
			return status.Invalid("Paddings must be non-negative")
		}
		d = c.TryDim(apply(d, before))
		dims[i] = c.TryDim(apply(d, after))
	}
	c.SetOutput(0, shape.Of(dims...))
	return c.Err()
}

// maxReversed is the largest rank that the reversing operations take.
const maxReversed = 8

func reverseShape(c *shape.Context) error {
	in := c.Input(0)
	if n := c.Try(c.Input(1).WithRank(1)).Dim(0); n != shape.Unknown {
		in = c.Try(in.WithRank(int(n)))
	}
	if in.Rank() > maxReversed {
		return status.Invalid("reverse does not work on tensors with more than %d dimensions", maxReversed)
	}
	c.SetOutput(0, in)
	return c.Err()
}

func reverseV2Shape(c *shape.Context) error {
	in := c.Input(0)
	c.Try(c.Input(1).WithRank(1))
	if in.Rank() > maxReversed {
		return status.Invalid("reverse does not work on tensors with more than %d dimensions", maxReversed)
	}
	if axes, ok := c.ConstInts(1); ok && in.Known() {
		rank := int64(in.Rank())
		seen := make([]bool, rank)
		for k, a := range axes {
			i := a
			if i < 0 {
				i += rank
			}
			if i < 0 || i >= rank {
				return status.Invalid("'axis'[%d] = %d is out of valid range [0, %d]", k, a, rank-1)
			}
			if seen[i] {
				return status.Invalid("axis %d specified more than once.", i)
			}
			seen[i] = true
		}
	}
	c.SetOutput(0, in)
	return c.Err()
}

func reverseSequenceShape(c *shape.Context) error {
	in, lengths := c.Input(0), c.Try(c.Input(1).WithRank(1))
	if c.Err() != nil || !in.Known() {
		return c.Err()
	}
	batch, seq, rank := c.Int("batch_dim"), c.Int("seq_dim"), int64(in.Rank())
	switch {
	case batch < 0 || batch >= rank:
		return status.Invalid("batch_dim must be < input rank: %d vs. %d", batch, rank)
	case seq >= rank:
		return status.Invalid("seq_dim must be < input rank: %d vs. %d", seq, rank)
	}
	d := c.TryDim(shape.MergeDims(in.Dim(int(batch)), lengths.Dim(0)))
	c.SetOutput(0, in.ReplaceDim(int(batch), d))
	return c.Err()
}

func rollShape(c *shape.Context) error {
	c.SetOutput(0, c.Try(c.Input(0).WithRankAtLeast(1)))
	c.Try(c.Input(1).WithRankAtMost(1))
	c.Try(c.Input(2).WithRankAtMost(1))
	c.Try(shape.Merge(c.Input(1), c.Input(2)))
	return c.Err()
}
