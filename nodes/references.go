package nodes

import (
	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/graph/sharing"
	"github.com/troupe-go/troupe/nodes/kind"
	"github.com/troupe-go/troupe/tensor"
)

// Where a node wants values and is sent references, to variables of old, they are
// read as it acts. Where it only forwards, and somebody behind it acts after an
// update of the variable, it forwards a token of what the variable shares, which is
// read in the same way: docs/design/2026-11-22-references.md.

// references marks the nodes that references come to, and those that hand on what
// variables share.
func (c *compiler) references(spec Spec) {
	p := c.p
	any := false
	for i := range p.nodes {
		if d := p.nodes[i].def; d != nil && !any {
			for _, t := range d.OutputTypes() {
				any = any || t.IsRef()
			}
		}
	}
	if !any {
		return
	}
	defs := make([]*graph.Node, 0, len(p.nodes))
	for i := range p.nodes {
		if d := p.nodes[i].def; d != nil {
			defs = append(defs, d)
		}
	}
	shared := sharing.Of(defs, len(c.number), func(o graph.Output) bool { _, fed := c.needs.Feed(o); return fed })
	shared.Find(spec.Fetches)
	for i := range p.nodes {
		if n := &p.nodes[i]; n.def != nil && shared.Carries(n.def) {
			n.flags |= flagShare
			if n.kind == kind.Kernel { // as StopGradient, whose kernel would read what it is given
				n.kind = kind.Forward
			}
		}
	}
	for i := range p.nodes {
		n := &p.nodes[i]
		for k, s := range c.in[i] {
			if s.port >= 0 && k < int(n.nin) && p.isRef(s) {
				n.flags |= flagDeref
			}
		}
	}
}

// isRef reports whether an output carries references.
func (p *Program) isRef(s source) bool {
	outputs := p.labels[s.node].outputs
	return s.port >= 0 && (int(s.port) < len(outputs) && outputs[s.port].IsRef() || p.nodes[s.node].shares(s.port))
}

// shares reports whether an output carries what a variable shares.
func (n *node) shares(port int32) bool {
	return n.flags&flagShare != 0 && (n.kind != kind.Merge || port == 0)
}

// readRefs returns a node's inputs with references read, or shared where it hands them
// on; nil if the step fails. The slots stay as they are. A Merge reads only the
// input that it forwards. What is fetched is shared until the step ends.
func (s *Step) readRefs(a activation, n *node) []tensor.Value {
	declared := s.p.labels[a.node].inputs
	s.derefed = append(s.derefed[:0], a.it.Inputs[n.in:n.in+n.nin]...)
	for i, v := range s.derefed {
		if v.IsZero() {
			continue
		}
		if v.IsRef() && !(i < len(declared) && declared[i].IsRef()) {
			read := kind.Read
			if n.kind == kind.Retval || n.flags&flagShare != 0 && (i == 0 || n.kind == kind.Merge) {
				read = kind.Share
			}
			r, err := read(v)
			if err != nil {
				s.fail(a, err)
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

// deref puts values in place of the references that a kernel is sent; false
// if the step fails.
func (s *Step) deref(a activation, n *node) bool {
	in := s.readRefs(a, n)
	copy(a.it.Inputs[n.in:n.in+n.nin], in)
	return in != nil
}
