package shape

import (
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

// Attributes have been checked against the definition and defaults filled in,
// so these answer the zero value only for one that the definition lacks.

var noAttr registry.AttrValue

func (c *Context) attr(name string) *registry.AttrValue {
	if v := c.Attrs.Find(name); v != nil {
		return v
	}
	return &noAttr
}

// Type returns a type attribute.
func (c *Context) Type(name string) tensor.DType { return c.attr(name).Type }

// Int returns an int attribute.
func (c *Context) Int(name string) int64 { return c.attr(name).I }

// Int32 returns an int attribute, which must fit 32 bits. One that does not is an
// error that sticks.
func (c *Context) Int32(name string) int64 {
	v := c.Int(name)
	if v != int64(int32(v)) {
		c.Fail(status.Invalid("Attr %s has value %d out of range for an int32", name, v))
		return 0
	}
	return v
}

// DimAttr returns an int attribute that is a dimension. It fails if it is negative.
func (c *Context) DimAttr(name string) (int64, error) {
	d := c.Int(name)
	if d < 0 {
		return Unknown, status.Invalid("attr '%s' must be non-negative but is %d", name, d)
	}
	return d, nil
}

// Bool returns a bool attribute.
func (c *Context) Bool(name string) bool { return c.attr(name).B }

// Str returns a string attribute.
func (c *Context) Str(name string) string { return c.attr(name).S }

// Tensor returns a tensor attribute; nil without it.
func (c *Context) Tensor(name string) *tensor.Tensor { return c.attr(name).Tensor }

// Ints returns a list(int) attribute.
func (c *Context) Ints(name string) []int64 {
	list := c.attr(name).List
	out := make([]int64, len(list))
	for i := range list {
		out[i] = list[i].I
	}
	return out
}

// Ints32 returns a list(int) attribute, whose elements must fit 32 bits. One that
// does not is an error that sticks.
func (c *Context) Ints32(name string) []int64 {
	out := c.Ints(name)
	for _, v := range out {
		if v != int64(int32(v)) {
			c.Fail(status.Invalid("Attr %s has value %d out of range for an int32", name, v))
			return make([]int64, len(out))
		}
	}
	return out
}

// Floats returns a list(float) attribute.
func (c *Context) Floats(name string) []float32 {
	list := c.attr(name).List
	out := make([]float32, len(list))
	for i := range list {
		out[i] = list[i].F
	}
	return out
}

// Strs returns a list(string) attribute.
func (c *Context) Strs(name string) []string {
	list := c.attr(name).List
	out := make([]string, len(list))
	for i := range list {
		out[i] = list[i].S
	}
	return out
}

// Types returns a list(type) attribute.
func (c *Context) Types(name string) []tensor.DType {
	list := c.attr(name).List
	out := make([]tensor.DType, len(list))
	for i := range list {
		out[i] = list[i].Type
	}
	return out
}

// Shape returns a shape attribute, of unknown rank without it. An impossible one
// is an error that sticks.
func (c *Context) Shape(name string) Shape {
	v := c.Attrs.Find(name)
	if v == nil || v.Kind != registry.KindShape {
		return Shape{}
	}
	return c.tryAttr(name, v.Shape)
}

// Shapes returns a list(shape) attribute.
func (c *Context) Shapes(name string) []Shape {
	list := c.attr(name).List
	out := make([]Shape, len(list))
	for i := range list {
		out[i] = c.tryAttr(name, list[i].Shape)
	}
	return out
}

func (c *Context) tryAttr(name string, s registry.Shape) Shape {
	if err := CheckAttr(s); err != nil {
		c.Fail(status.Invalid("attr '%s': %s", name, status.From(err).Message))
		return Shape{}
	}
	return FromAttr(s)
}

// CheckAttr reports whether a tensor can have the shape that an attribute holds:
// no dimension below -1, a rank and a number of elements within bounds.
func CheckAttr(s registry.Shape) error {
	if s.Unknown {
		return nil
	}
	return checkDims(s.Dims)
}
