package shape

import (
	"math"

	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

// Value is the value of input i if it can be worked out before the graph runs,
// else nil.
func (c *Context) Value(i int) *tensor.Tensor {
	if c.Constant == nil || i < 0 || i >= len(c.Inputs) {
		return nil
	}
	return c.Constant(i)
}

// ConstInts is the elements of input i, a tensor of integers, if they can be
// worked out; not to be written.
func (c *Context) ConstInts(i int) (elements []int64, ok bool) { return integers(c.Value(i)) }

// ConstInt is the value of input i, an integer scalar (or a vector of one), if
// it can be worked out.
func (c *Context) ConstInt(i int) (value int64, ok bool) {
	if v, ok := c.ConstInts(i); ok && len(v) == 1 {
		return v[0], true
	}
	return 0, false
}

// integers is the elements of an integer tensor.
func integers(t *tensor.Tensor) ([]int64, bool) {
	if t == nil {
		return nil, false
	}
	switch t.DType() {
	case tensor.Int64:
		return elements[int64](t), true
	case tensor.Int32:
		return widen[int32](t), true
	case tensor.Uint8:
		return widen[uint8](t), true
	case tensor.Int8:
		return widen[int8](t), true
	case tensor.Int16:
		return widen[int16](t), true
	case tensor.Uint16:
		return widen[uint16](t), true
	case tensor.Uint32:
		return widen[uint32](t), true
	}
	return nil, false
}

func elements[T tensor.Element](t *tensor.Tensor) []T {
	v := tensor.ValueOf(t)
	return tensor.Of[T](&v)
}

func widen[T ~int8 | ~int16 | ~int32 | ~uint8 | ~uint16 | ~uint32](t *tensor.Tensor) []int64 {
	from := elements[T](t)
	to := make([]int64, len(from))
	for i, x := range from {
		to[i] = int64(x)
	}
	return to
}

// DimFrom is the dimension that input i gives, an integer scalar; Unknown if
// its value is not known.
func (c *Context) DimFrom(i int) (int64, error) {
	if s := c.Input(i); s.known && len(s.dims) != 0 {
		return Unknown, status.Invalid("Input must be scalar but has rank %d", len(s.dims))
	}
	d, ok := c.ConstInt(i)
	if !ok {
		return Unknown, nil
	}
	if d < 0 {
		return Unknown, status.Invalid("Dimension size, given by scalar input %d, must be non-negative but is %d", i, d)
	}
	return d, nil
}

// ShapeFrom is the shape that input i gives: a vector of integers where -1 is
// an unknown dimension, or the scalar -1 for an unknown rank. As much is known
// of it as of the input's value and shape.
func (c *Context) ShapeFrom(i int) (Shape, error) {
	in := c.Input(i)
	if in.known && len(in.dims) == 0 {
		// A scalar must be -1.
		d, ok := c.ConstInt(i)
		if ok && d != Unknown {
			return Shape{}, status.Invalid("Input tensor must be rank 1, or if its rank 0 it must have value -1 (representing an unknown shape). Saw value: %d", d)
		}
		return Shape{}, nil
	}
	in, err := in.WithRank(1)
	if err != nil {
		return Shape{}, err
	}
	var out Shape
	switch v, ok := c.ConstInts(i); {
	case ok:
		if out, err = FromVector(v); err != nil {
			return Shape{}, err
		}
	case c.ConstantShape != nil:
		out = c.ConstantShape(i)
	}
	if out.known || in.dims[0] == Unknown {
		return out, nil
	}
	if in.dims[0] > tensor.MaxRank {
		return Shape{}, rankError(int(min(in.dims[0], math.MaxInt32)))
	}
	return OfRank(int(in.dims[0])), nil
}

// FromVector is the shape with these dimensions, where -1 is an unknown one. It
// fails if no tensor can have it.
func FromVector(dims []int64) (Shape, error) {
	if err := checkDims(dims); err != nil {
		return Shape{}, err
	}
	return Of(dims...), nil
}

// checkDims says whether a tensor can have these dimensions, where -1 is an
// unknown one.
func checkDims(dims []int64) error {
	if len(dims) > tensor.MaxRank {
		return rankError(len(dims))
	}
	n := int64(1)
	for i, d := range dims {
		switch {
		case d < Unknown:
			return status.Invalid("Dimension %d of a shape must be >= -1, but is %d", i, d)
		case d <= 1:
		case n > math.MaxInt64/d:
			return status.Invalid("Shape %v has more elements than fit in 63 bits", Of(dims...))
		default:
			n *= d
		}
	}
	return nil
}

// AxisFrom is the dimension of s that input i names, an integer scalar;
// negative ones count from the end. It is Unknown if its value is not known, or
// is negative where the rank of s is not known.
func (c *Context) AxisFrom(i int, s Shape) (int64, error) {
	if in := c.Input(i); in.known && len(in.dims) != 0 {
		return Unknown, status.Invalid("Input must be scalar but has rank %d", len(in.dims))
	}
	d, ok := c.ConstInt(i)
	rank := int64(len(s.dims))
	switch {
	case !ok || d < 0 && !s.known:
		return Unknown, nil
	case !s.known:
		return d, nil
	case d < -rank || d >= rank:
		return Unknown, status.Invalid("Dimension size, given by scalar input %d must be in range [%d, %d)", d, -rank, rank)
	case d < 0:
		d += rank
	}
	return d, nil
}
