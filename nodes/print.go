package nodes

import (
	"github.com/troupe-go/troupe/nodes/kind"
)

// An Event is a node acting in a step.
type Event struct {
	Node, Op string
	Tag      string // frame and iteration
	Dead     bool
}

// String is "loop[2] add (AddV2) dead".
func (e Event) String() string {
	s := e.Node + " (" + e.Op + ")"
	if e.Tag != "" {
		s = e.Tag + " " + s
	}
	if e.Dead {
		s += " dead"
	}
	return s
}

// tell tells the trace, the tape and the meter of a node that acts.
func (s *Step) tell(a activation) {
	if s.meter != nil && s.p.nodes[a.node].kind > kind.Async && !a.dead {
		s.meter.Count(a.node, 1)
	}
	if _, sends := s.p.routes[a.node]; sends && s.ctx.Step.Transfers != nil {
		s.countTransfer(a, &s.p.nodes[a.node])
	}
	if s.tape != nil {
		s.record(a)
	}
	if s.trace == nil {
		return
	}
	n := &s.p.nodes[a.node]
	dead, _ := Outcome(n.kind, a.dead, a.it.Inputs[n.in:n.in+n.nin], n.nout)
	s.trace(Event{s.p.name(a.node), s.p.op(a.node), a.it.Tag(), dead})
}
