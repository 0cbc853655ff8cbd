package protocol

import (
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

// actKernel returns what a node of any other operation does: if nothing that it waited
// for is dead its kernel runs, which it asks for by answering true; else it is dead
// as well. Where it sends or receives at a rendezvous its kernel runs all the same,
// and what that leaves without a value is dead. While the kernel runs the node keeps its inputs and its credit.
func (n *Node) actKernel(a *Activation, in []tensor.Value, out *Outbox) bool {
	if a.Dead && !n.Transfer {
		out.die(n.Spec, a.Tag)
		return false
	}
	copy(a.In, in)
	return true
}

// propagate sends what a kernel put out. An output without a value that somebody
// reads is an error of the kernel; what nobody reads is given up.
func (n *Node) propagate(tag Tag, outs []tensor.Value, out *Outbox) error {
	if n.Transfer && len(outs) == 1 && outs[0].IsZero() {
		out.die(n.Spec, tag)
		return nil
	}
	for o, v := range outs {
		switch readers := len(n.Out[o]); {
		case v.IsZero() && readers > 0:
			return status.Errorf(status.Internal, "the kernel left output %d without a value", o)
		case v.IsZero():
		case readers == 0:
			out.Arena.Reclaim(v)
		default:
			out.emit(n.Spec, int32(o), tag, v)
		}
	}
	out.control(n.Spec, tag, false)
	return nil
}
