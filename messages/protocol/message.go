package protocol

import (
	"strings"

	"github.com/troupe-go/troupe/tensor"
)

// A FrameID is the address of a frame: one entry of a loop. The network gives one
// to each static frame and iteration that it is entered from.
type FrameID uint64

// The frames that every step has.
const (
	Outside FrameID = 0 // where the root frame is: the step
	Root    FrameID = 1
)

// A Tag is an iteration of a frame.
type Tag struct {
	Frame FrameID
	Iter  int
}

// A Verb is what a message says; see the package.
type Verb uint8

const (
	Arrive Verb = iota
	Retire
	Enter
	Iterate
	Leave
	Notice
	Fetched
)

// String returns the name of the constant.
func (v Verb) String() string {
	return [...]string{"Arrive", "Retire", "Enter", "Iterate", "Leave", "Notice", "Fetched"}[v]
}

// News is what a Notice says, beside that credit comes back.
type News uint8

const (
	Opened    News = 1 << iota // the node keeps something for the iteration
	Acted                      // the node has acted in it
	Lingers                    // the node is an Exit, and dead
	Suspended                  // a frame entered from it lives, and waits
	Ended                      // a frame that was suspended has ended
)

// String returns the names of the constants, with spaces between them.
func (n News) String() string {
	var names []string
	for i, name := range [...]string{"Opened", "Acted", "Lingers", "Suspended", "Ended"} {
		if n&(1<<i) != 0 {
			names = append(names, name)
		}
	}
	return strings.Join(names, " ")
}

// A Message is one, of any verb. It goes to
//
//	the node Node        Arrive, Retire
//	the frame Tag.Frame  Iterate, Leave, Notice
//	the frame that static frame Frame is when entered from Tag: Enter
//	the step             Fetched, and what goes to the frame Outside
type Message struct {
	Verb   Verb
	News   News
	Dead   bool   // of Arrive, Enter and Fetched: there is no value
	Credit Credit // of the iteration Tag
	Node   int32  // to or from
	Slot   int32  // of Arrive: the input; -1 along a control edge. Of Fetched: the fetch
	Frame  int32  // of Enter
	Serial uint32 // what the recording of a step calls it; 0: there is none
	Tag    Tag
	Value  tensor.Value // held once for the message
}

// A Failure is why a step fails: a node or frame tells the step. It keeps its
// credit, so a step never ends before it has heard.
type Failure struct {
	Node int32
	Tag  Tag
	Err  error
}

// An Outbox collects what an actor does in answer to one message.
type Outbox struct {
	Sent []Message
	Acts bool // a node has acted
	// Watch is called with a node that is about to act, and with what came to it; nil:
	// nothing is called.
	Watch func(*Node, *Activation)
	Dead  bool     // something that it waited for was dead
	Fault *Failure // the step is to fail
	// Arena takes back the values that nobody holds any more.
	Arena *tensor.Arena

	read []tensor.Value // scratch
}

// Reset empties the box for the next message.
func (b *Outbox) Reset() {
	clear(b.Sent)
	b.Sent, b.Acts, b.Fault = b.Sent[:0], false, nil
}

// fail fails the step.
func (b *Outbox) fail(node int32, tag Tag, err error) {
	b.Fault = &Failure{node, tag, err}
}

// send sends v, or death, along edges to nodes of iteration tag. Credit is for
// later: see divide.
func (b *Outbox) send(edges []Edge, tag Tag, v tensor.Value, dead bool) {
	if !v.IsZero() {
		v.Hold(len(edges))
	}
	for _, e := range edges {
		b.Sent = append(b.Sent, Message{Verb: Arrive, Dead: dead, Node: e.Node, Slot: e.Slot, Tag: tag, Value: v})
	}
}

// emit sends what a node puts out on port o.
func (b *Outbox) emit(n *Spec, o int32, tag Tag, v tensor.Value) { b.send(n.Out[o], tag, v, false) }

// kill sends death on port o of a node.
func (b *Outbox) kill(n *Spec, o int32, tag Tag) { b.send(n.Out[o], tag, tensor.Value{}, true) }

// control sends along a node's control edges.
func (b *Outbox) control(n *Spec, tag Tag, dead bool) {
	b.send(n.Out[len(n.Out)-1], tag, tensor.Value{}, dead)
}

// die sends death on all outputs and control edges of a node.
func (b *Outbox) die(n *Spec, tag Tag) {
	for o := range n.Out {
		b.kill(n, int32(o), tag)
	}
}

// deliver sends what a node that passes its input on puts out: v, or death.
func (b *Outbox) deliver(n *Spec, tag Tag, v tensor.Value, dead bool) {
	if dead {
		b.die(n, tag)
		return
	}
	b.emit(n, 0, tag, v)
	b.control(n, tag, false)
}

// divide returns the messages sent since from their shares of c, and reports whether
// there was any.
func (b *Outbox) divide(from int, c Credit) bool {
	sent := b.Sent[from:]
	switch len(sent) {
	case 0:
		return false
	case 1:
		sent[0].Credit = c
	default:
		for i := range sent {
			sent[i].Credit = c.share(i, len(sent))
		}
	}
	return true
}

// notice tells a frame something of one of its iterations.
func (b *Outbox) notice(tag Tag, node int32, c Credit, news News) {
	b.Sent = append(b.Sent, Message{Verb: Notice, News: news, Credit: c, Node: node, Tag: tag})
}

// drop gives up a value.
func (b *Outbox) drop(v tensor.Value) {
	if !v.IsZero() {
		b.Arena.Drop(v)
	}
}
