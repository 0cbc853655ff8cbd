package protocol

import (
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

// A Frame is the actor of one entry of a loop, or of the root frame.
type Frame struct {
	*FrameSpec
	ID     FrameID
	Around Tag // the iteration that it was entered from
	Over   bool

	graph   *Graph
	enters  int     // Enters that have not come
	consts  []held  // what constant Enters brought, for iterations to come
	queued  []held  // for the iteration that may not start yet
	lingers []int32 // Exits that are dead in the newest iteration
	left    []bool  // by Exit: has put out a value, which it does once

	ring   []*Iteration // those alive, oldest first, from gone on
	gone   int
	next   int // index of the next iteration to start
	lively int // iterations whose purse is not full

	credits   []Credit // of the iteration around, as long as anything goes on here
	suspended bool     // the frame around counts it among those that wait
	spare     []*Iteration
}

// A held value waits for an iteration.
type held struct {
	node  int32 // the Enter or NextIteration
	dead  bool
	value tensor.Value
}

// An Iteration is what a frame knows of one of its own.
type Iteration struct {
	Index   int
	opened  []uint64 // by a node's number in the frame: it keeps something
	acted   []uint64 // it has acted
	waiting int      // frames entered from it that are suspended
	issued  int64    // units of credit
	purse   Purse    // credit that has come back
}

func (it *Iteration) full() bool { return it.purse.Holds(it.issued) }

// Begin makes the frame that is entered from around.
func (f *Frame) Begin(g *Graph, spec *FrameSpec, id FrameID, around Tag) {
	f.FrameSpec, f.graph, f.ID, f.Around = spec, g, id, around
	f.enters, f.Over = max(spec.Enters, 1), false // the root's is the step
	if f.left == nil {
		f.left = make([]bool, spec.Exits)
	}
	f.start()
}

// Reset gives up all that the frame holds.
func (f *Frame) Reset(out *Outbox) {
	f.giveUp(f.consts, out)
	f.giveUp(f.queued, out)
	for f.living() > 0 {
		f.retire()
	}
	clear(f.left)
	f.consts, f.queued, f.lingers, f.credits = f.consts[:0], f.queued[:0], f.lingers[:0], f.credits[:0]
	f.next, f.lively, f.suspended, f.Over = 0, 0, false, true
}

func (f *Frame) giveUp(all []held, out *Outbox) {
	for i, h := range all {
		out.drop(h.value)
		all[i] = held{}
	}
}

// start starts the next iteration, and forgets the dead Exits of the one before.
func (f *Frame) start() *Iteration {
	var it *Iteration
	if last := len(f.spare) - 1; last >= 0 {
		it = f.spare[last]
		f.spare = f.spare[:last]
	} else {
		words := 0
		if f.Parent >= 0 {
			words = (len(f.Members) + 63) / 64
		}
		it = &Iteration{opened: make([]uint64, words), acted: make([]uint64, words)}
	}
	it.Index = f.next
	f.next++
	f.ring = append(f.ring, it)
	f.lingers = f.lingers[:0]
	return it
}

// retire forgets the oldest iteration.
func (f *Frame) retire() {
	it := f.ring[f.gone]
	if f.gone++; 2*f.gone >= len(f.ring) {
		f.ring = append(f.ring[:0], f.ring[f.gone:]...)
		f.gone = 0
	}
	clear(it.opened)
	clear(it.acted)
	it.waiting, it.issued = 0, 0
	it.purse.Reset()
	f.spare = append(f.spare, it)
}

// at returns the iteration of that index; nil if it is not alive.
func (f *Frame) at(index int) *Iteration {
	if i := len(f.ring) - (f.next - index); i >= f.gone && i < len(f.ring) {
		return f.ring[i]
	}
	return nil
}

// Alive returns the iterations that are alive, oldest first.
func (f *Frame) Alive() []*Iteration { return f.ring[f.gone:] }

func (f *Frame) living() int { return len(f.ring) - f.gone }

func (f *Frame) oldest() *Iteration { return f.ring[f.gone] }

func (f *Frame) tag(it *Iteration) Tag { return Tag{f.ID, it.Index} }

// Receive takes a message.
func (f *Frame) Receive(m *Message, out *Outbox) {
	if m.Verb == Notice {
		f.Note(m, out)
	} else {
		f.pass(m, out)
	}
	if out.Fault == nil {
		f.Settle(out)
	}
}

// pass takes what comes in, leaves, or goes on to the next iteration.
func (f *Frame) pass(m *Message, out *Outbox) {
	switch m.Verb {
	case Enter:
		f.enters--
		f.credits = append(f.credits, m.Credit)
		f.enter(m, out)
	case Iterate:
		f.iterate(m, out)
		f.recover(f.at(m.Tag.Iter), m.Credit)
	case Leave:
		f.leave(m, out)
		f.recover(f.at(m.Tag.Iter), m.Credit)
	}
}

// enter takes what an Enter brings: for the first iteration, or for all.
func (f *Frame) enter(m *Message, out *Outbox) {
	if m.Node < 0 { // the step begins the root frame
		from := len(out.Sent)
		for _, n := range f.Starts {
			out.Sent = append(out.Sent, Message{Verb: Arrive, Node: n, Slot: -1, Tag: f.tag(f.oldest())})
		}
		f.issue(f.oldest(), from, out)
		return
	}
	h := held{m.Node, m.Dead, m.Value}
	if !f.graph.Nodes[m.Node].Constant {
		f.deliver(f.oldest(), h, out)
		out.drop(m.Value)
		return
	}
	f.consts = append(f.consts, h)
	for _, it := range f.Alive() {
		f.deliver(it, h, out)
	}
}

// deliver sends what an Enter or NextIteration puts out in an iteration.
func (f *Frame) deliver(it *Iteration, h held, out *Outbox) {
	from := len(out.Sent)
	out.deliver(&f.graph.Nodes[h.node], f.tag(it), h.value, h.dead)
	f.issue(it, from, out)
}

// issue gives what was sent since from a unit of an iteration's credit.
func (f *Frame) issue(it *Iteration, from int, out *Outbox) {
	if !out.divide(from, 0) {
		return
	}
	if it.full() {
		f.lively++
	}
	it.issued++
}

// recover takes credit of an iteration back.
func (f *Frame) recover(it *Iteration, c Credit) {
	if c == None {
		return
	}
	it.purse.Add(c)
	if it.full() {
		f.lively--
	}
}

// iterate takes a value for the iteration after the one that it comes from, which
// starts with it unless as many are alive as may be: then the value waits.
func (f *Frame) iterate(m *Message, out *Outbox) {
	h := held{node: m.Node, value: m.Value}
	it := f.at(m.Tag.Iter + 1)
	if it == nil && f.living() >= f.Parallel {
		f.queued = append(f.queued, h)
		return
	}
	if it == nil {
		it = f.advance(out)
	}
	f.deliver(it, h, out)
	out.drop(h.value)
}

// advance starts an iteration with the values that waited for it, then with the
// constants.
func (f *Frame) advance(out *Outbox) *Iteration {
	it := f.start()
	for i, h := range f.queued {
		f.deliver(it, h, out)
		out.drop(h.value)
		f.queued[i] = held{}
	}
	f.queued = f.queued[:0]
	for _, h := range f.consts {
		f.deliver(it, h, out)
	}
	return it
}

// leave hands an Exit's value on, with credit of the iteration around.
func (f *Frame) leave(m *Message, out *Outbox) {
	n := &f.graph.Nodes[m.Node]
	if f.left[n.Aux] {
		out.fail(m.Node, f.Around, status.Invalid("an Exit of frame %q has a value in more than one iteration", f.Name))
		return
	}
	f.left[n.Aux] = true
	from := len(out.Sent)
	out.deliver(n, f.Around, m.Value, false)
	f.spend(from, out)
	out.drop(m.Value)
}

// spend gives what was sent since from a part of the credit that the frame holds of
// the iteration around, and keeps the other.
func (f *Frame) spend(from int, out *Outbox) {
	last := len(f.credits) - 1
	if out.divide(from, f.credits[last]+1) {
		f.credits[last]++
	}
}

// Note takes news of an iteration. What comes after its end, without credit,
// says nothing new.
func (f *Frame) Note(m *Message, out *Outbox) {
	it := f.at(m.Tag.Iter)
	if it == nil {
		return
	}
	if m.News&(Opened|Acted|Lingers) != 0 && f.Parent >= 0 {
		local := f.graph.Nodes[m.Node].Local
		word, bit := local/64, uint64(1)<<(local%64)
		if m.News&Opened != 0 {
			it.opened[word] |= bit
		}
		if m.News&Acted != 0 {
			it.acted[word] |= bit
		}
		if m.News&Lingers != 0 && it.Index == f.next-1 {
			f.lingers = append(f.lingers, m.Node)
		}
	}
	if m.News&Suspended != 0 {
		it.waiting++
	}
	if m.News&Ended != 0 {
		it.waiting--
	}
	f.recover(it, m.Credit)
}

// Settle ends what is over, after news: iterations in their order, and the frame.
func (f *Frame) Settle(out *Outbox) {
	for f.living() > 0 && f.done(f.oldest()) {
		f.dismiss(f.oldest(), out)
		f.retire()
		if len(f.queued) > 0 {
			f.advance(out)
		}
	}
	switch {
	case f.lively > 0 || len(f.credits) == 0:
	case f.living() == 0:
		f.end(out)
	default:
		news := Suspended
		if f.suspended {
			news = 0
		}
		f.suspended = true
		f.repay(news, out)
	}
}

// done reports whether an iteration is over, of which all before it are.
func (f *Frame) done(it *Iteration) bool {
	return it.full() && it.waiting == 0 && (it.Index > 0 || f.enters == 0)
}

// dismiss tells the nodes that keep something for an iteration that it is over. One
// that has acted meanwhile knows nothing of it.
func (f *Frame) dismiss(it *Iteration, out *Outbox) {
	for w, opened := range it.opened {
		for left := opened &^ it.acted[w]; left != 0; left &= left - 1 {
			local := w*64 + trailing(left)
			out.Sent = append(out.Sent, Message{Verb: Retire, Credit: None, Node: f.Members[local], Tag: f.tag(it)})
		}
	}
}

// end ends the frame: the Exits that were dead in its last iteration are dead, and
// the credit of the iteration around goes back.
func (f *Frame) end(out *Outbox) {
	f.giveUp(f.consts, out)
	f.consts = f.consts[:0]
	for _, x := range f.lingers {
		from := len(out.Sent)
		out.die(&f.graph.Nodes[x], f.Around)
		f.spend(from, out)
	}
	news := News(0)
	if f.suspended {
		news = Ended
	}
	f.repay(news, out)
	f.Over = true
}

// repay gives all credit of the iteration around back, with news.
func (f *Frame) repay(news News, out *Outbox) {
	for _, c := range f.credits {
		out.notice(f.Around, -1, c, news)
		news = 0
	}
	f.credits = f.credits[:0]
}
