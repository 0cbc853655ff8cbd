package live

import (
	"cmp"
	"context"
	"encoding/json"
	"net/http"
	"runtime"
	"runtime/metrics"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/troupe-go/troupe/resource"
	"github.com/troupe-go/troupe/session"
	"github.com/troupe-go/troupe/sorted"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/view"
	"github.com/troupe-go/troupe/view/stream"
)

// Options configure a [Handler].
type Options struct {
	Title   string
	Token   string // "" serves the loopback interface alone
	Abort   bool   // whether steps can be aborted
	Viewers int    // that may look at once; 0: 16
	// Known, in place of Token, reports whether an Authorization header is right.
	Known func(authorization string) bool
	// Clock is time.Now, if nil. Tick, if not nil, starts what ticks at intervals.
	Clock func() time.Time
	Tick  func(time.Duration) (tick <-chan time.Time, stop func())
}

// A Watched is a session under a name.
type Watched struct {
	Name    string
	Session *session.Session
}

// Of returns a list that does not change, with names from the sessions' order.
func Of(sessions ...interface{ Base() *session.Session }) func() []Watched {
	var all []Watched
	for i, s := range sessions {
		all = append(all, Watched{"session " + strconv.Itoa(i+1), s.Base()})
	}
	return func() []Watched { return all }
}

const (
	mostSteps     = 64                     // of a session that are shown
	mostWaiting   = 32                     // nodes of a step
	mostResources = 1000                   // of a session
	patience      = 200 * time.Millisecond // for steps to report
)

type handler struct {
	*stream.Server
	list func() []Watched
	o    Options
}

// Handler returns a handler of the page ("/"), of the stream that it reads ("/events") and
// of requests to abort a step ("/abort"). list is called for each event; it returns the
// sessions of the moment.
func Handler(list func() []Watched, o Options) http.Handler {
	page, csp := view.LivePage(cmp.Or(o.Title, "troupe"))
	return &handler{stream.New(page, csp, stream.Options{Token: o.Token, Known: o.Known, Viewers: o.Viewers, Clock: o.Clock, Tick: o.Tick}), list, o}
}

func (h *handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	path := strings.TrimPrefix(r.URL.Path, "/")
	if path == "" {
		h.Page(w, r)
		return
	}
	if err := h.Allowed(r); err != nil {
		stream.Refuse(w, http.StatusForbidden, err.Error())
		return
	}
	switch {
	case path == "events" && r.Method == http.MethodGet:
		h.Events(w, r, func() (func(context.Context) any, func()) {
			s := newSampler(h)
			return func(ctx context.Context) any { return s.sample(ctx) }, s.close
		})
	case path == "abort" && r.Method == http.MethodPost:
		h.abort(w, r)
	default:
		stream.Refuse(w, http.StatusNotFound, "there is /, /events and, by POST, /abort")
	}
}

// abort ends a step.
func (h *handler) abort(w http.ResponseWriter, r *http.Request) {
	if !h.o.Abort {
		stream.Refuse(w, http.StatusForbidden, "steps cannot be aborted here")
		return
	}
	if r.Header.Get("Content-Type") != "application/json" { // which no form of another page can send
		stream.Refuse(w, http.StatusUnsupportedMediaType, "the request is no application/json")
		return
	}
	var ask struct{ Session, Step string }
	if err := json.NewDecoder(http.MaxBytesReader(w, r.Body, 64<<10)).Decode(&ask); err != nil {
		stream.Refuse(w, http.StatusBadRequest, "the request is no {\"session\", \"step\"}")
		return
	}
	for _, s := range h.list() {
		if s.Name != ask.Session {
			continue
		}
		if err := s.Session.AbortStep(ask.Step, "by a person who looked at it"); err != nil {
			stream.Refuse(w, http.StatusNotFound, err.Error())
			return
		}
		w.WriteHeader(http.StatusNoContent)
		return
	}
	stream.Refuse(w, http.StatusNotFound, "there is no session of that name")
}

