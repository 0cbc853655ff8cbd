package simulation

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"

	"github.com/troupe-go/troupe/cluster/protocol"
	"github.com/troupe-go/troupe/status"
)

// A world is one run of a scenario.
type world struct {
	s         *Scenario
	rng       *rand.Rand
	echoes    *rand.Rand
	now       Time
	events    events
	serial    int
	net       network
	processes []*process
	trace     Trace
	broken    error
	ended     bool

	asked    map[uint64]*asked
	requests uint64
	session  uint64
	ran      map[ranPart]int
	open     int // requests without a reply
	lasting  []lastingFault
}

// A ranPart is a part of a step that has run to its end, on the worker at an address.
type ranPart struct {
	step protocol.StepID
	at   protocol.Peer
}

// An asked request waits for its reply.
type asked struct {
	graph     int
	feeds     []uint64
	fed, told map[string]uint64 // while it runs
	then      map[string]string // by what is told: what is fed after it
	replied   bool
	gone      bool // its master has died
	cancelled bool
	err       error
	at        Time
	took      Time
	bound     Time // when it must have been answered; 0: there is none
}

// An event happens at a time.
type event struct {
	at     Time
	serial int
	f      func()
}

// events are a heap: the next one is first.
type events []event

func (e events) before(i, j int) bool {
	return e[i].at < e[j].at || e[i].at == e[j].at && e[i].serial < e[j].serial
}

func (e *events) push(x event) {
	*e = append(*e, x)
	h := *e
	for i := len(h) - 1; i > 0 && h.before(i, (i-1)/2); i = (i - 1) / 2 {
		h[i], h[(i-1)/2] = h[(i-1)/2], h[i]
	}
}

func (e *events) pop() event {
	h := *e
	x, last := h[0], len(h)-1
	h[0], h[last] = h[last], event{}
	h = h[:last]
	*e = h
	for i := 0; ; {
		least := 2*i + 1
		if least+1 < last && h.before(least+1, least) {
			least++
		}
		if least >= last || !h.before(least, i) {
			return x
		}
		h[i], h[least] = h[least], h[i]
		i = least
	}
}

// at has f called at a time.
func (w *world) at(t Time, f func()) {
	w.serial++
	w.events.push(event{t, w.serial, f})
}

func (w *world) chance(ofThousand int) bool { return ofThousand > 0 && w.rng.IntN(1000) < ofThousand }

// violated notes that something is not as promised; the first counts.
func (w *world) violated(format string, args ...any) {
	if w.broken == nil {
		w.broken = fmt.Errorf("at %.3f: "+format, append([]any{float64(w.now) / 1000}, args...)...)
		w.tracef("VIOLATED %v", w.broken)
	}
}

// until plays events up to a time, or until done.
func (w *world) until(t Time, done func() bool) {
	for len(w.events) > 0 && w.events[0].at <= t && w.broken == nil {
		if done != nil && done() {
			return
		}
		e := w.events.pop()
		w.now = e.at
		e.f()
	}
	w.now = max(w.now, t)
}

// newWorld starts the processes of a scenario.
func newWorld(s *Scenario, trace Trace) *world {
	w := &world{s: s, rng: rand.New(rand.NewPCG(s.Seed, 42)), echoes: rand.New(rand.NewPCG(s.Seed, 43)), trace: trace, asked: map[uint64]*asked{}, ran: map[ranPart]int{}}
	w.net = network{w: w, links: map[[2]protocol.Peer]int{}, mute: map[[2]protocol.Peer]int{}, back: map[[2]protocol.Peer]int{}}
	for i := range s.Workers + 1 {
		w.processes = append(w.processes, &process{w: w, at: protocol.Peer(i)})
	}
	for _, p := range w.processes {
		p.start()
	}
	return w
}

// A Summary counts the requests of a run, with those that check each graph at the end.
type Summary struct {
	Requests, Succeeded int
	Longest             Time // from a request to a successful reply
}

