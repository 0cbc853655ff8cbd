package kernel

import (
	"strings"

	"github.com/troupe-go/troupe/devices"
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/resource"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

// A Construction is what a Factory sees of its node. Attributes have been
// checked against the definition and defaults filled in, so the getters
// answer the zero value only for an attribute that the definition lacks.
type Construction struct {
	Node    string
	Op      *registry.OpDef
	Attrs   registry.Attrs
	Inputs  []tensor.DType // by position, lists flattened
	Outputs []tensor.DType
	Device  string // the device's full name
	// Constant names inputs, bit i for input i, that are the same tensor whenever
	// the kernel runs.
	Constant uint64
}

func (c *Construction) attr(name string) *registry.AttrValue {
	if v := c.Attrs.Find(name); v != nil {
		return v
	}
	return &registry.AttrValue{}
}

// Type returns a type attribute.
func (c *Construction) Type(name string) tensor.DType { return c.attr(name).Type }

// Int returns an int attribute.
func (c *Construction) Int(name string) int64 { return c.attr(name).I }

// Float returns a float attribute.
func (c *Construction) Float(name string) float32 { return c.attr(name).F }

// Bool returns a bool attribute.
func (c *Construction) Bool(name string) bool { return c.attr(name).B }

// Str returns a string attribute.
func (c *Construction) Str(name string) string { return c.attr(name).S }

// Container returns the container of the resource that the node makes. It is one of the
// device's process if that belongs to a cluster.
func (c *Construction) Container() string { return c.Within(c.Str("container")) }

// Within is Container for a container that another attribute names.
func (c *Construction) Within(container string) string {
	if container == "" {
		container = resource.DefaultContainer
	}
	process, _, _ := strings.Cut(c.Device, "/device:")
	if process == "" || process == local {
		return container
	}
	return resource.Scoped(process, container)
}

// local is the process of a program that has no cluster.
var local = devices.Local().Process().String()

// Label returns container and name of the resource that the node makes. Without a
// shared_name it is the node's own, in [resource.Private].
func (c *Construction) Label() (container, name string) {
	if name = c.Str("shared_name"); name == "" {
		return resource.Private, c.Node
	}
	return c.Container(), name
}

// Shape returns a shape attribute.
func (c *Construction) Shape(name string) registry.Shape { return c.attr(name).Shape }

// Tensor returns a tensor attribute; nil without it.
func (c *Construction) Tensor(name string) *tensor.Tensor { return c.attr(name).Tensor }

// Func returns the function that an attribute names; nil without it. See
// [Step.Function].
func (c *Construction) Func(name string) *registry.Func { return c.attr(name).Func }

// Ints returns a list(int) attribute.
func (c *Construction) Ints(name string) []int64 {
	list := c.attr(name).List
	out := make([]int64, len(list))
	for i := range list {
		out[i] = list[i].I
	}
	return out
}

// Types returns a list(type) attribute.
func (c *Construction) Types(name string) []tensor.DType {
	list := c.attr(name).List
	out := make([]tensor.DType, len(list))
	for i := range list {
		out[i] = list[i].Type
	}
	return out
}

// Strs returns a list(string) attribute.
func (c *Construction) Strs(name string) []string {
	list := c.attr(name).List
	out := make([]string, len(list))
	for i := range list {
		out[i] = list[i].S
	}
	return out
}

// Shapes returns a list(shape) attribute.
func (c *Construction) Shapes(name string) []registry.Shape {
	list := c.attr(name).List
	out := make([]registry.Shape, len(list))
	for i := range list {
		out[i] = list[i].Shape
	}
	return out
}

// Errorf returns an INVALID_ARGUMENT that a factory fails with.
func (c *Construction) Errorf(format string, args ...any) error {
	return status.Invalid(format, args...)
}
