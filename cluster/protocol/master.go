package protocol

import (
	"maps"
	"slices"

	"github.com/troupe-go/troupe/status"
)

// A Master has sessions, whose graphs are divided among workers, and runs their steps.
// Its methods take one event and append what follows to an [Outbox].
type Master struct {
	self     Incarnation
	config   Config
	workers  neighbours
	sessions map[uint64]*session
	beats    uint64
	running  int
	handles  uint64
	sending  LinkEvent // of send
}

// A session has graphs and steps.
type session struct {
	id     SessionID
	graphs map[uint64]*divided
	steps  map[uint64]*step
	next   uint64 // the number of the next step
}

// A Part is what one worker runs of a graph.
type Part struct {
	Worker Peer
	Peers  []Peer // the workers with which it exchanges tensors
	Value  any    // what the worker's shell compiles
}

// A divided graph is one of which each part is registered with its worker.
type divided struct {
	parts   []Part
	state   []registration
	handles []uint64
	waiting []*step // steps that wait for the registration, in order
	since   uint64  // the beat at which the first of waiting began to wait, or last had reason to
	broken  bool    // a link that the registration needs was lost since they wait
	renewed uint64  // how often its registrations have been voided
}

// A registration is how far the registration of a part has come.
type registration uint8

const (
	unregistered registration = iota
	registering
	registered
)

// A step runs the parts of a graph once.
type step struct {
	id      StepID
	request uint64
	graph   *divided
	feeds   []any // by part
	early   []fed // before the step was started
	fetches []any
	pending map[Peer]bool // workers that have not reported
	started bool
	renewed uint64   // of graph, when it was started: which registrations it runs
	handles []uint64 // these, by part
	err     error
	aborted uint64 // the beat at which it was
}

// A fed value goes to a running part.
type fed struct {
	to    Peer
	key   string
	value any
}

// NewMaster returns a master.
func NewMaster(self Incarnation, config Config) *Master {
	return &Master{self: self, config: config, workers: neighbours{at: map[Peer]*neighbour{}}, sessions: map[uint64]*session{}}
}

// Idle reports whether no step is running.
func (m *Master) Idle() bool { return m.running == 0 }

// Remote returns the incarnation of a worker that is connected.
func (m *Master) Remote(p Peer) (Incarnation, bool) {
	n := m.workers.at[p]
	if n == nil || !n.link.Open() {
		return 0, false
	}
	return n.link.Remote(), true
}

// Knows reports whether the master has a link with a worker, which it has not forgotten.
func (m *Master) Knows(p Peer) bool { return m.workers.at[p] != nil }

// Open makes a session, of a number that has not been used.
func (m *Master) Open(number uint64) {
	m.sessions[number] = &session{id: SessionID{m.self, number}, graphs: map[uint64]*divided{}, steps: map[uint64]*step{}, next: 1}
}

// Add adds a divided graph to a session. At most one part is for each worker, and a part's
// peers are those for which the graph has parts.
func (m *Master) Add(number, graph uint64, parts []Part) {
	s := m.sessions[number]
	s.graphs[graph] = &divided{parts: parts, state: make([]registration, len(parts)), handles: make([]uint64, len(parts))}
	for _, p := range parts {
		m.workers.add(p.Worker, m.self, true, &m.config)
	}
}

// Run begins a step; a Reply to the request follows. Feeds are by part.
func (m *Master) Run(request, number, graph uint64, feeds []any, out *Outbox) {
	s := m.sessions[number]
	if s == nil || s.graphs[graph] == nil {
		out.do(Effect{Kind: Reply, Request: request, Err: status.Errorf(status.Aborted, "session %d has no graph %d", number, graph)})
		return
	}
	if m.config.MaxSteps > 0 && m.running >= m.config.MaxSteps {
		out.do(Effect{Kind: Reply, Request: request, Err: status.Errorf(status.ResourceExhausted, "%d steps are running, the limit of the master", m.running)})
		return
	}
	g := s.graphs[graph]
	st := &step{id: StepID{s.id, s.next}, request: request, graph: g, feeds: feeds, fetches: make([]any, len(g.parts)), pending: map[Peer]bool{}}
	s.next++
	s.steps[st.id.Step] = st
	m.running++
	if len(g.waiting) == 0 {
		g.since, g.broken = m.beats, false
	}
	g.waiting = append(g.waiting, st)
	m.register(s, g, out)
}

