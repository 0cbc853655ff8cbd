package protocol

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/troupe-go/troupe/status"
)

// A Worker runs parts of steps for masters, and exchanges tensors with other workers.
// Its methods take one event and append what follows to an [Outbox].
type Worker struct {
	self     Incarnation
	at       Peer
	config   Config
	peers    neighbours
	sessions map[SessionID]*workerSession
	graphs   GraphMgr
	steps    map[StepID]*workerStep
	sending  LinkEvent // of send
}

// A workerSession is a session of a master's.
type workerSession struct {
	master Peer
	floor  uint64           // all steps below are over
	ended  map[uint64]*Item // those above that are here, with the part that ran, if one did
}

// A workerStep is a step that the worker runs, or for which tensors have come before it.
type workerStep struct {
	id      StepID
	item    *Item // nil until it is executed
	meeting Rendezvous
	stopped error
	mute    bool // its master is lost: the result is not reported
}

// NewWorker returns a worker. Workers connect to each other when a part is registered
// that exchanges tensors; the one of the lower address dials.
func NewWorker(self Incarnation, at Peer, config Config) *Worker {
	return &Worker{self: self, at: at, config: config, peers: neighbours{at: map[Peer]*neighbour{}}, sessions: map[SessionID]*workerSession{}, steps: map[StepID]*workerStep{}}
}

// Idle reports whether the worker holds nothing of any step.
func (w *Worker) Idle() bool {
	for _, n := range w.peers.at {
		if len(n.flow.blocked) > 0 || n.flow.owed != 0 {
			return false
		}
	}
	return len(w.steps) == 0
}

// Credit returns the bytes that the worker may send to another one, and whether they are connected.
func (w *Worker) Credit(p Peer) (int64, bool) {
	n := w.peers.at[p]
	if n == nil {
		return 0, false
	}
	return n.flow.credit, n.link.Open()
}

// Receive takes a packet of the process at an address.
func (w *Worker) Receive(from Peer, p Packet, out *Outbox) {
	n := w.peers.at[from]
	if n == nil {
		if p.Kind != Hello {
			if p.Kind != Reset {
				out.Sent = append(out.Sent, Sent{from, Packet{Kind: Reset, Conn: p.Conn}})
			}
			return
		}
		n = w.peers.add(from, w.self, false, &w.config) // which dials, as masters do
	}
	n.idle = 0
	var ev LinkEvent
	n.link.Receive(p, &ev)
	w.follow(from, n, &ev, out)
}

// Beat is called in each period of the timer.
func (w *Worker) Beat(out *Outbox) {
	for _, p := range w.peers.order {
		n := w.peers.at[p]
		if n.flow.owed > 0 {
			w.send(p, Message{Verb: Credit, Size: n.flow.owed}, out)
			n.flow.owed = 0
		}
		var ev LinkEvent
		n.link.Beat(&ev)
		w.follow(p, n, &ev, out)
	}
	w.graphs.each(func(it *Item) {
		if !it.compiled || it.registered {
			return
		}
		if it.waited++; it.waited >= 2*w.config.patience() {
			w.unconnected(it, out)
		}
	})
	w.peers.forget(&w.config, w.needs, out)
}

// needs reports whether a process is the master of a session, or exchanges tensors with a part.
func (w *Worker) needs(p Peer) bool {
	for _, s := range w.sessions {
		if s.master == p {
			return true
		}
	}
	for _, it := range w.graphs.items {
		if slices.Contains(it.peers, p) {
			return true
		}
	}
	for _, st := range w.steps { // whose part may have been released
		if st.item != nil && slices.Contains(st.item.peers, p) {
			return true
		}
	}
	return false
}

// Knows reports whether the worker has a link with a process, and Peers with how many.
func (w *Worker) Knows(p Peer) bool { return w.peers.at[p] != nil }

// Peers is described with Knows.
func (w *Worker) Peers() int { return len(w.peers.at) }

