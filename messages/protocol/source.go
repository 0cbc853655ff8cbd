package protocol

import "github.com/troupe-go/troupe/nodes/kind"

// actSource is what a constant does, and what is fed: its value goes out. A dead
// control edge kills a constant; a feed has no edges.
func (n *Node) actSource(a *Activation, out *Outbox) {
	v := n.Value
	if n.Kind == kind.Arg {
		v = n.Fed
	}
	out.deliver(n.Spec, a.Tag, v, a.Dead && n.Kind == kind.Const)
}