// find returns the step of a request; nil if it is over.
func (m *Master) find(request uint64) (*session, *step) {
	for _, s := range m.sessions {
		for _, st := range s.steps {
			if st.request == request {
				return s, st
			}
		}
	}
	return nil, nil
}

// Cancel ends a request's step with an error.
func (m *Master) Cancel(request uint64, err error, out *Outbox) {
	if s, st := m.find(request); st != nil {
		m.fail(s, st, err, out)
	}
}

// Feed gives a value to a part of a request's step that runs, or will: the part on that worker
// wants it, by key, of its Owner. What parts produce for their Owner comes as Deliver, before the
// Reply.
func (m *Master) Feed(request uint64, worker Peer, key string, value any, out *Outbox) {
	_, st := m.find(request)
	switch {
	case st == nil || st.err != nil || st.started && !st.pending[worker]:
		out.drop(value)
	case st.started:
		m.send(worker, Message{Verb: Tensor, Step: st.id, Key: key, Value: value}, out)
	default:
		st.early = append(st.early, fed{worker, key, value})
	}
}

// Close closes a session. Its steps are ended.
func (m *Master) Close(number uint64, out *Outbox) {
	s := m.sessions[number]
	if s == nil {
		return
	}
	to := map[Peer]bool{}
	for _, g := range s.graphs {
		for i, p := range g.parts {
			to[p.Worker] = to[p.Worker] || g.state[i] != unregistered
		}
	}
	for _, st := range s.inOrder() {
		m.finish(s, st, status.Errorf(status.Canceled, "the session was closed"), out)
	}
	for _, p := range m.workers.order {
		if to[p] {
			m.send(p, Message{Verb: CloseSession, Step: StepID{SessionID: s.id}}, out)
		}
	}
	delete(m.sessions, number)
}

// inOrder returns the session's steps in the order of their numbers.
func (s *session) inOrder() (all []*step) {
	for _, n := range slices.Sorted(maps.Keys(s.steps)) {
		all = append(all, s.steps[n])
	}
	return all
}

// floor returns the number below which all steps are over.
func (s *session) floor() uint64 {
	low := s.next
	for n := range s.steps {
		low = min(low, n)
	}
	return low
}

// inSessions returns the sessions in the order of their numbers.
func (m *Master) inSessions() (all []*session) {
	for _, n := range slices.Sorted(maps.Keys(m.sessions)) {
		all = append(all, m.sessions[n])
	}
	return all
}

func (s *session) inGraphs() (all []*divided) {
	for _, n := range slices.Sorted(maps.Keys(s.graphs)) {
		all = append(all, s.graphs[n])
	}
	return all
}

// Receive takes a packet of the process at an address.
func (m *Master) Receive(from Peer, p Packet, out *Outbox) {
	n := m.workers.at[from]
	if n == nil {
		return
	}
	n.idle = 0
	var ev LinkEvent
	n.link.Receive(p, &ev)
	m.follow(from, &ev, out)
}

// Beat is called in each period of the timer.
func (m *Master) Beat(out *Outbox) {
	m.beats++
	for _, p := range m.workers.order {
		n := m.workers.at[p]
		var ev LinkEvent
		n.link.Beat(&ev)
		m.follow(p, &ev, out)
	}
	patience := uint64(m.config.patience())
	for _, s := range m.inSessions() {
		for _, st := range s.inOrder() {
			if st.err != nil && m.beats-st.aborted >= patience {
				m.finish(s, st, st.err, out) // somebody does not end it
			}
		}
		for _, g := range s.inGraphs() {
			switch {
			case len(g.waiting) == 0:
			case m.connected(g) && !g.broken: // workers compile, or report that they cannot connect with each other
				g.since = m.beats
			case m.beats-g.since >= 2*patience:
				m.giveUp(s, g, out)
			}
		}
	}
	m.workers.forget(&m.config, m.needs, out)
}

// needs reports whether a graph has a part on a worker.
func (m *Master) needs(p Peer) bool {
	for _, s := range m.sessions {
		for _, g := range s.graphs {
			if slices.ContainsFunc(g.parts, func(part Part) bool { return part.Worker == p }) {
				return true
			}
		}
	}
	return false
}