// A State is what an event holds.
type State struct {
	At         time.Time      `json:"at"`
	Title      string         `json:"title"`
	Abort      bool           `json:"abort"`
	Goroutines int            `json:"goroutines"`
	Heap       uint64         `json:"heap"` // bytes
	Sessions   []SessionState `json:"sessions"`
}

// A SessionState is one session's.
type SessionState struct {
	Name          string      `json:"name"`
	Engine        string      `json:"engine"`
	Steps         float64     `json:"steps"` // a second, as all rates
	Failed        float64     `json:"failed"`
	Nodes         float64     `json:"nodes"`
	MemoryInUse   int64       `json:"memory"`
	MemoryLimit   int64       `json:"limit"`
	ProgramMemory int64       `json:"programs"`
	Running       []StepState `json:"running"`
	More          int         `json:"more,omitempty"` // steps that run, and are not shown
	Resources     []Resource  `json:"resources"`
	Devices       []Device    `json:"devices"`
	Failures      []Failure   `json:"failures"` // the latest first
}

// A StepState is a running step's. Times are since it was first seen so.
type StepState struct {
	Step    string  `json:"step"`
	Seconds float64 `json:"seconds"`
	At      string  `json:"node"`       // the node that acted last
	AtSince float64 `json:"nodeFor"`    // seconds without change
	Rate    float64 `json:"iterations"` // of the outermost loop, a second; 0 if not known
	Ready   int     `json:"ready"`
	Kernels []Line  `json:"kernels"`
	Waiting []Line  `json:"waiting"`
	More    bool    `json:"more,omitempty"`
}

// A Line is what a node does, and for how long it was seen to.
type Line struct {
	Text    string  `json:"text"`
	Seconds float64 `json:"seconds"`
}

// A Resource is a queue or a variable.
type Resource struct {
	Name     string `json:"name"`
	Kind     string `json:"kind"`
	Type     string `json:"type,omitempty"`
	Elements int    `json:"elements"`
	Capacity int    `json:"capacity"` // of a queue; negative: no bound
	Closed   bool   `json:"closed,omitempty"`
	Bytes    int64  `json:"bytes"`
}

// A Device is an accelerator.
type Device struct {
	Name  string `json:"name"`
	InUse int64  `json:"inUse"`
	Limit int64  `json:"limit"`
	Kept  int64  `json:"kept"`
}

// A Failure is the error of a step.
type Failure struct {
	At   time.Time `json:"at"`
	Code string    `json:"code"`
	Text string    `json:"text"`
}

// A sampler is what one viewer has seen.
type sampler struct {
	h       *handler
	watched map[*session.Session]func() // that ends watching
	last    map[*session.Session]figures
	steps   map[string]*seen // by session and step
	lines   map[string]time.Time
}

type figures struct {
	at                   time.Time
	steps, failed, nodes int64
}

type seen struct {
	first, since time.Time
	at           string
	loop         string // the outermost loop's name
	index        int64
	rate         float64
	looked       time.Time
}

func newSampler(h *handler) *sampler {
	return &sampler{h: h, watched: map[*session.Session]func(){}, last: map[*session.Session]figures{}, steps: map[string]*seen{}, lines: map[string]time.Time{}}
}

func (s *sampler) close() {
	for _, stop := range s.watched {
		stop()
	}
}

// sample asks the sessions.
func (s *sampler) sample(ctx context.Context) *State {
	now := s.h.Now()
	st := &State{At: now, Title: cmp.Or(s.h.o.Title, "troupe"), Abort: s.h.o.Abort, Goroutines: runtime.NumGoroutine(), Heap: heap(), Sessions: []SessionState{}}
	steps, lines, still := map[string]*seen{}, map[string]time.Time{}, map[*session.Session]bool{}
	for _, w := range s.h.list() {
		still[w.Session] = true
		if s.watched[w.Session] == nil {
			s.watched[w.Session] = w.Session.Watch()
		}
		st.Sessions = append(st.Sessions, s.one(ctx, w, now, steps, lines))
	}
	for session, stop := range s.watched { // those that are gone
		if !still[session] {
			stop()
			delete(s.watched, session)
			delete(s.last, session)
		}
	}
	s.steps, s.lines = steps, lines
	return st
}

