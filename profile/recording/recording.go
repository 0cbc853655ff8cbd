// Package recording records which node acted when in a run: the order of executions,
// frames and iterations, deadness, and small values, on every engine.
//
// A [Recording] is put into the context of a run:
//
//	r := recording.New()
//	values, err := session.RunContext(recording.With(ctx, r), feeds, fetches, nil)
//
// Package view plays it on the graph. While a step is recorded it runs by tokens: what
// would be a unit is executed node by node. Values are kept as short texts, so recording
// changes nothing of which token owns a tensor.
//
// A step is a sequence of moments. A node that runs no kernel, or whose kernel runs in
// its turn, begins and ends in one moment; a kernel that runs elsewhere, or waits, ends in
// a later one. Tokens follow: what a node sends at its end is with a consumer when that
// begins. A function that is called is a step of its own within the caller's execution.
package recording

import (
	"context"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/troupe-go/troupe/profile"
	"github.com/troupe-go/troupe/profile/sequence"
	"github.com/troupe-go/troupe/tensor"
)

const (
	// Most is how many executions of a run, its calls included, are kept by default.
	Most = 50_000
	// mostRuns is how many runs a recording keeps: the latest.
	mostRuns = 16
)

// A Recording records the runs whose contexts it is in, each as a [Run]. It is safe for
// concurrent use.
type Recording struct {
	Most int // executions of each run that are kept; set before the first run

	mu      sync.Mutex
	runs    []*Run
	dropped int
}

// New returns an empty recording.
func New() *Recording { return &Recording{Most: Most} }

// Runs returns the runs, which have ended, in the order in which they began. dropped counts
// earlier ones that were not kept.
func (r *Recording) Runs() (runs []*Run, dropped int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return append([]*Run(nil), r.runs...), r.dropped
}

type contextKey struct{}

// used says whether the process has made a context that records: until then runs need not
// search theirs.
var used atomic.Bool

// With returns a context whose runs r records.
func With(ctx context.Context, r *Recording) context.Context {
	used.Store(true)
	return context.WithValue(ctx, contextKey{}, r)
}

// Used reports whether any context of the process ever had a recording.
func Used() bool { return used.Load() }

// From returns the place of a new run in the recording of a context, nil if there is none.
func From(ctx context.Context, engine string) *Place {
	if !Used() {
		return nil
	}
	r, _ := ctx.Value(contextKey{}).(*Recording)
	if r == nil {
		return nil
	}
	return r.Begin(engine)
}

// Begin begins to record a run. Steps at the same place are parts of it: those of several
// devices, for instance.
func (r *Recording) Begin(engine string) *Place {
	run := &Run{Engine: engine, Texts: []string{""}, Tags: []Tag{{Parent: -1}}, most: r.Most, began: time.Now(), texts: map[string]int32{"": 0}}
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.runs) == mostRuns {
		r.runs = append(r.runs[:0], r.runs[1:]...)
		r.dropped++
	}
	r.runs = append(r.runs, run)
	return &Place{run, -1}
}

// A Run is what one run did. It must not be read before the run has ended.
type Run struct {
	Engine  string
	Steps   []*Step // the outermost first
	Events  []Event // in the order in which they began
	Moments int32
	Tags    []Tag // the first is outside of all frames
	Texts   []string
	Left    int // executions that were not kept

	mu    sync.Mutex
	most  int
	began time.Time
	texts map[string]int32
	tags  map[Tag]int32

	room    []int32 // of inputs of coming events
	scratch []byte
}

// A Place is where in a run a step is executed: by itself, or called by a node.
type Place struct {
	run    *Run
	caller int32 // the event; -1
}

// A Step is a program that was executed. The field Error is that of its end.
type Step struct {
	Program profile.Program
	Caller  int32 // the event of the call; -1
	Error   string
	Failed  int32 // the event that failed; -1

	run    *Run
	number int32
}

// A Tag is an iteration of a frame.
type Tag struct {
	Parent int32 // the iteration around the frame
	Frame  string
	Index  int32
}

// Values of [Event.Port].
const (
	All  = -1 // all outputs have values
	None = -2 // all are dead
)

// An Event is that a node acts in an iteration.
type Event struct {
	Step, Node, Tag int32
	Dead            bool  // a dead token reached it
	Port            int32 // the one output that has a value, or All or None
	At, Done        int32 // moments; Done is -1 if the run ended first
	Begin, End      int64 // nanoseconds since the run began; both 0 without a kernel
	Thread          int32 // 0: the goroutine that drives the step; n: a worker; -1: another one
	In              []int32
}

