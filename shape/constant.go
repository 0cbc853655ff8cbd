package shape

import (
	"math"

	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

// Value returns the value of input i if it can be worked out before the graph runs,
// else nil.
func (c *Context) Value(i int) *tensor.Tensor {
	if c.Constant == nil || i < 0 || i >= len(c.Inputs) {
		return nil
	}
	return c.Constant(i)
}

// ConstInts returns the elements of input i, a tensor of integers, if they can be
// worked out; not to be written.
func (c *Context) ConstInts(i int) (elements []int64, ok bool) { return integers(c.Value(i)) }

// ConstInt returns the value of input i, an integer scalar (or a vector of one), if
// it can be worked out.
func (c *Context) ConstInt(i int) (value int64, ok bool) {
	if v, ok := c.ConstInts(i); ok && len(v) == 1 {
		return v[0], true
	}
	return 0, false
}

// PartialInts returns the elements of input i, a vector of integers, with which of them
// are known; those that are not have no meaning. Nil slices: nothing is known.
func (c *Context) PartialInts(i int) (elements []int64, known []bool) {
	if c.ConstantPart != nil {
		return c.ConstantPart(i)
	}
	elements, ok := c.ConstInts(i)
	if !ok {
		return nil, nil
	}
	known = make([]bool, len(elements))
	for k := range known {
		known[k] = true
	}
	return elements, known
}

// integers returns the elements of an integer tensor.
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

// DimFrom returns the dimension that input i gives; Unknown if its value is not
// known. A value that is no scalar is an error, even if it has one element.
func (c *Context) DimFrom(i int) (int64, error) {
	d, err := c.scalar(i)
	if err == nil && d != nil && *d < 0 {
		err = status.Invalid("Dimension size, given by scalar input %d, must be non-negative but is %d", i, *d)
	}
	if err != nil || d == nil {
		return Unknown, err
	}
	return *d, nil
}

// scalar returns the value of input i, nil if it is not known.
func (c *Context) scalar(i int) (*int64, error) {
	t := c.Value(i)
	if t == nil {
		return nil, nil
	}
	if n := len(t.Dims()); n != 0 {
		return nil, status.Invalid("Input must be scalar but has rank %d", n)
	}
	v, ok := integers(t)
	if !ok {
		return nil, status.Invalid("Scalar input for dim size must be int32 or int64")
	}
	return &v[0], nil
}

// ShapeOrUnknownFrom is [Context.ShapeFrom] where input i may also be the
// scalar -1, which means a shape of unknown rank.
func (c *Context) ShapeOrUnknownFrom(i int) (Shape, error) {
	if in := c.Input(i); !in.known || len(in.dims) != 0 {
		return c.ShapeFrom(i)
	}
	switch d, ok := c.ConstInt(i); {
	case !ok:
		return Shape{}, status.Invalid("Received a shape scalar with unknown static value.  A static value of '-1' is required to represent an unknown shape.")
	case d != Unknown:
		return Shape{}, status.Invalid("Input tensor must be rank 1, or if its rank 0 it must have value -1 (representing an unknown shape). Saw value: %d", d)
	}
	return Shape{}, nil
}

// ShapeFrom returns the shape that input i gives, a vector of integers where -1 is
// an unknown dimension. As much is known of it as of the input's value and
// shape.
func (c *Context) ShapeFrom(i int) (Shape, error) {
	in, err := c.Input(i).WithRank(1)
	if err != nil {
		return Shape{}, err
	}
	var out Shape
	switch v, ok := c.ConstInts(i); {
	case !ok && c.Value(i) != nil && c.Value(i).NumElements() > 0:
		return Shape{}, status.Invalid("Input tensor must be int32 or int64, but was %v", c.Value(i).DType())
	case ok:
		if out, err = FromVector(v); err == nil || c.ConstantShape == nil {
			return out, err
		}
		if out = c.ConstantShape(i); !out.known {
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

// FromVector returns the shape with these dimensions, where -1 is an unknown one. It
// fails if no tensor can have it.
func FromVector(dims []int64) (Shape, error) {
	if err := checkDims(dims); err != nil {
		return Shape{}, err
	}
	return Of(dims...), nil
}

// checkDims reports whether a tensor can have these dimensions, where -1 is an
// unknown one.
func checkDims(dims []int64) error {
	if len(dims) > tensor.MaxRank {
		return rankError(len(dims))
	}
	n := int64(1)
	for _, d := range dims {
		switch {
		case d < Unknown:
			return status.Invalid("Invalid value in tensor used for shape: %d", d)
		case d <= 1:
		case n > math.MaxInt64/d:
			return status.Invalid("Shape %v has more elements than fit in 63 bits", Of(dims...))
		default:
			n *= d
		}
	}
	return nil
}

// AxisFrom returns the dimension of s that input i names; negative ones count from
// the end. It is Unknown if its value is not known, or is negative where the
// rank of s is not known. A value that is no scalar is an error.
func (c *Context) AxisFrom(i int, s Shape) (int64, error) {
	value, err := c.scalar(i)
	if err != nil || value == nil {
		return Unknown, err
	}
	d, rank := *value, int64(len(s.dims))
	switch {
	case d < 0 && !s.known:
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
