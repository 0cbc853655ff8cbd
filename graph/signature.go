package graph

import (
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/tensor"
)

// A signature is all that the nodes of one operation with equal attributes
// have in common. It is immutable and shared.
type signature struct {
	op       *registry.OpDef
	class    Class
	attrs    registry.Attrs // given ones, and defaults filled in
	inTypes  []tensor.DType // as the operation declares them, reference types included
	outTypes []tensor.DType
	declared []registry.AttrValue // shapes that the node brought along in _output_shapes
}

// resolve sets attributes and types. With infer set, the inputs say what attrs
// do not.
func (s *signature) resolve(attrs registry.Attrs, infer bool, inputs []Output) error {
	var r registry.Resolved
	var err error
	if infer {
		r, err = registry.InferFlat(s.op, attrs, typesOf(inputs))
	} else {
		r, err = registry.Resolve(s.op, attrs)
	}
	s.attrs, s.inTypes, s.outTypes = r.Attrs, r.Inputs, r.Outputs
	return err
}

// typesOf returns the types of inputs, where those whose nodes are yet to be built
// have the type of one that is.
func typesOf(inputs []Output) []tensor.DType {
	types := make([]tensor.DType, len(inputs))
	known := tensor.Invalid
	for i, from := range inputs {
		if from.Op.sig != nil && from.Exists() {
			types[i] = from.Op.sig.outTypes[from.Index]
			known = types[i]
		}
	}
	for i := range types {
		if types[i] == tensor.Invalid {
			types[i] = known
		}
	}
	return types
}
