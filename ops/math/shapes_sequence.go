package math

import (
	"github.com/troupe-go/troupe/shape"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

func init() {
	shape.Register(rangeShape, "Range")
	shape.Register(linSpaceShape, "LinSpace")
	shape.Register(raggedRangeShape, "RaggedRange")
	shape.Register(raggedGatherShape, "RaggedGather")
	shape.Register(shape.UnknownOutputs, "RaggedTensorToTensor")
	shape.Register(shape.Rule("dim: [] = d, num_results: [] = n, skip: [] -> samples: [n,d]"), "SobolSample")

	shape.Register(shape.UnchangedAtLeast(1), "FFT", "IFFT")
	shape.Register(shape.UnchangedAtLeast(2), "FFT2D", "IFFT2D")
	shape.Register(realFFT(1, true), "RFFT")
	shape.Register(realFFT(2, true), "RFFT2D")
	shape.Register(realFFT(3, true), "RFFT3D")
	shape.Register(realFFT(1, false), "IRFFT")
	shape.Register(realFFT(2, false), "IRFFT2D")
	shape.Register(realFFT(3, false), "IRFFT3D")
}

func rangeShape(c *shape.Context) error {
	n := shape.Unknown
	for i := range 3 {
		c.Try(c.Input(i).WithRank(0))
	}
	if c.Err() != nil {
		return c.Err()
	}
	start, ok := c.ConstInt(0)
	limit, ok2 := c.ConstInt(1)
	delta, ok3 := c.ConstInt(2)
	if ok && ok2 && ok3 {
		n = c.TryDim(shape.RangeSize(start, limit, delta))
	} else if floats, ok := constFloats(c); ok {
		n = c.TryDim(shape.RangeSizeFloat(floats[0], floats[1], floats[2]))
	}
	c.SetOutput(0, shape.Of(n))
	return c.Err()
}

// constFloats is the first three inputs, if they are floats and known.
func constFloats(c *shape.Context) (v [3]float64, ok bool) {
	for i := range v {
		if dt := c.InputType(i); dt != tensor.Float && dt != tensor.Double {
			return v, false
		}
		t := c.Value(i)
		if t == nil || t.NumElements() != 1 {
			return v, false
		}
		x := tensor.ValueOf(t)
		switch t.DType() {
		case tensor.Float:
			v[i] = float64(tensor.At0[float32](&x))
		case tensor.Double:
			v[i] = tensor.At0[float64](&x)
		default:
			return v, false
		}
	}
	return v, true
}

func linSpaceShape(c *shape.Context) error {
	c.Try(c.Input(0).WithRank(0))
	c.Try(c.Input(1).WithRank(0))
	c.Try(c.Input(2).WithRank(0))
	n := shape.Unknown
	if v, ok := c.ConstInt(2); ok {
		if v <= 0 {
			return status.Invalid("Requires num > 0: %d", v)
		}
		n = v
	}
	c.SetOutput(0, shape.Of(n))
	return c.Err()
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

// realFFT is for transforms of real numbers over the last dimensions, whose
// lengths input 1 gives. Forward, the last one keeps the half that tells all.
func realFFT(dims int, forward bool) shape.Func {
	return func(c *shape.Context) error {
		in := c.Try(c.Input(0).WithRankAtLeast(dims))
		lengths := c.Try(c.Input(1).WithRank(1))
		c.TryDim(shape.WithValue(lengths.Dim(0), int64(dims)))
		if c.Err() != nil {
			return c.Err()
		}
		lengths, err := c.ShapeFrom(1)
		if err != nil {
			return err
		}
		for i := range dims {
			d := lengths.Dim(i)
			if forward && i == dims-1 && d > 0 {
				d = d/2 + 1
			}
			in = in.ReplaceDim(i-dims, d)
		}
		c.SetOutput(0, in)
		return nil
	}
}
