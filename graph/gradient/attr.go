package gradient

import (
	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/tensor"
)

// The accessors of attributes are those of shape.Context: of an attribute that the
// node does not have, or that is of another type, they give the zero value.

func (c *Context) attr(name string) *registry.AttrValue {
	if v := c.setting.Node.Attrs().Find(name); v != nil {
		return v
	}
	return &registry.AttrValue{}
}

// Type returns the value of a type attribute.
func (c *Context) Type(name string) tensor.DType { return c.attr(name).Type }

// Int returns the value of an integer attribute.
func (c *Context) Int(name string) int64 { return c.attr(name).I }

// Float returns the value of a float attribute.
func (c *Context) Float(name string) float32 { return c.attr(name).F }

// Bool returns the value of a boolean attribute.
func (c *Context) Bool(name string) bool { return c.attr(name).B }

// Str returns the value of a string attribute.
func (c *Context) Str(name string) string { return c.attr(name).S }

// Ints returns the value of an attribute that is a list of integers.
func (c *Context) Ints(name string) []int64 {
	var list []int64
	for _, v := range c.attr(name).List {
		list = append(list, v.I)
	}
	return list
}

// Attrs is attributes of the node, to be given to another one: those of these
// names, without those that the node does not have.
func (c *Context) Attrs(names ...string) graph.Attrs {
	attrs := graph.Attrs{}
	for _, name := range names {
		if v := c.setting.Node.Attrs().Find(name); v != nil {
			attrs[name] = *v
		}
	}
	return attrs
}
