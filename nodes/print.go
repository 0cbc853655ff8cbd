package nodes

import (
	"fmt"
	"strings"

	"github.com/troupe-go/troupe/nodes/unit"

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

func (s *Step) tell(a activation) {
	dead := a.dead
	switch n := &s.p.nodes[a.node]; n.kind {
	case kind.Trigger:
		dead = false
	case kind.Merge:
		dead = true
		for _, v := range a.it.Inputs[n.in : n.in+n.nin] {
			dead = dead && v.IsZero()
		}
	}
	s.trace(Event{s.p.name(a.node), s.p.op(a.node), a.it.Tag(), dead})
}

// Plan prints how the program is played: the forms of its units, and why loops
// are none, or the program as a whole.
func (p *Program) Plan() string {
	var w strings.Builder
	flow, _ := p.flowOf(nil) // which fails only when watched
	c := unit.NewCompiler(flow, nil)
	form, why, _ := c.Form(0)
	if form != nil {
		return form.String()
	}
	fmt.Fprintf(&w, "by tokens: %s\n", why)
	within := make([]bool, len(p.statics))
	for f := 1; f < len(p.statics); f++ {
		if within[p.statics[f].Parent] {
			within[f] = true
			continue
		}
		form, why, _ := c.Form(int32(f))
		if within[f] = form != nil; within[f] {
			w.WriteString(form.String())
		} else {
			fmt.Fprintf(&w, "loop %s by tokens: %s\n", p.statics[f].Name, why)
		}
	}
	return w.String()
}

func (p *Program) Code() string { return p.whole.String() }