func (s *sampler) one(ctx context.Context, w Watched, now time.Time, steps map[string]*seen, lines map[string]time.Time) SessionState {
	asked, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	reports := w.Session.Inspect(asked, mostWaiting)
	// After what runs: the resource that a step waits for is there then.
	a := w.Session.Activity()
	state := SessionState{
		Name: w.Name, Engine: a.Engine, MemoryInUse: a.MemoryInUse, MemoryLimit: a.MemoryLimit, ProgramMemory: a.ProgramMemory,
		Running: []StepState{}, Resources: []Resource{}, Devices: []Device{}, Failures: []Failure{},
	}
	f := figures{now, a.Steps, a.Failed, a.Nodes}
	if before, ok := s.last[w.Session]; ok {
		if d := f.at.Sub(before.at).Seconds(); d > 0 {
			state.Steps, state.Failed, state.Nodes = float64(f.steps-before.steps)/d, float64(f.failed-before.failed)/d, float64(f.nodes-before.nodes)/d
		}
	}
	s.last[w.Session] = f
	for _, u := range a.Resources[:min(len(a.Resources), mostResources)] {
		name := u.Name.Name
		if u.Container != resource.DefaultContainer {
			name = u.Container + "/" + name
		}
		state.Resources = append(state.Resources, Resource{name, u.Kind, u.Type, u.Elements, u.Capacity, u.Closed, u.Bytes})
	}
	for _, d := range a.Devices {
		state.Devices = append(state.Devices, Device{d.Device, d.InUse, d.Limit, d.Kept})
	}
	for _, f := range slices.Backward(a.Failures) {
		state.Failures = append(state.Failures, Failure{f.At, status.CodeOf(f.Err).String(), f.Err.Error()})
	}
	sorted.By(reports, func(a, b session.StepReport) int { return cmp.Compare(a.Step, b.Step) })
	for _, r := range reports {
		if len(state.Running) == mostSteps {
			state.More++
			continue
		}
		key := w.Name + "\x00" + r.Step
		e := s.steps[key]
		if e == nil {
			e = &seen{first: now, since: now}
		}
		e.look(r.At, now)
		steps[key] = e
		one := StepState{
			Step: r.Step, Seconds: now.Sub(e.first).Seconds(), At: r.At, AtSince: now.Sub(e.since).Seconds(), Rate: e.rate,
			Ready: r.Ready, Kernels: []Line{}, Waiting: []Line{}, More: r.More,
		}
		line := func(text string) Line {
			k := key + "\x00" + text
			since, ok := s.lines[k]
			if !ok {
				since = now
			}
			lines[k] = since
			return Line{text, now.Sub(since).Seconds()}
		}
		for _, k := range r.Kernels {
			one.Kernels = append(one.Kernels, line(k))
		}
		for _, k := range r.Waiting {
			one.Waiting = append(one.Waiting, line(k))
		}
		state.Running = append(state.Running, one)
	}
	return state
}

// look notes where a step is.
func (e *seen) look(at string, now time.Time) {
	if at != e.at {
		e.since = now
	}
	e.at = at
	loop, index := outermost(at)
	if d := now.Sub(e.looked).Seconds(); loop != "" && loop == e.loop && index >= e.index && d > 0 {
		e.rate = float64(index-e.index) / d
	} else {
		e.rate = 0
	}
	e.loop, e.index, e.looked = loop, index, now
}

// outermost returns the outermost loop of a place such as `"add" (AddV2) at while[12]/inner[3]`,
// and its iteration.
func outermost(at string) (string, int64) {
	i := strings.LastIndex(at, " at ")
	if i < 0 {
		return "", 0
	}
	name, rest, ok := strings.Cut(at[i+4:], "[")
	digits, _, closed := strings.Cut(rest, "]")
	n, err := strconv.ParseInt(digits, 10, 64)
	if !ok || !closed || err != nil {
		return "", 0
	}
	return name, n
}

// heap returns the bytes of objects on the Go heap.
func heap() uint64 {
	sample := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}