// connected reports whether all workers of a graph are connected.
func (m *Master) connected(g *divided) bool {
	for _, p := range g.parts {
		if !m.workers.at[p.Worker].link.Open() {
			return false
		}
	}
	return true
}

// Unacknowledged returns how many messages workers may not have got.
func (m *Master) Unacknowledged() (n int) {
	for _, e := range m.workers.at {
		n += e.link.Unacknowledged()
	}
	return n
}

// giveUp fails the steps that wait for a registration that does not come.
func (m *Master) giveUp(s *session, g *divided, out *Outbox) {
	err := status.Errorf(status.Unavailable, "the graph could not be registered in time: connections with its workers were lost again and again")
	for _, p := range g.parts {
		if !m.workers.at[p.Worker].link.Open() {
			err = status.Errorf(status.Unavailable, "worker %s cannot be reached", m.config.name(p.Worker))
			break
		}
	}
	for _, st := range slices.Clone(g.waiting) {
		m.finish(s, st, err, out)
	}
}

// follow does what a link's event asks for.
func (m *Master) follow(from Peer, ev *LinkEvent, out *Outbox) {
	out.flush(from, ev)
	if ev.Lost {
		m.lost(from, out)
	}
	if ev.Opened {
		for _, s := range m.inSessions() {
			for _, g := range s.inGraphs() {
				if len(g.waiting) > 0 {
					m.register(s, g, out)
				}
			}
		}
	}
	for i := range ev.Delivered {
		m.take(from, &ev.Delivered[i], out)
	}
}

// lost fails what ran on a worker, whose registrations are void.
func (m *Master) lost(from Peer, out *Outbox) {
	for _, s := range m.inSessions() {
		for _, g := range s.inGraphs() {
			// The other parts hold their registrations for connections with this worker.
			if i := slices.IndexFunc(g.parts, func(p Part) bool { return p.Worker == from }); i >= 0 {
				g.state[i], g.broken = unregistered, true
				m.renew(s, g, out)
			}
		}
		for _, st := range s.inOrder() {
			// Also one whose part has ended there: tensors of it may not have been sent.
			if st.started && slices.ContainsFunc(st.graph.parts, func(p Part) bool { return p.Worker == from }) {
				delete(st.pending, from)
				m.fail(s, st, status.Errorf(status.Unavailable, "the connection with worker %s was lost", m.config.name(from)), out)
			}
		}
		for _, g := range s.inGraphs() {
			if len(g.waiting) > 0 {
				m.register(s, g, out)
			}
		}
	}
}

// send sends a message over a link that may be closed: then it is dropped.
func (m *Master) send(to Peer, msg Message, out *Outbox) {
	m.workers.at[to].link.Send(msg, &m.sending)
	out.flush(to, &m.sending)
}

// register registers the parts of a graph for which that is to be done, and starts the
// steps that wait once all are.
func (m *Master) register(s *session, g *divided, out *Outbox) {
	all := true
	for i, p := range g.parts {
		if g.state[i] == unregistered && m.workers.at[p.Worker].link.Open() {
			m.handles++
			g.state[i], g.handles[i] = registering, m.handles
			m.send(p.Worker, Message{Verb: Register, Step: StepID{SessionID: s.id}, Handle: m.handles, Floor: s.floor(), Peers: p.Peers, Value: p.Value}, out)
		}
		all = all && g.state[i] == registered
	}
	if !all {
		return
	}
	waiting := g.waiting
	g.waiting = nil
	for _, st := range waiting {
		st.started, st.renewed, st.handles = true, g.renewed, slices.Clone(g.handles)
		for i, p := range g.parts {
			st.pending[p.Worker] = true
			m.send(p.Worker, Message{Verb: Execute, Step: st.id, Handle: g.handles[i], Floor: s.floor(), Value: st.feeds[i]}, out)
		}
		for _, f := range st.early {
			m.send(f.to, Message{Verb: Tensor, Step: st.id, Key: f.key, Value: f.value}, out)
		}
		st.early = nil
		if len(st.pending) == 0 {
			m.finish(s, st, nil, out)
		}
	}
}

