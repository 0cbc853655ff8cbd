package nodes

import (
	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

// Receives reports whether the activation is of a node that waits for a token from
// outside the step: its driver gets the token, and completes the activation with
// [Step.Receive]. See [kernel.Receiver].
func (a *Activation) Receives() bool {
	_, ok := a.kernel.(kernel.Receiver)
	return ok
}

// Tag names the iteration of the activation.
func (a *Activation) Tag() string { return a.it.Tag() }

// Receives reports what a node takes from outside the step; Invalid if nothing.
func (p *Program) Receives(node int) tensor.DType {
	n := &p.nodes[node]
	if _, ok := n.kernel.(kernel.Receiver); !ok || n.nout != 1 {
		return tensor.Invalid
	}
	return p.labels[node].outputs[0].Base()
}

// Receive completes an activation that waits for a token with one: the value goes
// out, or death if it is the zero Value.
func (s *Step) Receive(a *Activation, v tensor.Value) {
	if v.IsZero() {
		if s.err == nil {
			s.die(a.it, &s.p.nodes[a.node])
			a.gone = true
		}
		s.Complete(a, nil)
		return
	}
	if want := s.p.Receives(int(a.node)); v.DType() != want {
		s.Complete(a, status.Invalid("a token of %v came for %v", v.DType(), want))
		return
	}
	a.out[0] = v.Share()
	s.Complete(a, nil)
}
