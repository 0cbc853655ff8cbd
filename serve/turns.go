package serve

import (
	"context"
	"math"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/troupe-go/troupe/status"
)

// turns shares the places in which requests run among models. A place that becomes free
// goes to the model that waits and has used the least time, divided by its weight
// (start-time fair queueing: Goyal, Vin, Cheng 1996). A model of which nothing runs gets
// a place in any case, so that one whose requests take long cannot keep others waiting.
type turns struct {
	mu     sync.Mutex
	places int // that run at a time, of models that run something already
	taken  int
	lines  map[*line]bool // in which requests wait
	clock  time.Duration  // time used by the model that was last given a place

	began  time.Time
	passed atomic.Int64 // nanoseconds since began, before which nothing is let pass
}

// A line is where the requests of a model wait, in their order. Its fields are under
// turns.mu, where nothing else is said.
type line struct {
	of      *turns
	name    string
	limit   int     // that run at a time
	cores   int     // how many of them take a place of their own; more run in the loops of those
	weight  float64 // the model's part of the places, in relation to others'
	running int
	used    time.Duration // divided by weight
	typical time.Duration // that one runs
	waiting []*turn
	places  place // the ring of requests that are present
	meter   *meter

	// Changed under turns.mu, but read without it where requests are refused: a server that
	// is offered more than it can do refuses most of them, and those would wait for the lock
	// behind one another, and the few that are accepted behind them.
	room    atomic.Int64 // for requests that run or wait
	present atomic.Int64 // requests that do
	refusal atomic.Pointer[refusal]
}

// A turn is a request that waits in a line, or runs.
type turn struct {
	granted chan struct{} // closed when it may run; nil if it may at once
	began   time.Time
	charged time.Duration
}

func newTurns(places int) *turns {
	return &turns{places: places, lines: map[*line]bool{}, began: time.Now()}
}

// line returns a line without requests.
func (t *turns) line(name string, m *meter) *line {
	l := &line{of: t, name: name, meter: m}
	l.places.prev, l.places.next = &l.places, &l.places
	return l
}

// atATime returns how many requests run at a time by default: as many as there are CPUs.
// With more, their steps share the CPUs in slices of ten milliseconds, behind which the
// goroutines that read and write requests wait as well. Devices and workers leave CPUs idle.
func (o Options) atATime() int {
	n := runtime.GOMAXPROCS(0)
	remote := o.Session.Target != "" && o.Session.Target != "local"
	for kind := range o.Session.Devices {
		remote = remote || kind != "CPU"
	}
	if remote {
		return 4 * n
	}
	return max(2, n)
}

// meeting is how many requests for each CPU run at a time by default where their loops are run
// together: the more there are, the less each costs.
const meeting = 64

// set sets the limits of a line.
func (l *line) set(o Options, c Config) {
	limit, room := o.Running, o.Waiting
	if c.Running > 0 {
		limit = c.Running
	}
	cores := math.MaxInt
	if o.Session.BatchLoops || c.BatchLoops {
		if cores = o.atATime(); limit <= 0 {
			limit = meeting * cores
		}
	}
	if limit <= 0 {
		limit = o.atATime()
	}
	if c.Waiting > 0 {
		room = c.Waiting
	}
	if room <= 0 {
		room = max(64*limit, 256*runtime.GOMAXPROCS(0))
	}
	l.of.mu.Lock()
	defer l.of.mu.Unlock()
	l.of.taken += min(l.running, cores) - min(l.running, l.cores)
	l.limit, l.cores, l.weight = limit, cores, c.Weight
	l.room.Store(int64(limit + room))
	l.refusal.Store(newRefusal(l.name, limit+room))
	if l.weight <= 0 {
		l.weight = 1
	}
	l.of.grant()
}

// admit takes a place in the line. It fails at once with RESOURCE_EXHAUSTED if the line
// is full.
func (l *line) admit(p *place) error {
	if l.full() {
		return l.refuse()
	}
	p.of = l
	l.of.mu.Lock()
	if l.full() {
		l.of.mu.Unlock()
		return l.refuse()
	}
	l.present.Add(1)
	p.prev, p.next = l.places.prev, &l.places
	p.prev.next, p.next.prev = p, p
	l.of.mu.Unlock()
	return nil
}

