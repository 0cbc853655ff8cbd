package code

import (
	"fmt"
	"strings"
)

// String returns the unit's instructions as text.
func (u *Unit) String() string {
	var w strings.Builder
	for i, in := range u.Instrs {
		fmt.Fprintf(&w, "%3d\t%v", i, in.Op)
		switch in.Op {
		case OpEnd, OpAwait:
		case OpCall, OpWait, OpStart:
			c := &u.Calls[in.X]
			fmt.Fprintf(&w, " %d", c.Node)
			for _, g := range c.Gathers {
				fmt.Fprintf(&w, " s%d←s%d", g.To, g.From)
			}
			fmt.Fprintf(&w, " in s%d+%d out s%d+%d keep %b", c.In, c.Nin, c.Out, c.Nout, c.Keep)
		case OpMove, OpCopy, OpPlain:
			fmt.Fprintf(&w, " s%d ← s%d", u.Moves[in.X].To, u.Moves[in.X].From)
		case OpTest:
			t := &u.Tests[in.X]
			fmt.Fprintf(&w, " s%d is %d, else %d", t.Slot, t.Side, t.Target)
		case OpChain:
			c := &u.Chains[in.X]
			fmt.Fprintf(&w, " of %d, to %d, gives up", len(c.Steps), c.End)
			for _, s := range c.Gives {
				fmt.Fprintf(&w, " s%d", s)
			}
			w.WriteString(", leaves")
			for _, l := range c.Leaves {
				fmt.Fprintf(&w, " s%d", l.Slot)
			}
		case OpTogether:
			if in.D == TogetherTiles {
				m := u.Tiles[in.X].Members
				fmt.Fprintf(&w, ": tiles %d, from member %d of %d, to %d at most", in.X, in.A, len(m), m[len(m)-1].End)
			} else {
				fmt.Fprintf(&w, ": band %d, to %d", in.X, u.Bands[in.X].End)
			}
		case OpLatch:
			fmt.Fprintf(&w, " to %d", u.Latches[in.X].Target)
		case OpEnter:
			e := &u.Entries[in.X]
			for _, c := range e.Checks {
				fmt.Fprintf(&w, " s%d is %v", c.Slot, c.Zero.DType())
			}
			for _, l := range e.Loads {
				fmt.Fprintf(&w, ", s%d ← s%d", l.To, l.From)
			}
			fmt.Fprintf(&w, ", else %d", e.Otherwise)
		case OpGuard:
			g := &u.Guards[in.X]
			fmt.Fprintf(&w, " s%d is %v, else", g.Register.Slot, g.Register.Zero.DType())
			for _, t := range g.Moves {
				fmt.Fprintf(&w, " s%d←s%d", t.To, t.From)
			}
			fmt.Fprintf(&w, " to %d", g.Otherwise)
		default:
			fmt.Fprintf(&w, " %d %d %d %d", in.D, in.A, in.B, in.X)
		}
		w.WriteByte('\n')
	}
	return w.String()
}