// unconnected gives up a part whose worker does not come to be connected with another one.
func (w *Worker) unconnected(it *Item, out *Outbox) {
	for _, p := range it.peers {
		if !w.peers.at[p].link.Open() {
			w.send(w.sessions[it.id.session].master, Message{Verb: Registered, Step: StepID{SessionID: it.id.session}, Handle: it.id.handle,
				Err: status.Errorf(status.Unavailable, "worker %s did not connect with worker %s", w.config.name(w.at), w.config.name(p))}, out)
			break
		}
	}
	w.release(it, out)
}

// follow does what a link's event asks for.
func (w *Worker) follow(from Peer, n *neighbour, ev *LinkEvent, out *Outbox) {
	out.flush(from, ev)
	if ev.Lost {
		w.lost(from, n, out)
	}
	if ev.Opened {
		n.flow = flow{credit: w.config.Window}
		w.graphs.each(func(it *Item) {
			if !it.registered && slices.Contains(it.peers, from) {
				w.ready(it, out)
			}
		})
	}
	for i := range ev.Delivered {
		w.take(from, n, &ev.Delivered[i], out)
	}
}

// send sends a message over a link that may be closed: then it is dropped.
func (w *Worker) send(to Peer, m Message, out *Outbox) {
	w.peers.at[to].link.Send(m, &w.sending)
	out.flush(to, &w.sending)
}

// lost ends what needed a link.
func (w *Worker) lost(from Peer, n *neighbour, out *Outbox) {
	n.flow.cancel(func(StepID) bool { return true }, out)
	n.flow = flow{}
	for _, st := range w.inOrder(func(st *workerStep) bool { return len(st.meeting.arrived) > 0 }) {
		st.meeting.forget(from, out)
	}
	for _, s := range w.sessionsOf(from) {
		w.close(s, status.Errorf(status.Aborted, "the connection with the master at %s was lost", w.config.name(from)), out)
	}
	for _, it := range w.exchanging(from) {
		w.send(w.sessions[it.id.session].master, Message{Verb: Registered, Step: StepID{SessionID: it.id.session}, Handle: it.id.handle,
			Err: status.Errorf(status.Unavailable, "the connection of worker %s with worker %s was lost", w.config.name(w.at), w.config.name(from))}, out)
		if w.graphs.find(it.id) == it {
			w.release(it, out)
		}
	}
	for _, st := range w.inOrder(func(st *workerStep) bool { return st.item != nil && slices.Contains(st.item.peers, from) }) {
		w.stop(st, status.Errorf(status.Unavailable, "the connection of worker %s with worker %s was lost", w.config.name(w.at), w.config.name(from)), out)
	}
}

// exchanging returns the parts that may have missed tensors of a worker, or it theirs, when the
// connection with it is lost: those that are registered, and those of steps that have ended
// here and perhaps not there.
func (w *Worker) exchanging(with Peer) (all []*Item) {
	w.graphs.each(func(it *Item) {
		if it.registered && slices.Contains(it.peers, with) {
			all = append(all, it)
		}
	})
	for _, s := range w.sessions {
		for _, it := range s.ended {
			if it != nil && slices.Contains(it.peers, with) && !slices.Contains(all, it) {
				all = append(all, it)
			}
		}
	}
	slices.SortFunc(all, func(a, b *Item) int { return a.id.compare(b.id) })
	return all
}

// sessionsOf returns the sessions of a master, in order.
func (w *Worker) sessionsOf(master Peer) (all []SessionID) {
	for id, s := range w.sessions {
		if s.master == master {
			all = append(all, id)
		}
	}
	slices.SortFunc(all, func(a, b SessionID) int {
		return cmp.Or(cmp.Compare(a.Master, b.Master), cmp.Compare(a.Number, b.Number))
	})
	return all
}

// inOrder returns steps in the order of their numbers.
func (w *Worker) inOrder(which func(*workerStep) bool) (all []*workerStep) {
	for _, st := range w.steps {
		if which(st) {
			all = append(all, st)
		}
	}
	slices.SortFunc(all, func(a, b *workerStep) int {
		return cmp.Or(cmp.Compare(a.id.Master, b.id.Master), cmp.Compare(a.id.Number, b.id.Number), cmp.Compare(a.id.Step, b.id.Step))
	})
	return all
}