// Run plays a scenario. It returns the first violation.
func Run(s *Scenario, trace Trace) (sum Summary, err error) {
	w := newWorld(s, trace)
	for _, r := range s.Requests {
		w.at(r.At, func() { w.ask(r) })
	}
	for _, f := range s.Faults {
		w.at(f.At, func() { w.fault(f) })
	}
	patience := Time(s.Config.Patience) * period * 5 / 4
	w.until(s.End, nil)
	// What faults have left behind heals within a few times the patience; then everything
	// that was asked must be answered, and each graph must run.
	healed := s.End
	for _, f := range s.Faults {
		healed = max(healed, f.At+f.For)
	}
	w.until(healed+4*patience, nil)
	w.until(w.now+8*patience+100*period, func() bool { return w.open == 0 && w.left() == "" })
	w.answered()
	for i := range s.Graphs {
		w.ask(Request{Graph: i})
		last := w.asked[w.requests]
		w.until(w.now+8*patience+60*period, func() bool { return last.replied && w.left() == "" })
		if !last.replied && w.broken == nil {
			w.violated("after the faults, graph %d hangs", i)
		}
		if last.err != nil && !s.Graphs[i].fails() {
			w.violated("after the faults, graph %d fails: %v", i, last.err)
		}
	}
	w.until(w.now+60*period, func() bool { return w.left() == "" })
	w.answered()
	if left := w.left(); left != "" {
		w.violated("%s", left)
	}
	w.ended = true
	for _, a := range w.asked {
		sum.Requests++
		if a.replied && a.err == nil {
			sum.Succeeded++
			sum.Longest = max(sum.Longest, a.took)
		}
	}
	return sum, w.broken
}

// begin makes the session and the graphs of a master that has started.
func (w *world) begin() {
	w.session++
	m := w.processes[Master].master
	m.Open(w.session)
	for i, g := range w.s.Graphs {
		var parts []protocol.Part
		for k := range g.Parts {
			p := &g.Parts[k]
			parts = append(parts, protocol.Part{Worker: p.Worker, Peers: p.peers(), Value: p})
		}
		m.Add(w.session, uint64(i), parts)
	}
}

// ask gives the master a request.
func (w *world) ask(r Request) {
	m := w.processes[Master]
	if m.node == nil {
		return
	}
	w.requests++
	id, self := w.requests, m.self
	a := &asked{graph: r.Graph, at: w.now}
	feeds := make([]any, len(w.s.Graphs[r.Graph].Parts))
	for i := range feeds {
		f := w.rng.Uint64()
		a.feeds, feeds[i] = append(a.feeds, f), f
	}
	w.asked[id] = a
	w.open++
	w.tracef("request %d of graph %d", id, r.Graph)
	for _, f := range w.lasting {
		if w.lasts(f) {
			w.bind(f)
		}
	}
	m.do(func() { m.master.Run(id, w.session, uint64(r.Graph), feeds, &m.out) })
	w.exchange(id, a)
	if r.Cancel > 0 {
		w.at(r.Cancel, func() {
			if m.self == self {
				w.tracef("request %d is cancelled", id)
				a.cancelled = true
				if w.bounded() && !a.replied {
					a.bound = w.beyond(w.s.Config.Patience + 3)
				}
				m.do(func() { m.master.Cancel(id, status.Errorf(status.Canceled, "cancelled"), &m.out) })
			}
		})
	}
}

// exchange feeds what the parts of a request's step ask for: some of it before the step has
// started, some after a part has told what it had until then.
func (w *world) exchange(id uint64, a *asked) {
	a.fed, a.told, a.then = map[string]uint64{}, map[string]uint64{}, map[string]string{}
	for _, p := range w.s.Graphs[a.graph].Parts {
		told := ""
		for _, in := range p.Code {
			switch {
			case in.Op == Tell:
				told = in.Key
			case in.Op == Ask:
				a.fed[in.Key] = w.rng.Uint64()
				if told != "" && a.then[told] == "" {
					a.then[told] = in.Key
					continue
				}
				w.feed(id, in.Key, Time(w.rng.Int64N(int64(5*period))))
			}
		}
	}
}

