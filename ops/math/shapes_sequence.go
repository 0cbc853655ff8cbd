package math

import (
	"github.com/troupe-go/troupe/shape"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

func init() {
	shape.Register(rangeShape, "Range")
	shape.Register(linSpaceShape, "LinSpace")
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

// constFloats returns the first three inputs, if they are floats and known.
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