// close ends a session, without reports to its master.
func (w *Worker) close(id SessionID, why error, out *Outbox) {
	delete(w.sessions, id)
	for _, st := range w.inOrder(func(st *workerStep) bool { return st.id.SessionID == id }) {
		st.mute = true
		if st.item == nil {
			w.end(st, out)
			continue
		}
		w.stop(st, why, out)
	}
	w.peers.cancel(func(s StepID) bool { return s.SessionID == id }, out)
	for _, it := range w.graphs.of(id) {
		w.release(it, out)
	}
	out.do(Effect{Kind: EndSession, Step: StepID{SessionID: id}, Err: why})
}

func (w *Worker) release(it *Item, out *Outbox) {
	w.graphs.deregister(it.id)
	out.do(Effect{Kind: Release, Step: StepID{SessionID: it.id.session}, Handle: it.id.handle})
}

// take takes a message, which comes once and in order.
func (w *Worker) take(from Peer, n *neighbour, m *Message, out *Outbox) {
	switch m.Verb {
	case Register:
		w.register(from, m, out)
	case Deregister, Execute, Abort, CloseSession:
		s := w.sessions[m.Step.SessionID]
		if s == nil || s.master != from {
			if m.Verb == Execute {
				w.send(from, Message{Verb: Executed, Step: m.Step, Err: status.Errorf(status.Aborted, "worker %s does not know the session", w.config.name(w.at))}, out)
			}
			return
		}
		switch m.Verb {
		case Deregister:
			if it := w.graphs.find(handleID{m.Step.SessionID, m.Handle}); it != nil {
				w.release(it, out)
			}
		case Execute:
			w.execute(from, s, m, out)
		case Abort:
			w.abort(m, out)
		case CloseSession:
			w.close(m.Step.SessionID, status.Errorf(status.Canceled, "the session was closed"), out)
		}
	case Tensor:
		w.arrived(from, n, m, out)
	case Offer:
		if st := w.step(m.Step); st != nil && st.stopped == nil && st.meeting.offer(place{from, m.Key}) {
			w.send(from, Message{Verb: Want, Step: m.Step, Key: m.Key}, out)
		}
	case Want:
		if t, ok := n.flow.want(m.Step, m.Key); ok {
			w.send(from, t, out)
		}
	case Credit:
		for _, t := range n.flow.earn(m.Size) {
			w.send(from, t, out)
		}
	}
}

// register begins to register a part.
func (w *Worker) register(from Peer, m *Message, out *Outbox) {
	s := w.sessions[m.Step.SessionID]
	if s == nil {
		s = &workerSession{master: from, floor: m.Floor, ended: map[uint64]*Item{}}
		w.sessions[m.Step.SessionID] = s
	}
	it := w.graphs.register(handleID{m.Step.SessionID, m.Handle}, m.Peers)
	if it == nil {
		return
	}
	for _, p := range m.Peers {
		w.peers.add(p, w.self, w.config.dials(w.at, p), &w.config)
	}
	out.do(Effect{Kind: Compile, Step: StepID{SessionID: m.Step.SessionID}, Handle: m.Handle, Value: m.Value})
}

// Compiled reports that the shell has compiled the part of a handle, or why it cannot.
func (w *Worker) Compiled(id SessionID, handle uint64, err error, out *Outbox) {
	it := w.graphs.find(handleID{id, handle})
	if it == nil {
		return
	}
	if err != nil {
		w.graphs.deregister(it.id)
		w.send(w.sessions[id].master, Message{Verb: Registered, Step: StepID{SessionID: id}, Handle: handle, Err: err}, out)
		return
	}
	it.compiled = true
	w.ready(it, out)
}

// ready reports a part as registered if it is compiled and all its links are open.
func (w *Worker) ready(it *Item, out *Outbox) {
	if !it.compiled {
		return
	}
	for _, p := range it.peers {
		if !w.peers.at[p].link.Open() {
			return
		}
	}
	it.registered = true
	w.send(w.sessions[it.id.session].master, Message{Verb: Registered, Step: StepID{SessionID: it.id.session}, Handle: it.id.handle}, out)
}

