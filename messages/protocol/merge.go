package protocol

import (
	"github.com/troupe-go/troupe/nodes/kind"
	"github.com/troupe-go/troupe/nodes/unit/form"
	"github.com/troupe-go/troupe/tensor"
)

// actMerge is what Merge and RefMerge do: the live input of the lowest position is
// the first output, and its number the second. A Merge is dead if no input is alive;
// of control edges that does not matter. It acts when every input has come that
// can come in the iteration (see mergeWaits), so what it takes does not depend on
// the order of messages.
func (n *Node) actMerge(a *Activation, in []tensor.Value, out *Outbox) {
	taken := lowest(in)
	if taken < 0 {
		out.die(n.Spec, a.Tag)
		return
	}
	out.emit(n.Spec, 0, a.Tag, in[taken])
	out.emit(n.Spec, 1, a.Tag, tensor.Scalar(int32(taken)))
	out.control(n.Spec, a.Tag, false)
}

// mergeWaits is how many tokens a Merge waits for. In a frame's first iteration
// nothing comes from a NextIteration. Later nothing comes from an Enter that is
// not constant, and one token from all NextIterations together, for a dead one sends
// none. If several are alive the first to come is taken, and there are extra ones.
func (n *Spec) mergeWaits(flow *form.Flow, in []form.Source) {
	n.First, n.Later = 0, 0
	nexts := uint32(0)
	for _, s := range in {
		switch from := &flow.Nodes[s.Node]; {
		case from.Kind == kind.Next:
			nexts++
		case from.Kind == kind.Enter && !from.Constant:
			n.First++
		default:
			n.First++
			n.Later++
		}
	}
	n.Later += min(nexts, 1)
	n.Extra = nexts > 1
}
