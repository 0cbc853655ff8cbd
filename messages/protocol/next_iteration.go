package protocol

import "github.com/troupe-go/troupe/tensor"

// actNext sends its input to its frame, for the next iteration. A dead one tells
// nobody: that is how loops end.
func (n *Node) actNext(a *Activation, in []tensor.Value, out *Outbox) {
	if a.Dead {
		return
	}
	in[0].Hold(1)
	out.Sent = append(out.Sent, Message{Verb: Iterate, Node: n.Number, Tag: a.Tag, Value: in[0]})
}
