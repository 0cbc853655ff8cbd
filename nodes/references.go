package nodes

import (
	"github.com/troupe-go/troupe/nodes/kind"
	"github.com/troupe-go/troupe/tensor"
)

// Where a node wants values and is sent references, to variables of old, they are
// read as it acts.

// readRefs is a node's inputs with references read; nil if the step fails. The
// slots stay as they are. A Merge reads only the input that it hands on.
func (s *Step) readRefs(a activation, n *node) []tensor.Value {
	s.derefed = append(s.derefed[:0], a.it.Inputs[n.in:n.in+n.nin]...)
	for i, v := range s.derefed {
		if v.IsZero() {
			continue
		}
		if v.IsRef() && !(n.def != nil && n.def.InputTypes()[i].IsRef()) {
			r, ok := v.Cell().Read()
			if !ok {
				s.fail(a, kind.Uninitialized(v))
				return nil
			}
			s.derefed[i] = r
		}
		if n.kind == kind.Merge {
			break
		}
	}
	return s.derefed
}

// deref puts values in the place of the references that a kernel is sent; false
// if the step fails.
func (s *Step) deref(a activation, n *node) bool {
	in := s.readRefs(a, n)
	copy(a.it.Inputs[n.in:n.in+n.nin], in)
	return in != nil
}
