package protocol

import "github.com/troupe-go/troupe/tensor"

// actRetval tells the step what is fetched, alive or dead. Alive it may come once: a
// second value is one of another iteration of a loop.
func (n *Node) actRetval(a *Activation, in []tensor.Value, out *Outbox) {
	m := Message{Verb: Fetched, Dead: a.Dead, Node: n.Number, Slot: n.Aux, Tag: a.Tag}
	if !a.Dead {
		if n.fetched {
			out.fail(n.Number, a.Tag, setTwice(n.Aux))
			return
		}
		n.fetched = true
		m.Value = in[0]
		m.Value.Hold(1)
	}
	out.Sent = append(out.Sent, m)
}
