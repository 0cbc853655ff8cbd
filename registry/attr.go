package registry

import (
	"slices"

	"github.com/troupe-go/troupe/tensor"
)

// An AttrValue is the value of one attribute of a node. Kind says which field
// holds it; a list kind uses List. It is immutable once a node has it.
type AttrValue struct {
	Kind   AttrKind // the smallest fields first: graphs have ten thousand values
	B      bool
	Type   tensor.DType
	F      float32
	S      string // KindString: bytes, not necessarily UTF-8
	I      int64
	Shape  Shape
	Tensor *tensor.Tensor
	Func   *Func
	List   []AttrValue // elements of a list kind, each of kind Kind.Elem(); an empty list may have Kind ListOf alone

	// Placeholder names an attribute of the enclosing function; Kind is then
	// KindNone.
	Placeholder string

	// Flaw is nil but in a value that [UnmarshalAttrs] found no meaning in; Kind
	// is then what it would be, and the other fields mean nothing.
	Flaw *Flaw
}

// A Shape is a partially known shape as attributes hold it: Unknown for an
// unknown rank, -1 for an unknown dimension.
type Shape struct {
	Unknown bool
	Dims    []int64
}

// A Func names a function and the attributes to instantiate it with.
type Func struct {
	Name  string
	Attrs Attrs
}

// Attrs is a node's attributes, sorted by name. The zero value is empty.
type Attrs []NamedAttr

// A NamedAttr is one entry of Attrs.
type NamedAttr struct {
	Name  string
	Value AttrValue
}

// Find returns the value of the attribute, or nil.
func (a Attrs) Find(name string) *AttrValue {
	for i := range a { // a handful of entries: a scan beats a search
		if a[i].Name == name {
			return &a[i].Value
		}
	}
	return nil
}

// With returns the attributes with one of them set, in order if a is.
func (a Attrs) With(name string, v AttrValue) Attrs {
	set := make(Attrs, 0, len(a)+1)
	i := 0
	for ; i < len(a) && a[i].Name < name; i++ {
		set = append(set, a[i])
	}
	set = append(set, NamedAttr{Name: name, Value: v})
	if i < len(a) && a[i].Name == name {
		i++
	}
	return append(set, a[i:]...)
}

// Without returns the attributes but for those of these names; nil if none is left.
func (a Attrs) Without(names ...string) Attrs {
	var kept Attrs
	for i := range a {
		if !slices.Contains(names, a[i].Name) {
			kept = append(kept, a[i])
		}
	}
	return kept
}

// Constructors of values.

// StringAttr returns a string attribute.
func StringAttr(s string) AttrValue { return AttrValue{Kind: KindString, S: s} }

// IntAttr returns an int attribute.
func IntAttr(i int64) AttrValue { return AttrValue{Kind: KindInt, I: i} }

// FloatAttr returns a float attribute.
func FloatAttr(f float32) AttrValue { return AttrValue{Kind: KindFloat, F: f} }

// BoolAttr returns a bool attribute.
func BoolAttr(b bool) AttrValue { return AttrValue{Kind: KindBool, B: b} }

// TypeAttr returns a type attribute.
func TypeAttr(t tensor.DType) AttrValue { return AttrValue{Kind: KindType, Type: t} }

// ShapeAttr returns a shape attribute.
func ShapeAttr(s Shape) AttrValue { return AttrValue{Kind: KindShape, Shape: s} }

// TensorAttr returns a tensor attribute.
func TensorAttr(t *tensor.Tensor) AttrValue { return AttrValue{Kind: KindTensor, Tensor: t.View()} }

// FuncAttr returns a function attribute.
func FuncAttr(f *Func) AttrValue { return AttrValue{Kind: KindFunc, Func: f} }

// ListAttr returns a list of elements of one kind.
func ListAttr(elem AttrKind, list ...AttrValue) AttrValue {
	return AttrValue{Kind: elem | ListOf, List: list}
}