func (l *line) full() bool { return l.present.Load() >= l.room.Load() }

// turn waits until the caller may run; end must be called with what it returns. It fails
// with the cause of ctx if that ends before.
func (l *line) turn(ctx context.Context) (*turn, error) {
	if ctx.Err() != nil {
		return nil, status.From(context.Cause(ctx))
	}
	t := l.of
	w := &turn{}
	t.mu.Lock()
	if len(l.waiting) == 0 && l.running == 0 {
		l.used = max(l.used, t.clock) // what it did not use while it was idle is lost
	}
	if len(t.lines) == 0 && t.free(l) { // no other waits
		t.give(l, w)
		t.mu.Unlock()
		t.letPass(w)
		return w, nil
	}
	w.granted = make(chan struct{})
	l.waiting = append(l.waiting, w)
	t.lines[l] = true
	t.grant()
	t.mu.Unlock()
	select {
	case <-w.granted:
		t.letPass(w)
		return w, nil
	case <-ctx.Done():
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	select {
	case <-w.granted: // at the same time
		return w, nil
	default:
	}
	for i, x := range l.waiting {
		if x == w {
			l.waiting = append(l.waiting[:i], l.waiting[i+1:]...)
			break
		}
	}
	if len(l.waiting) == 0 {
		delete(t.lines, l)
	}
	return nil, status.From(context.Cause(ctx))
}

// letPass lets goroutines run first that are ready to: those of requests that are to be read
// or refused. A step that takes milliseconds would otherwise start in front of them, and the
// next behind it, as a place is handed from request to request on one processor: under load
// requests would wait to be read for longer than a full line takes. Where thousands are ready
// they would take all the time in turn, as each step waits for as many more as come meanwhile:
// passes have a quarter of it.
func (t *turns) letPass(w *turn) {
	const (
		long = 100 * time.Microsecond // a step that is worth a look at what else is ready
		part = 3                      // times as long as a pass took, there is none
	)
	if w.charged < long || time.Since(t.began) < time.Duration(t.passed.Load()) {
		return
	}
	before := time.Now()
	runtime.Gosched()
	w.began = time.Now()
	t.passed.Store(int64(w.began.Sub(t.began) + part*w.began.Sub(before)))
}

// end ends a turn.
func (l *line) end(w *turn) {
	took := time.Since(w.began)
	t := l.of
	t.mu.Lock()
	defer t.mu.Unlock()
	l.used += time.Duration((float64(took)*l.share() - float64(w.charged)) / l.weight)
	if l.running--; l.running < l.cores {
		t.taken--
	}
	l.typical += (took - l.typical) / 8
	t.grant()
}

// grant gives places to requests that wait, as long as there are any. turns.mu is held.
func (t *turns) grant() {
	for {
		var next *line
		for l := range t.lines {
			if !t.free(l) {
				continue
			}
			if next == nil || l.used < next.used || l.used == next.used && l.name < next.name {
				next = l
			}
		}
		if next == nil {
			return
		}
		w := next.waiting[0]
		next.waiting[0] = nil
		if next.waiting = next.waiting[1:]; len(next.waiting) == 0 {
			next.waiting = nil
			delete(t.lines, next)
		}
		t.give(next, w)
		close(w.granted)
	}
}

// free reports whether a request of a line may run. turns.mu is held.
func (t *turns) free(l *line) bool {
	return l.running < l.limit && (t.taken < t.places || l.running == 0 || l.running >= l.cores)
}

// give gives a place to a request of a line. turns.mu is held.
func (t *turns) give(l *line, w *turn) {
	t.clock = max(t.clock, l.used)
	if l.running++; l.running <= l.cores {
		t.taken++
	}
	w.charged, w.began = time.Duration(float64(l.typical)*l.share()), time.Now()
	l.used += time.Duration(float64(w.charged) / l.weight)
}

// share returns how much of a core each of the requests that run has.
func (l *line) share() float64 { return min(1, float64(l.cores)/float64(l.running)) }
