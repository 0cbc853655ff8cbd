package nodes

import (
	"fmt"
	"strings"

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

// Plan prints how the program is played: the instructions of its units, and
// why it is not one unit if it is not.
func (p *Program) Plan() string {
	var w strings.Builder
	if p.whole != nil {
		p.printUnit(&w, p.whole)
		return w.String()
	}
	fmt.Fprintf(&w, "by tokens: %s\n", p.why)
	for f, u := range p.units {
		if u != nil {
			fmt.Fprintf(&w, "frame %s:\n", p.statics[f].Name)
			p.printUnit(&w, u)
		}
	}
	return w.String()
}

func (p *Program) printUnit(w *strings.Builder, u *unit) {
	to := func(pt port) string {
		b := []byte("→")
		for _, d := range u.dests[pt.lo:pt.hi] {
			b = fmt.Appendf(b, " s%d", d)
		}
		return string(b)
	}
	for _, c := range u.preset {
		v := c.value
		fmt.Fprintf(w, "\tconst s%d = %v\n", c.slot, v.Tensor())
	}
	for _, a := range u.args {
		fmt.Fprintf(w, "\tfeed %s %s\n", p.feeds[a.feed], to(a.to))
	}
	for i := range u.code {
		c := &u.code[i]
		fmt.Fprintf(w, "%3d\t", i)
		switch c.op {
		case opKernel:
			fmt.Fprintf(w, "%s (%s)", p.name(c.node), p.op(c.node))
			for k := range c.nin {
				fmt.Fprintf(w, " s%d", c.in+k)
			}
			for o := range c.nout {
				fmt.Fprintf(w, " %s", to(u.ports[c.out+o]))
			}
		case opNoOp:
			fmt.Fprintf(w, "%s (%s)", p.name(c.node), p.op(c.node))
		case opMove:
			fmt.Fprintf(w, "move s%d %s for %s", c.in, to(u.ports[c.out]), p.name(c.node))
		case opFetch:
			fmt.Fprintf(w, "fetch %s s%d", p.fetches[c.aux], c.in)
		case opGuard:
			fmt.Fprintf(w, "unless s%d is %v go to %d", c.in, c.side, c.target)
		case opLoop:
			fmt.Fprintf(w, "loop %s", p.statics[u.loops[c.aux].frame].Name)
			for _, h := range u.loops[c.aux].enters {
				fmt.Fprintf(w, ", s%d %s", h.slot, to(h.to))
			}
		case opIterate:
			fmt.Fprintf(w, "iterate")
			l := &u.loops[c.aux]
			for _, v := range u.vars[l.vars[0]:l.vars[1]] {
				fmt.Fprintf(w, ", s%d %s", v.reg, to(v.to))
			}
		case opTest:
			fmt.Fprintf(w, "unless s%d leave to %d", c.in, c.target)
		case opLatch:
			fmt.Fprintf(w, "next iteration at %d", c.target)
			l := &u.loops[c.aux]
			for _, v := range u.vars[l.vars[0]:l.vars[1]] {
				if v.next >= 0 {
					fmt.Fprintf(w, ", s%d → s%d", v.next, v.reg)
				}
			}
		case opLeave:
			fmt.Fprintf(w, "leave")
			for _, h := range u.loops[c.aux].exits {
				fmt.Fprintf(w, ", s%d %s", h.slot, to(h.to))
			}
		case opPoll:
			fmt.Fprintf(w, "poll")
		}
		w.WriteByte('\n')
	}
	for _, x := range u.exits {
		fmt.Fprintf(w, "\texit %s = s%d\n", p.name(x.node), x.slot)
	}
}
