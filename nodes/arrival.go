package nodes

import (
	"github.com/troupe-go/troupe/frames"
	"github.com/troupe-go/troupe/tensor"
)

// When a node acts. It waits for a number of tokens, in each iteration again: one
// for each of its edges, of a Merge fewer (see mergeWaits). What is left of the
// number, and whether a token that has come was dead, is its pending count. A
// value is also stored, in the slot of the input that it came to. With the last
// token the node acts; it is told whether one was dead, and what that means is
// its kind's affair. A data edge is dead if its producer is, or if the producer
// put out no value there, a control edge only if its producer is.

// pendingOf returns the count of a node that waits for n tokens.
func pendingOf(n uint32) uint32 { return n << 1 }

// arrived returns what a token leaves of a pending count; bit is 1 if it is dead.
func arrived(pending, bit uint32) uint32 { return (pending - 2) | bit }

// complete reports whether every token has come.
func complete(pending uint32) bool { return pending < 2 }

// died reports whether one that came was dead.
func died(pending uint32) bool { return pending&1 != 0 }

// deadBit returns the bit that a token brings.
func deadBit(dead bool) uint32 {
	if dead {
		return 1
	}
	return 0
}

// deliver sends v along the edges of a port, to nodes of iteration it.
func (s *Step) deliver(it *frames.Iteration, pt port, v tensor.Value) {
	edges := s.p.edges[pt.lo:pt.hi]
	v.Hold(len(edges))
	for i := range edges {
		e := &edges[i]
		it.Inputs[e.slot] = v
		c := arrived(it.Pending[e.local], 0)
		it.Pending[e.local] = c
		if complete(c) {
			s.wake(it, e.node, c)
		}
	}
}

// signal sends along control edges, or death along data edges.
func (s *Step) signal(it *frames.Iteration, pt port, dead bool) {
	edges := s.p.edges[pt.lo:pt.hi]
	bit := deadBit(dead)
	for i := range edges {
		e := &edges[i]
		c := arrived(it.Pending[e.local], bit)
		it.Pending[e.local] = c
		if complete(c) {
			s.wake(it, e.node, c)
		}
	}
}

// wake makes a node ready whose last token has come.
func (s *Step) wake(it *frames.Iteration, node int32, pending uint32) {
	it.Outstanding++
	s.ready.push(activation{it, node, died(pending)})
}
