package explore

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/plan/race"
	"github.com/troupe-go/troupe/sequential"
	"github.com/troupe-go/troupe/status"
)

// Options of an exploration.
type Options struct {
	// Schedules is how many are played at most; 0: 10,000.
	Schedules int
	// Unreduced plays every order of events, also of those whose order does not matter.
	Unreduced bool
	// Independent, if not nil, is asked whether the order of two operations matters that
	// touch one object and are not ordered; tests plant mistakes by it.
	Independent func(a, b string) bool
	// Stop, if not nil, is closed when no further schedule should begin.
	Stop <-chan struct{}
	// Progress, if not nil, is called after each schedule with their number.
	Progress func(schedules int)
}

// stopped reports whether no further schedule should begin.
func (o *Options) stopped() bool {
	select {
	case <-o.Stop:
		return true
	default:
		return false
	}
}

// late reports whether ctx has passed its deadline: what was found until then counts.
func late(ctx context.Context) bool {
	return errors.Is(context.Cause(ctx), context.DeadlineExceeded)
}

// A Result is what an exploration has found.
type Result struct {
	Schedules int  // that were played to their end
	Redundant int  // that were given up, as they were equivalent to others
	Events    int  // of the longest schedule
	Choices   int  // events of a schedule whose order may matter, at most
	All       bool // every schedule is equivalent to one that was played
	Why       string
	Answers   []Answers // that differ; that of first come, first served comes first
	// Bound is the probability with which a random schedule finds a difference that takes
	// Depth orderings of two events, at least; 0 of an exploration of all.
	Bound float64
	Depth int
	// Pair is the two events that are exchanged between the schedules of Answers[0] and
	// Answers[1], and Race what is known of them; nil if both fail.
	Pair [2]string
	Race *race.Race
}

// Answers are the schedules with one answer.
type Answers struct {
	Text     string
	Deadlock bool             // all that was left waited for each other
	Count    int              // of the schedules that were played
	Order    sequential.Order // a schedule with this answer, as short as was found
	trace    []happened
}

// Explore plays all schedules of a system, but for such as are equivalent to others, and
// says what they answer. It fails if a schedule cannot be repeated, if a fixed step
// fails, and soon after ctx has ended; past a deadline of ctx it returns what was found
// until then, if one schedule has ended.
func Explore(ctx context.Context, s *System, o Options) (*Result, error) {
	x := newExplorer(s, o)
	if err := x.base(ctx); err != nil {
		return nil, err
	}
	most := o.Schedules
	if most <= 0 {
		most = 10_000
	}
	x.result.All = true
	for played := 0; ; played++ {
		if played == most {
			x.result.All, x.result.Why = false, fmt.Sprintf("there are more than %d schedules", most)
			break
		}
		if o.stopped() {
			x.result.All, x.result.Why = false, outOfTime
			break
		}
		again, err := x.descend(ctx)
		if err != nil && x.result.Schedules > 0 && late(ctx) {
			x.result.All, x.result.Why = false, outOfTime
			break
		}
		if err != nil {
			return nil, err
		}
		if !again && !x.next() {
			break
		}
	}
	return x.finish(ctx)
}

const outOfTime = "the time was up"

// An explorer is an exploration that goes on.
type explorer struct {
	*System
	Options
	racing  []map[string]map[string]*race.Race // by step and the names of two operations
	failing []map[string]bool                  // by step: events that have failed
	path    []*point
	result  Result
	first   []happened // in the schedule of first come, first served
	called  bool
	// deadlock says that the schedule that was run last ended in one.
	deadlock bool
}

// deadlocked returns the answer to [sequential.Scheduler.Stuck].
func (x *explorer) deadlocked(waiting []sequential.Event) bool {
	x.deadlock = stuck(waiting)
	return x.deadlock
}

func newExplorer(s *System, o Options) *explorer {
	x := &explorer{System: s, Options: o}
	for i := range s.Steps {
		pairs := map[string]map[string]*race.Race{}
		add := func(a, b string, r *race.Race) {
			if pairs[a] == nil {
				pairs[a] = map[string]*race.Race{}
			}
			pairs[a][b] = r
		}
		for k := range s.Steps[i].Unordered {
			r := &s.Steps[i].Unordered[k]
			a, b := r.A.Node.Name(), r.B.Node.Name()
			if o.Independent == nil || !o.Independent(a, b) {
				add(a, b, r)
				add(b, a, r)
			}
		}
		x.racing, x.failing = append(x.racing, pairs), append(x.failing, map[string]bool{})
	}
	return x
}

// A happened is an event of a step.
type happened struct {
	step int
	id   string
	node string
	// sets says that it sets what is fetched from within a loop, which only the first of
	// its node's events may.
	sets bool
}

func (x *explorer) event(step int, e sequential.Event) happened {
	h := happened{step: step, id: e.ID}
	if e.Def != nil {
		h.node = e.Node
	} else {
		h.node, _, h.sets = strings.Cut(e.ID, "@")
	}
	return h
}

// matters reports whether the order of an event and of some other may.
func (x *explorer) matters(h happened) bool {
	return x.Unreduced || h.sets || len(x.racing[h.step][h.node]) > 0 || x.failing[h.step][h.id]
}