// Begin begins a step of a program at a place.
func (p *Place) Begin(program profile.Program) *Step {
	r := p.run
	r.mu.Lock()
	defer r.mu.Unlock()
	s := &Step{Program: program, Caller: p.caller, Failed: -1, run: r, number: int32(len(r.Steps))}
	r.Steps = append(r.Steps, s)
	return s
}

// Called returns the place of what an event calls.
func (s *Step) Called(event int32) *Place { return &Place{s.run, event} }

// Clock returns the nanoseconds since the run began.
func (s *Step) Clock() int64 { return int64(time.Since(s.run.began)) }

// Tag returns the number of an iteration.
func (s *Step) Tag(t Tag) int32 {
	r := s.run
	r.mu.Lock()
	defer r.mu.Unlock()
	i, ok := r.tags[t]
	if !ok {
		if r.tags == nil {
			r.tags = map[Tag]int32{}
		}
		i = int32(len(r.Tags))
		r.tags[t] = i
		r.Tags = append(r.Tags, t)
	}
	return i
}

// Act records that a node acts, and returns the event's number, -1 if it is not kept.
// Unless [Step.Starts] is called its end is in the same moment.
func (s *Step) Act(node, tag int32, dead bool, port int32, in []tensor.Value) int32 {
	r := s.run
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.Events) >= r.most {
		r.Left++
		return -1
	}
	e := Event{Step: s.number, Node: node, Tag: tag, Dead: dead, Port: port, At: r.Moments, Done: r.Moments}
	r.Moments++
	if len(in) > 0 {
		e.In = r.inputs(len(in))
		for i := range in {
			e.In[i] = r.value(&in[i])
		}
	}
	r.Events = append(r.Events, e)
	return int32(len(r.Events) - 1)
}

// inputs returns room for the texts of inputs, from a block that many events share.
func (r *Run) inputs(n int) []int32 {
	if len(r.room) < n {
		r.room = make([]int32, max(n, 1024))
	}
	in := r.room[:n:n]
	r.room = r.room[n:]
	return in
}

// value returns the number of the text of a value, without an allocation for what loops
// count with.
func (r *Run) value(v *tensor.Value) int32 {
	if v.IsZero() {
		return 0
	}
	b := appendText(r.scratch[:0], v)
	r.scratch = b
	i, ok := r.texts[string(b)]
	if !ok {
		i = int32(len(r.Texts))
		text := string(b)
		r.texts[text] = i
		r.Texts = append(r.Texts, text)
	}
	return i
}

// appendText appends [sequence.Text], faster for what loops count with.
func appendText(b []byte, v *tensor.Value) []byte {
	if !v.IsZero() && !v.IsRef() && v.Rank() == 0 {
		switch v.DType() {
		case tensor.Bool:
			if tensor.At0[bool](v) {
				return append(b, "bool True"...)
			}
			return append(b, "bool False"...)
		case tensor.Int32:
			return strconv.AppendInt(append(b, "int32 "...), int64(tensor.At0[int32](v)), 10)
		case tensor.Int64:
			return strconv.AppendInt(append(b, "int64 "...), tensor.At0[int64](v), 10)
		}
	}
	return append(b, sequence.Text(*v)...)
}

// Starts records that the kernel of an event has been handed to another goroutine, or
// waits: it ends with [Step.Ends].
func (s *Step) Starts(event int32) {
	s.change(event, func(e *Event) { e.Done = -1 })
}

// Ran records when the kernel of an event ran, where, and what it put out: an output
// without a value is dead.
func (s *Step) Ran(event int32, begin, end int64, thread int, out []tensor.Value) {
	s.change(event, func(e *Event) {
		e.Begin, e.End, e.Thread = begin, max(end, begin+1), int32(thread)
		live, last := 0, 0
		for i := range out {
			if !out[i].IsZero() {
				live, last = live+1, i
			}
		}
		switch {
		case live == len(out):
		case live == 0:
			e.Port = None
		case live == 1:
			e.Port = int32(last)
		}
	})
}

// Ends records the end of an event that [Step.Starts] began.
func (s *Step) Ends(event int32) {
	s.change(event, func(e *Event) {
		e.Done = s.run.Moments
		s.run.Moments++
	})
}

func (s *Step) change(event int32, f func(*Event)) {
	if event < 0 {
		return
	}
	s.run.mu.Lock()
	defer s.run.mu.Unlock()
	f(&s.run.Events[event])
}

// Fail records that an event failed, with the step.
func (s *Step) Fail(event int32) {
	s.run.mu.Lock()
	defer s.run.mu.Unlock()
	if s.Failed < 0 {
		s.Failed = event
	}
}

// End ends the step.
func (s *Step) End(err error) {
	s.run.mu.Lock()
	defer s.run.mu.Unlock()
	if err != nil {
		s.Error = err.Error()
	}
}