// execute starts a part.
func (w *Worker) execute(from Peer, s *workerSession, m *Message, out *Outbox) {
	w.raise(s, m.Step.SessionID, m.Floor, out)
	refuse := func(err error) {
		s.ended[m.Step.Step] = nil
		if st := w.steps[m.Step]; st != nil {
			w.end(st, out)
		}
		out.drop(m.Value)
		w.send(from, Message{Verb: Executed, Step: m.Step, Err: err}, out)
	}
	it := w.graphs.find(handleID{m.Step.SessionID, m.Handle})
	if it == nil || !it.registered {
		refuse(status.Errorf(status.Aborted, "worker %s has no part of handle %d", w.config.name(w.at), m.Handle))
		return
	}
	if running := w.running(); w.config.MaxSteps > 0 && running >= w.config.MaxSteps {
		refuse(status.Errorf(status.ResourceExhausted, "worker %s runs %d steps, its limit", w.config.name(w.at), running))
		return
	}
	st := w.step(m.Step)
	if st == nil || st.item != nil {
		refuse(status.Errorf(status.Internal, "step %d comes twice", m.Step.Step))
		return
	}
	st.item = it
	out.do(Effect{Kind: Start, Step: m.Step, Handle: m.Handle, Value: m.Value, Floor: s.floor})
}

// raise notes that all steps of a session below one are over.
func (w *Worker) raise(s *workerSession, id SessionID, floor uint64, out *Outbox) {
	if floor <= s.floor {
		return
	}
	s.floor = floor
	for n := range s.ended {
		if n < floor {
			delete(s.ended, n)
		}
	}
	for _, st := range w.inOrder(func(st *workerStep) bool {
		return st.item == nil && st.id.SessionID == id && st.id.Step < floor
	}) {
		w.end(st, out)
	}
}

// running returns the number of parts that run.
func (w *Worker) running() (n int) {
	for _, st := range w.steps {
		if st.item != nil {
			n++
		}
	}
	return n
}

// step returns a step of a session that is known and that is not over, from now on kept.
func (w *Worker) step(id StepID) *workerStep {
	if st := w.steps[id]; st != nil {
		return st
	}
	s := w.sessions[id.SessionID]
	if s == nil || id.Step < s.floor {
		return nil
	}
	if _, ended := s.ended[id.Step]; ended {
		return nil
	}
	st := &workerStep{id: id}
	w.steps[id] = st
	return st
}

// abort ends a step for its master, which knows of the failure. Execute was before it.
func (w *Worker) abort(m *Message, out *Outbox) {
	w.peers.cancel(func(id StepID) bool { return id == m.Step }, out)
	if st := w.steps[m.Step]; st != nil && st.item != nil {
		w.stop(st, m.Err, out)
	}
}

// stop asks the shell to end a part.
func (w *Worker) stop(st *workerStep, why error, out *Outbox) {
	if st.stopped != nil {
		return
	}
	st.stopped = why
	w.peers.cancel(func(id StepID) bool { return id == st.id }, out)
	out.do(Effect{Kind: Stop, Step: st.id, Err: why})
}

// end forgets a step: what has come for it is consumed.
func (w *Worker) end(st *workerStep, out *Outbox) {
	delete(w.steps, st.id)
	for _, p := range st.meeting.places() {
		a := st.meeting.arrived[p]
		out.drop(a.value)
		w.consumed(p.from, a.size, out)
	}
}

// consumed gives credit back.
func (w *Worker) consumed(from Peer, size int64, out *Outbox) {
	n := w.peers.at[from]
	if n == nil || !n.link.Open() {
		return
	}
	if n.flow.owed += size; n.flow.owed >= w.config.Window/4 {
		w.send(from, Message{Verb: Credit, Size: n.flow.owed}, out)
		n.flow.owed = 0
	}
}

