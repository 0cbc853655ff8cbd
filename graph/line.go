package graph

import (
	"fmt"

	"github.com/troupe-go/troupe/registry"
)

// A LineFormat says how a node is written in one line, as in package graph/notation:
//
//	y = AddV2(x, c, ^init) @/device:CPU:0 {T=DT_FLOAT}
type LineFormat struct {
	// Defaults also writes attributes that have their default value.
	Defaults bool
	// MaxElements is the number of elements beyond which a tensor is written
	// without them; 0 means that all are.
	MaxElements int
}

// maxLineElements is the largest tensor that [Node.String] shows.
const maxLineElements = 10

// AppendNode appends a node, without the end of the line.
func (f LineFormat) AppendNode(b []byte, n *Node) []byte {
	b = append(append(append(append(b, n.name...), " = "...), n.sig.op.Name...), '(')
	sep := ""
	for _, from := range n.self.inputs {
		b = append(append(b, sep...), TensorID{from.Op.name, from.Index}.inputString()...)
		sep = ", "
	}
	for _, c := range n.controls {
		b = append(append(append(b, sep...), '^'), c.name...)
		sep = ", "
	}
	return f.AppendRest(append(b, ')'), n.device, n.attrsToWrite(!f.Defaults))
}

// AppendRest appends what follows the inputs of a node: its device and its attributes.
func (f LineFormat) AppendRest(b []byte, device string, attrs registry.Attrs) []byte {
	if device != "" {
		b = append(append(b, " @"...), device...)
	}
	return f.AppendAttrs(b, attrs)
}

// AppendAttrs appends attributes in braces, if there are any.
func (f LineFormat) AppendAttrs(b []byte, attrs registry.Attrs) []byte {
	if len(attrs) == 0 {
		return b
	}
	sep := " {"
	for i := range attrs {
		b = append(b, sep...)
		b = f.appendAttr(b, attrs[i:i+1])
		sep = ", "
	}
	return append(b, '}')
}

// appendAttr appends one attribute, a long tensor without its values.
func (f LineFormat) appendAttr(b []byte, a registry.Attrs) []byte {
	if t := a[0].Value.Tensor; t != nil && f.MaxElements > 0 && t.NumElements() > f.MaxElements {
		return fmt.Appendf(b, "%s=Tensor<type: %v shape: %v ...>", a[0].Name, t.DType(), registry.Shape{Dims: t.Dims()})
	}
	return append(b, a.String()...)
}
