package protocol

import "github.com/troupe-go/troupe/tensor"

// actExit sends its input to its frame, which hands it on to the iteration around.
// A dead one lingers: in all iterations but the last it is dead as the loop goes
// on, and only the frame knows which is the last.
func (n *Node) actExit(a *Activation, in []tensor.Value, out *Outbox) {
	if a.Dead {
		out.notice(a.Tag, n.Number, None, Lingers)
		return
	}
	in[0].Hold(1)
	out.Sent = append(out.Sent, Message{Verb: Leave, Node: n.Number, Tag: a.Tag, Value: in[0]})
}