// arrived takes a tensor of another worker.
func (w *Worker) arrived(from Peer, n *neighbour, m *Message, out *Outbox) {
	st := w.step(m.Step)
	if st == nil || st.stopped != nil {
		out.drop(m.Value)
		w.consumed(from, m.Size, out)
		return
	}
	deliver, ok := st.meeting.arrive(place{from, m.Key}, arrival{m.Value, m.Size})
	switch {
	case deliver:
		out.do(Effect{Kind: Deliver, Step: m.Step, Key: m.Key, Value: m.Value})
		w.consumed(from, m.Size, out)
	case !ok:
		out.drop(m.Value)
		w.consumed(from, m.Size, out)
		if st.item != nil {
			w.stop(st, status.Errorf(status.Aborted, "Duplicated send: %s", m.Key), out)
		}
	}
}

// Produced takes a tensor that a running part sends to another worker, or to the Owner. It fails
// unless the part's registration names that worker. What is sent to the Owner has no size, as it
// takes no credit.
func (w *Worker) Produced(id StepID, to Peer, key string, value any, size int64, out *Outbox) error {
	st := w.steps[id]
	if st == nil || st.item == nil || st.stopped != nil {
		out.drop(value)
		return nil
	}
	if to == Owner {
		to, size = w.sessions[id.SessionID].master, 0
	}
	n := w.peers.at[to]
	if n == nil {
		out.drop(value)
		return w.strange(to)
	}
	w.send(to, n.flow.send(Message{Verb: Tensor, Step: id, Key: key, Value: value, Size: size}), out)
	return nil
}

// strange is what is wrong with a part that names a worker which its registration does not.
func (w *Worker) strange(p Peer) error {
	return status.Invalid("a part of worker %s exchanges tensors with worker %s, which its registration does not name", w.config.name(w.at), w.config.name(p))
}

// Wanted takes a running part's request for a tensor of another worker, or of the Owner. Deliver
// follows, or Stop, unless it fails: the part's registration must name the worker.
func (w *Worker) Wanted(id StepID, from Peer, key string, out *Outbox) error {
	st := w.steps[id]
	if st == nil || st.item == nil || st.stopped != nil {
		return nil
	}
	if from == Owner {
		from = w.sessions[id.SessionID].master
	}
	if w.peers.at[from] == nil {
		return w.strange(from)
	}
	a, come, ask := st.meeting.want(place{from, key})
	if come {
		out.do(Effect{Kind: Deliver, Step: id, Key: key, Value: a.value})
		w.consumed(from, a.size, out)
	}
	if ask {
		w.send(from, Message{Verb: Want, Step: id, Key: key}, out)
	}
	return nil
}

// Finished reports that a part has ended, with its fetches or an error.
func (w *Worker) Finished(id StepID, fetches any, err error, out *Outbox) {
	st := w.steps[id]
	if st == nil || st.item == nil {
		out.drop(fetches)
		return
	}
	if st.stopped != nil {
		err = st.stopped
	}
	if err != nil {
		w.peers.cancel(func(s StepID) bool { return s == id }, out)
		out.drop(fetches)
		fetches = nil
	}
	w.end(st, out)
	if st.mute {
		out.drop(fetches)
		return
	}
	s := w.sessions[id.SessionID]
	s.ended[id.Step] = st.item
	w.send(s.master, Message{Verb: Executed, Step: id, Value: fetches, Err: err}, out)
}

// Left reports what the worker holds of steps; "" if it is idle.
func (w *Worker) Left() string {
	var s []string
	for _, st := range w.inOrder(func(*workerStep) bool { return true }) {
		s = append(s, fmt.Sprintf("step %d (runs: %v, %d tensors)", st.id.Step, st.item != nil, len(st.meeting.arrived)))
	}
	for _, p := range w.peers.order {
		if f := &w.peers.at[p].flow; len(f.blocked) > 0 || f.owed > 0 {
			s = append(s, fmt.Sprintf("%d tensors blocked to %d, %d bytes owed", len(f.blocked), p, f.owed))
		}
	}
	return strings.Join(s, "; ")
}
