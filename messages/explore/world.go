package explore

import (
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"

	"github.com/troupe-go/troupe/frames"
	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/messages/protocol"
	"github.com/troupe-go/troupe/tensor"
)

// A world is all that a step is at one time. Worlds share what does not differ:
// an actor is copied before it takes a message.
type world struct {
	nodes  []*node
	frames []*frame // by address; nil: not entered yet
	step   *protocol.Step
	net    []letter // on their way, in no order
	failed string
}

// A node is one with its state as text, and with the iterations that it has acted
// in, in order.
type node struct {
	*protocol.Node
	done []string
	text string
}

// A frame is one with its state as text.
type frame struct {
	*protocol.Frame
	text string
}

// A letter is a message with what it says as text.
type letter struct {
	protocol.Message
	text string
}

// An event is what may happen next: a message arrives, or a kernel ends.
type event struct {
	message int // index in net; -1: a kernel ends
	node    int32
	tag     protocol.Tag
}

// A place is what a frame is known by.
type place struct {
	frame int32
	from  protocol.Tag
}

// begin returns the world before anything has happened.
func (x *explorer) begin() *world {
	w := &world{step: &protocol.Step{}, nodes: make([]*node, len(x.graph.Nodes))}
	for i := range w.nodes {
		w.nodes[i] = &node{Node: &protocol.Node{Spec: &x.graph.Nodes[i]}}
	}
	for _, i := range x.graph.Args {
		w.nodes[i].Fed = x.feeds[w.nodes[i].Aux]
	}
	x.out.Reset()
	w.step.Begin(x.fetches, &x.out)
	x.post(w, x.out.Sent)
	return w
}

// events returns what may happen next. Messages that say the same are one. Of news
// without credit it is enough to take one where the others must wait: whatever
// order they come in, the same comes of it.
func (x *explorer) events(w *world) []event {
	var news, others []event
	for i := range w.net {
		m := &w.net[i]
		if slices.ContainsFunc(w.net[:i], func(o letter) bool { return o.text == m.text }) {
			continue
		}
		if e := (event{i, m.Node, m.Tag}); idle(&m.Message) {
			news = append(news, e)
		} else {
			others = append(others, e)
		}
	}
	for i, n := range w.nodes {
		for _, a := range n.Activations() {
			if a.Running {
				others = append(others, event{-1, int32(i), a.Tag})
			}
		}
	}
	switch {
	case x.Notices == Any:
		return append(others, news...)
	case len(news) > 0 && (x.Notices == First || len(others) == 0):
		return news[:1]
	}
	return others
}

// idle reports whether a message has no credit, so that nothing waits for it.
func idle(m *protocol.Message) bool {
	return m.Verb == protocol.Notice && m.Credit == protocol.None || m.Verb == protocol.Retire
}

// address returns the frame that a message goes to.
func (x *explorer) address(m *protocol.Message) protocol.FrameID {
	if m.Verb != protocol.Enter {
		return m.Tag.Frame
	}
	p := place{m.Frame, m.Tag}
	id, ok := x.places[p]
	if !ok {
		id = protocol.FrameID(len(x.places) + 1)
		x.places[p] = id
	}
	return id
}

// after returns the world after an event; an error is what must not happen.
func (x *explorer) after(w *world, e event) (*world, error) {
	next := &world{nodes: w.nodes, frames: w.frames, step: w.step}
	x.out.Reset()
	if e.message < 0 {
		next.net = slices.Clone(w.net)
		n := next.own(e.node)
		x.end(n.Node, e.tag)
		return next, x.sent(next, n, e.tag)
	}
	m := w.net[e.message].Message
	next.net = append(append(make([]letter, 0, len(w.net)+8), w.net[:e.message]...), w.net[e.message+1:]...)
	switch {
	case m.Verb == protocol.Arrive, m.Verb == protocol.Retire:
		n := next.own(m.Node)
		n.Receive(&m, &x.out)
		return next, x.sent(next, n, m.Tag)
	case m.Verb == protocol.Fetched, m.Verb != protocol.Enter && m.Tag.Frame == protocol.Outside:
		next.step = w.step.Copy()
		next.step.Receive(&m, &x.out)
		return next, x.sent(next, nil, m.Tag)
	}
	f, err := x.frame(next, x.address(&m), &m)
	if f == nil || err != nil {
		return next, err
	}
	f.Receive(&m, &x.out)
	f.text = string(f.AppendText(nil))
	return next, x.sent(next, nil, m.Tag)
}

// own returns a node of the world, with a state of its own.
func (w *world) own(i int32) *node {
	w.nodes = slices.Clone(w.nodes)
	w.nodes[i] = &node{Node: w.nodes[i].Copy(), done: w.nodes[i].done}
	return w.nodes[i]
}