// dependent reports whether the order of two events matters, if nothing orders them.
func (x *explorer) dependent(a, b happened) bool {
	if a.step != b.step {
		return false
	}
	return x.racing[a.step][a.node][b.node] != nil || a.sets && b.sets && a.node == b.node || x.failing[a.step][a.id] && x.failing[b.step][b.id]
}

// A point is a state in which several events can be next.
type point struct {
	events []happened
	sleep  []happened // those with which something equivalent has been played
	done   []happened // likewise, from here
	chosen happened
}

// choose takes the next event that is worth it; false if none is left.
func (p *point) choose() bool {
	for _, e := range p.events {
		if !slices.Contains(p.sleep, e) && !slices.Contains(p.done, e) {
			p.chosen = e
			return true
		}
	}
	return false
}

// next goes to the next schedule; false if there is none.
func (x *explorer) next() bool {
	for len(x.path) > 0 {
		p := x.path[len(x.path)-1]
		p.done = append(p.done, p.chosen)
		if p.choose() {
			return true
		}
		x.path = x.path[:len(x.path)-1]
	}
	return false
}

// descend plays the schedule that the path begins, and notes its answer. It says
// whether all has to begin again, as an event has failed for the first time.
func (x *explorer) descend(ctx context.Context) (again bool, err error) {
	w := &walker{explorer: x}
	x.deadlock = false
	text, err := x.play(ctx, w.in)
	switch {
	case err != nil:
		return false, err
	case w.err != nil:
		return false, w.err
	case w.again:
		answers := x.result.Answers[:1]
		answers[0].Count = 0
		x.path, x.result = nil, Result{All: true, Answers: answers}
		return true, nil
	case w.blocked:
		x.result.Redundant++
		return false, nil
	}
	x.note(text, w.trace, w.depth)
	return false, nil
}

// note counts an answer.
func (x *explorer) note(text string, trace []happened, choices int) {
	r := &x.result
	r.Schedules++
	r.Events, r.Choices = max(r.Events, len(trace)), max(r.Choices, choices)
	i := slices.IndexFunc(r.Answers, func(a Answers) bool { return a.Text == text })
	if i < 0 {
		i = len(r.Answers)
		r.Answers = append(r.Answers, Answers{Text: text, Deadlock: x.deadlock, trace: trace})
	}
	r.Answers[i].Count++
	if x.Progress != nil {
		x.Progress(r.Schedules)
	}
}

// base plays first come, first served.
func (x *explorer) base(ctx context.Context) error {
	text, trace, err := x.replay(ctx, nil)
	if err != nil {
		return err
	}
	x.first = trace
	x.result.Answers = []Answers{{Text: text, Deadlock: x.deadlock, trace: trace}}
	return nil
}

// A walker is the scheduler of one schedule: along the path, and where that ends,
// first come, first served.
type walker struct {
	*explorer
	step    int
	depth   int        // in the path
	sleep   []happened // see point
	trace   []happened
	blocked bool
	again   bool
	err     error
}

func (w *walker) in(step int) sequential.Scheduler {
	w.step, w.sleep = step, nil
	return w
}

func (w *walker) Begin(*kernel.Step)                    {}
func (w *walker) Stuck(waiting []sequential.Event) bool { return w.given() || w.deadlocked(waiting) }
func (w *walker) End(error)                             {}

// given reports whether the schedule has been given up.
func (w *walker) given() bool { return w.blocked || w.again || w.err != nil }

func (w *walker) Next(events []sequential.Event) int {
	if w.given() {
		return -1
	}
	list := make([]happened, len(events))
	for i, e := range events {
		w.called = w.called || e.Called
		list[i] = w.event(w.step, e)
		if !w.matters(list[i]) { // at once, as it is independent of whatever comes
			w.trace = append(w.trace, list[i])
			return i
		}
	}
	if w.depth == len(w.path) {
		p := &point{events: list, sleep: w.sleep}
		if !p.choose() {
			w.blocked = true
			return -1
		}
		w.path = append(w.path, p)
	}
	p := w.path[w.depth]
	w.depth++
	i := slices.Index(list, p.chosen)
	if i < 0 || len(list) != len(p.events) {
		w.err = errDiverged
		return -1
	}
	w.sleep = nil
	if !w.Unreduced {
		for _, e := range slices.Concat(p.sleep, p.done) {
			if !w.dependent(e, p.chosen) {
				w.sleep = append(w.sleep, e)
			}
		}
	}
	w.trace = append(w.trace, p.chosen)
	return i
}

var errDiverged = status.Errorf(status.FailedPrecondition, "a schedule went another way when it was played again: something in the graph does not depend on the schedule alone")

// Failed makes the event one whose place in the order matters: what fails first is the
// step's error.
func (w *walker) Failed(e sequential.Event) {
	h := w.event(w.step, e)
	if w.given() || w.failing[h.step][h.id] {
		return
	}
	w.failing[h.step][h.id] = true
	w.again = !w.Unreduced
}

// finish looks for short schedules.
func (x *explorer) finish(ctx context.Context) (*Result, error) {
	r := &x.result
	if x.called && r.All {
		r.All, r.Why = false, "what functions do that call themselves is not known"
	}
	if err := x.shorten(ctx); err != nil && !errors.Is(err, errDiverged) && !late(ctx) {
		return nil, err
	}
	for i := range r.Answers { // those that were not shortened
		if a := &r.Answers[i]; i > 0 && a.Order == nil {
			a.Order = x.against(a.trace)
		}
	}
	return r, nil
}