// feed gives the master what a request is fed while it runs, after some time.
func (w *world) feed(id uint64, key string, after Time) {
	a := w.asked[id]
	m := w.processes[Master]
	m.after(after, func() {
		for _, p := range w.s.Graphs[a.graph].Parts {
			if slices.ContainsFunc(p.Code, func(in Instr) bool { return in.Op == Ask && in.Key == key }) {
				m.master.Feed(id, p.Worker, key, a.fed[key], &m.out)
			}
		}
	})
}

// told takes what a part has told.
func (w *world) told(e protocol.Effect) {
	a := w.asked[e.Request]
	if _, twice := a.told[e.Key]; twice || a.replied {
		w.violated("request %d is told %s again, or after its reply", e.Request, e.Key)
		return
	}
	a.told[e.Key] = e.Value.(uint64)
	if key := a.then[e.Key]; key != "" {
		w.feed(e.Request, key, Time(w.rng.Int64N(100)))
	}
}

// reply takes a master's reply.
func (w *world) reply(e protocol.Effect) {
	w.tracef("reply %d: step %d, %v", e.Request, e.Step.Step, e.Err)
	a := w.asked[e.Request]
	g := &w.s.Graphs[a.graph]
	switch {
	case a.replied:
		w.violated("request %d is answered twice", e.Request)
		return
	case a.bound > 0 && w.now > a.bound:
		w.violated("request %d is answered at %d, later than %d", e.Request, w.now, a.bound)
	}
	a.replied, a.err, a.took = true, e.Err, w.now-a.at
	w.open--
	if e.Err != nil {
		if w.s.healthy() && !g.fails() && !a.cancelled {
			w.violated("nothing is wrong, and request %d fails: %v", e.Request, e.Err)
		}
		return
	}
	want, told := g.evaluate(a.feeds, a.fed)
	if !maps.Equal(told, a.told) {
		w.violated("request %d was told %v, and should %v", e.Request, a.told, told)
	}
	for i, p := range g.Parts {
		if got := e.Fetches[i]; got != want[i] {
			w.violated("request %d returns %v for part %d, and should %v", e.Request, got, i, want[i])
		}
		if n := w.ran[ranPart{e.Step, p.Worker}]; n != 1 {
			w.violated("request %d succeeds, and its part on worker %d ran %d times", e.Request, p.Worker, n)
		}
	}
}

// masterDied forgets requests of a master that has crashed.
func (w *world) masterDied() {
	for _, a := range w.asked {
		if !a.replied {
			w.open--
			a.gone, a.replied, a.err = true, true, status.Errorf(status.Unavailable, "the master has crashed")
		}
	}
}

// bounded reports whether the master is and stays well, so that bounds hold.
func (w *world) bounded() bool {
	if w.processes[Master].hung > 0 {
		return false
	}
	for _, f := range w.s.Faults {
		if f.Peer == Master && f.Kind != Cut && f.Kind != Mute && f.Kind != Back && f.At+f.For > w.now {
			return false
		}
	}
	return true
}

// beyond returns the time when so many beats of the slowest clock are over, with what a
// late packet takes.
func (w *world) beyond(beats int) Time {
	return w.now + Time(beats)*period*5/4 + 120*w.s.Delay
}

// A lastingFault is one that has begun and is longer than it takes to notice.
type lastingFault struct {
	Fault
	self protocol.Incarnation // of Crash and Hang: the life that ends or hangs
}

// lasts reports whether a fault holds for longer than it takes to notice, from now on.
func (w *world) lasts(f lastingFault) bool {
	if f.At+f.For-w.now < Time(w.s.Config.Patience+4)*period*5/4 {
		return false
	}
	return f.Kind != Crash && f.Kind != Hang || w.processes[f.Peer].self == f.self
}

