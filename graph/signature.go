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
// do not; those whose nodes are yet to be built are of the type of the others.
func (s *signature) resolve(attrs registry.Attrs, infer bool, inputs []Output) error {
	var r registry.Resolved
	var err error
	if infer {
		var types []tensor.DType
		known := tensor.Invalid
		for _, from := range inputs {
			if from.Op.sig == nil || !from.Exists() {
				types = append(types, known)
				continue
			}
			known = from.Op.sig.outTypes[from.Index]
			types = append(types, known)
		}
		r, err = registry.InferFlat(s.op, attrs, types)
	} else {
		r, err = registry.Resolve(s.op, attrs)
	}
	s.attrs, s.inTypes, s.outTypes = r.Attrs, r.Inputs, r.Outputs
	return err
}
