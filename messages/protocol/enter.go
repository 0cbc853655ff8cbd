package protocol

import "github.com/troupe-go/troupe/tensor"

// actEnter sends its input, or death, to the frame that is entered from here; the
// first to do so makes the frame. All of the Enter's credit goes along: the
// iteration lasts as long as the frame does.
func (n *Node) actEnter(a *Activation, in []tensor.Value, out *Outbox) {
	m := Message{Verb: Enter, Dead: a.Dead, Node: n.Number, Frame: n.Aux, Tag: a.Tag}
	if !a.Dead {
		m.Value = in[0]
		m.Value.Hold(1)
	}
	out.Sent = append(out.Sent, m)
}
