package protocol

import "github.com/troupe-go/troupe/tensor"

// actForward is what LoopCond, Identity and RefIdentity do: the input is the
// output. LoopCond only marks the predicate that the Switches of a loop share.
func (n *Node) actForward(a *Activation, in []tensor.Value, out *Outbox) {
	if a.Dead {
		out.die(n.Spec, a.Tag)
		return
	}
	out.deliver(n.Spec, a.Tag, in[0], false)
}