// ends returns when a fault is over: a crash ends a hang, as the next life does not hang.
func (w *world) ends(f Fault) Time {
	end := f.At + f.For
	for _, o := range w.s.Faults {
		if f.Kind == Hang && o.Kind == Crash && o.Peer == f.Peer && o.At >= w.now {
			end = min(end, o.At+o.For)
		}
	}
	return end
}

// bind sets the bound for requests that wait while a fault lasts: they cannot run, unless the
// fault keeps nothing from them that they need. A fault of messages alone is not noticed while
// there are none. What takes long by itself may begin when a fault has ended before it was given up.
func (w *world) bind(f lastingFault) {
	if !w.bounded() || f.Peer == f.To && f.Kind != Crash && f.Kind != Hang && f.Kind != Partition {
		return
	}
	a, b := f.Peer, f.To
	if f.Kind == Crash || f.Kind == Hang || f.Kind == Partition || b == Master {
		b = Master
	} else if a == Master {
		a, b = b, Master
	}
	bound := w.beyond(4*w.s.Config.Patience + 6)
	slow := b == Master && f.Kind != Mute && w.ends(f.Fault)-w.now >= Time(3*w.s.Config.Patience+6)*period*5/4
	for _, r := range w.asked {
		g := &w.s.Graphs[r.graph]
		if r.replied || r.bound > 0 || !slow && !g.brief() {
			continue
		}
		for _, p := range g.Parts {
			if p.Worker == a && (b == Master || slices.Contains(p.peers(), b)) {
				r.bound = bound
			}
		}
	}
}

// fault begins a fault.
func (w *world) fault(f Fault) {
	p := w.processes[f.Peer]
	w.tracef("fault   %s of %d (to %d) for %d", f.Kind, f.Peer, f.To, f.For)
	switch f.Kind {
	case Crash:
		if p.node == nil {
			return
		}
		p.crash()
		w.at(w.now+f.For, func() {
			p.start()
			p.hung = 0
		})
	case Hang:
		if p.node == nil || p.hung > 0 {
			return
		}
		p.hung++
		self := p.self
		w.at(w.now+f.For, func() {
			if p.self == self {
				p.wake()
			}
		})
	case Cut:
		w.net.cut(w.net.links, f.Peer, f.To, f.For)
	case Mute:
		w.net.cut(w.net.mute, f.Peer, f.To, f.For)
	case Back:
		w.net.cut(w.net.back, f.Peer, f.To, f.For)
	case Partition:
		for _, q := range w.processes {
			w.net.cut(w.net.links, f.Peer, q.at, f.For)
			w.net.cut(w.net.links, q.at, f.Peer, f.For)
		}
	}
	f.At = w.now
	if l := (lastingFault{f, p.self}); w.lasts(l) {
		w.lasting = append(w.lasting, l)
		w.bind(l)
	}
}

// answered checks that all requests were.
func (w *world) answered() {
	for id := uint64(1); id <= w.requests && w.broken == nil; id++ {
		if !w.asked[id].replied {
			w.violated("request %d is not answered", id)
		}
	}
}

// left reports what is left of any step; "" if nothing is.
func (w *world) left() string {
	for _, p := range w.processes {
		switch {
		case p.node == nil:
			continue
		case p.at == Master:
			if !p.master.Idle() {
				return "the master still has steps"
			}
			continue
		case p.running > 0:
			return fmt.Sprintf("%d parts still run on worker %d", p.running, p.at)
		case !p.worker.Idle():
			return fmt.Sprintf("worker %d still has %s", p.at, p.worker.Left())
		}
		for _, q := range w.processes {
			if credit, open := p.worker.Credit(q.at); open && q.at != Master && credit != w.s.Config.Window {
				return fmt.Sprintf("worker %d may send %d bytes to %d, and should %d", p.at, credit, q.at, w.s.Config.Window)
			}
		}
	}
	return ""
}