// frame returns a frame of the world with a state of its own, to take m; nil if m comes
// too late and says nothing.
func (x *explorer) frame(w *world, id protocol.FrameID, m *protocol.Message) (*frame, error) {
	w.frames = slices.Clone(w.frames)
	for int(id) >= len(w.frames) {
		w.frames = append(w.frames, nil)
	}
	f := w.frames[id]
	switch {
	case f == nil && m.Verb == protocol.Enter:
		f = &frame{Frame: &protocol.Frame{}}
		f.Begin(x.graph, &x.graph.Frames[m.Frame], id, m.Tag)
	case f == nil:
		return nil, fmt.Errorf("%s goes to a frame that was never entered", x.describe(w, m))
	case f.Over && m.Credit == protocol.None:
		return nil, nil
	case f.Over:
		return nil, fmt.Errorf("%s goes to a frame that is over", x.describe(w, m))
	default:
		f = &frame{Frame: f.Copy()}
	}
	w.frames[id] = f
	return f, nil
}

// end ends a node's kernel.
func (x *explorer) end(n *protocol.Node, tag protocol.Tag) {
	a := n.At(tag)
	outs := make([]tensor.Value, len(n.Out)-1)
	ctx := kernel.Context{Step: x.shared, Arena: &x.arena, Keep: ^uint64(0)}
	err := x.graph.Flow.Nodes[n.Number].Kernel.Run(&ctx, slices.Clone(a.In), outs)
	for i := range outs {
		outs[i] = outs[i].Share()
	}
	n.Ran(a, outs, err, &x.out)
}

// sent takes over what an actor, which n is if it is a node, has sent in answer to a
// message.
func (x *explorer) sent(w *world, n *node, tag protocol.Tag) error {
	if n != nil {
		if x.out.Acts {
			mark := fmt.Sprintf("%d:%d", tag.Frame, tag.Iter)
			at, twice := slices.BinarySearch(n.done, mark)
			if twice {
				return fmt.Errorf("%s acts twice in %s", x.graph.Flow.Name(n.Number), x.tag(w, tag))
			}
			n.done = slices.Insert(slices.Clone(n.done), at, mark)
		}
		n.text = string(n.AppendText(nil)) + strings.Join(n.done, " ")
	}
	if f := x.out.Fault; f != nil {
		w.failed = fmt.Sprintf("%s at %s: %v", x.graph.Flow.Name(f.Node), x.tag(w, f.Tag), f.Err)
	}
	if x.Tamper != nil {
		x.out.Sent = x.Tamper(x.out.Sent)
	}
	x.post(w, x.out.Sent)
	return nil
}

// post puts messages on their way. Frames get their addresses here.
func (x *explorer) post(w *world, sent []protocol.Message) {
	for _, m := range sent {
		id := x.address(&m)
		w.net = append(w.net, letter{m, string(m.AppendText([]byte{byte(id)}))})
	}
}

// key tells worlds apart.
func (x *explorer) key(w *world) [16]byte {
	b := x.text[:0]
	for _, n := range w.nodes {
		b = append(append(b, n.text...), 0xff, 0)
	}
	for _, f := range w.frames {
		if f != nil {
			b = append(b, f.text...)
		}
		b = append(b, 0xff, 1)
	}
	b = w.step.AppendText(b)
	x.texts = x.texts[:0]
	for i := range w.net {
		x.texts = append(x.texts, w.net[i].text)
	}
	slices.Sort(x.texts)
	for _, t := range x.texts {
		b = append(append(b, byte(len(t))), t...)
	}
	x.text = append(b, w.failed...)
	sum := sha256.Sum256(x.text)
	return [16]byte(sum[:16])
}

// describe returns a message as text.
func (x *explorer) describe(w *world, m *protocol.Message) string {
	text := m.Verb.String()
	if m.Node >= 0 {
		text += " " + x.graph.Flow.Name(m.Node)
	}
	if m.Verb == protocol.Arrive || m.Verb == protocol.Fetched {
		text += fmt.Sprintf(" input %d", m.Slot)
	}
	if m.Dead {
		text += " dead"
	}
	if m.News != 0 {
		text += fmt.Sprintf(" news %b", m.News)
	}
	if m.Credit != protocol.None {
		text += fmt.Sprintf(" credit 1/2^%d", m.Credit)
	}
	return text + " at " + x.tag(w, m.Tag)
}

// tag returns an iteration as text.
func (x *explorer) tag(w *world, t protocol.Tag) string {
	switch {
	case t.Frame == protocol.Outside:
		return "the step"
	case t.Frame == protocol.Root:
		return "the root"
	case int(t.Frame) < len(w.frames) && w.frames[t.Frame] != nil:
		f := w.frames[t.Frame]
		return string(frames.AppendTag([]byte(x.tag(w, f.Around)+"/"), f.Name, t.Iter))
	}
	return fmt.Sprintf("frame %d[%d]", t.Frame, t.Iter)
}