// renew voids the registrations of a graph: its next step registers it again.
func (m *Master) renew(s *session, g *divided, out *Outbox) {
	g.renewed++
	for i, p := range g.parts {
		if g.state[i] != unregistered {
			m.send(p.Worker, Message{Verb: Deregister, Step: StepID{SessionID: s.id}, Handle: g.handles[i]}, out)
			g.state[i] = unregistered
		}
	}
}

// take takes a message, which comes once and in order.
func (m *Master) take(from Peer, msg *Message, out *Outbox) {
	s := m.sessions[msg.Step.Number]
	if s == nil || msg.Step.SessionID != s.id {
		out.drop(msg.Value)
		return
	}
	switch msg.Verb {
	case Registered:
		m.registered(s, from, msg, out)
	case Tensor:
		st := s.steps[msg.Step.Step]
		if st == nil || st.err != nil || !st.pending[from] {
			out.drop(msg.Value)
			return
		}
		out.do(Effect{Kind: Deliver, Step: st.id, Request: st.request, Key: msg.Key, Value: msg.Value})
	case Executed:
		st := s.steps[msg.Step.Step]
		if st == nil || !st.pending[from] {
			out.drop(msg.Value)
			return
		}
		delete(st.pending, from)
		if msg.Err != nil {
			// Later steps may have registered the graph again since this one was started.
			if code := status.CodeOf(msg.Err); (code == status.Unavailable || code == status.Aborted) && st.renewed == st.graph.renewed {
				m.renew(s, st.graph, out)
			}
			m.fail(s, st, msg.Err, out)
			return
		}
		i := slices.IndexFunc(st.graph.parts, func(p Part) bool { return p.Worker == from })
		st.fetches[i] = msg.Value
		if len(st.pending) == 0 {
			m.finish(s, st, st.err, out)
		}
	}
}

// registered takes a worker's report of a registration.
func (m *Master) registered(s *session, from Peer, msg *Message, out *Outbox) {
	if msg.Err != nil {
		m.broken(s, from, msg, out)
	}
	for _, g := range s.inGraphs() {
		for i, p := range g.parts {
			if p.Worker != from || g.handles[i] != msg.Handle || g.state[i] == unregistered {
				continue
			}
			switch {
			case msg.Err == nil:
				g.state[i] = registered
				m.register(s, g, out)
				return
			case g.state[i] == registered: // its worker has lost a connection that it needs
				g.state[i], g.broken = unregistered, true
				m.renew(s, g, out)
				if len(g.waiting) > 0 {
					m.register(s, g, out)
				}
				return
			}
			g.state[i] = unregistered
			for _, st := range slices.Clone(g.waiting) {
				m.finish(s, st, msg.Err, out)
			}
			return
		}
	}
}

// broken fails the steps that run by a registration which a lost connection has voided. The
// worker's own part may have ended, and its tensors not have come to where others wait for
// them: on a connection that the other end had left before.
func (m *Master) broken(s *session, from Peer, msg *Message, out *Outbox) {
	for _, st := range s.inOrder() {
		i := slices.Index(st.handles, msg.Handle)
		if i >= 0 && st.graph.parts[i].Worker == from {
			m.fail(s, st, msg.Err, out)
		}
	}
}

// fail ends a step with an error, of which the first counts: parts that run are aborted,
// and the step is reported when they have ended.
func (m *Master) fail(s *session, st *step, err error, out *Outbox) {
	if !st.started {
		m.finish(s, st, err, out)
		return
	}
	if st.err == nil {
		st.err, st.aborted = err, m.beats
		for _, p := range st.graph.parts {
			m.send(p.Worker, Message{Verb: Abort, Step: st.id, Err: err}, out)
		}
	}
	if len(st.pending) == 0 {
		m.finish(s, st, st.err, out)
	}
}

// finish reports a step.
func (m *Master) finish(s *session, st *step, err error, out *Outbox) {
	delete(s.steps, st.id.Step)
	m.running--
	st.graph.waiting = slices.DeleteFunc(st.graph.waiting, func(o *step) bool { return o == st })
	for _, f := range st.early {
		out.drop(f.value)
	}
	e := Effect{Kind: Reply, Step: st.id, Request: st.request, Err: err}
	if err != nil {
		for _, v := range st.fetches {
			out.drop(v)
		}
	} else {
		e.Fetches = st.fetches
	}
	out.do(e)
}
