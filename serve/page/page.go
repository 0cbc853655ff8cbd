package page

import (
	"cmp"
	"context"
	"net/http"
	"runtime"
	"runtime/metrics"
	"sort"
	"strconv"
	"strings"
	"time"

	"github.com/troupe-go/troupe/plain"
	"github.com/troupe-go/troupe/serve"
	"github.com/troupe-go/troupe/view"
	"github.com/troupe-go/troupe/view/stream"
)

// Options configure a [Handler].
type Options struct {
	Title   string
	Token   string // "" serves the loopback interface alone
	Anyone  bool   // serve other machines without a token
	Viewers int    // that may look at once; 0: 16
	// Known, in place of Token, reports whether an Authorization header is right.
	Known func(authorization string) bool
	// REST is where [serve.Handler] is on this server; "": /v1/models/.
	REST string
	// Live is where the page of package view/live is; "": there is none.
	Live string
	// Clock is time.Now, if nil. Tick, if not nil, starts what ticks at intervals.
	Clock func() time.Time
	Tick  func(time.Duration) (tick <-chan time.Time, stop func())
}

const (
	mostModels   = 500
	mostVersions = 32
	mostRequests = 32 // of a model
	mostText     = 1000
)

type handler struct {
	*stream.Server
	m *serve.Manager
	o Options
}

// Handler returns a handler of the page, "/", and of the stream that it reads, "/events".
func Handler(m *serve.Manager, o Options) http.Handler {
	o.REST, o.Title = cmp.Or(o.REST, "/v1/models/"), cmp.Or(o.Title, "troupe serve")
	text, csp := view.ServePage(o.Title)
	return &handler{stream.New(text, csp, stream.Options{Token: o.Token, Known: o.Known, Anyone: o.Anyone, Viewers: o.Viewers, Clock: o.Clock, Tick: o.Tick}), m, o}
}

func (h *handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	path := strings.TrimPrefix(r.URL.Path, "/")
	if path == "" {
		h.Page(w, r)
		return
	}
	if path != "events" {
		stream.Refuse(w, http.StatusNotFound, "there is / and /events")
		return
	}
	if r.Method != http.MethodGet {
		stream.Refuse(w, http.StatusMethodNotAllowed, "GET")
		return
	}
	if err := h.Allowed(r); err != nil {
		stream.Refuse(w, http.StatusForbidden, err.Error())
		return
	}
	h.Events(w, r, func() (func(context.Context) any, func()) {
		s := &sampler{h: h, last: map[string]figures{}}
		return func(context.Context) any { return s.sample() }, func() {}
	})
}

// A State is what an event holds.
type State struct {
	At         time.Time `json:"at"`
	Title      string    `json:"title"`
	REST       string    `json:"rest"`
	Live       string    `json:"live,omitempty"`
	Ready      bool      `json:"ready"`
	Goroutines int       `json:"goroutines"`
	Heap       uint64    `json:"heap"` // bytes
	Models     []Model   `json:"models"`
	More       int       `json:"more,omitempty"` // models that are not shown
}

// A Model is one model's. Rates and latencies are since the last event.
type Model struct {
	Name     string    `json:"name"`
	Versions []Version `json:"versions"`
	Requests float64   `json:"requests"` // that ended, a second
	Failed   float64   `json:"failed"`   // those of them with an error
	Refused  float64   `json:"refused"`
	P50      float64   `json:"p50"` // seconds; 0 without requests
	P99      float64   `json:"p99"`
	Running  int       `json:"running"` // steps
	Waiting  int       `json:"waiting"`
	Present  []Request `json:"present"`
	More     int       `json:"more,omitempty"`
}

// A Version is one of a model. Its number is text, as JavaScript has no whole numbers of 64
// bits.
type Version struct {
	Number string   `json:"version"`
	State  string   `json:"state"`
	Error  string   `json:"error,omitempty"`
	Labels []string `json:"labels,omitempty"`
}

// A Request is one that runs or waits.
type Request struct {
	Signature string  `json:"signature"`
	Version   string  `json:"version"`
	From      string  `json:"from"` // the client, or "this process"
	Seconds   float64 `json:"seconds"`
	Runs      bool    `json:"runs"`
}

// A sampler is what one viewer has seen.
type sampler struct {
	h    *handler
	last map[string]figures // by model
}

type figures struct {
	at                     time.Time
	ended, failed, refused int64
	latencies              serve.Latencies
}

func (s *sampler) sample() *State {
	now := s.h.Now()
	heap := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	metrics.Read(heap)
	st := &State{
		At: now, Title: s.h.o.Title, REST: s.h.o.REST, Live: s.h.o.Live, Ready: s.h.m.Ready(),
		Goroutines: runtime.NumGoroutine(), Heap: heap[0].Value.Uint64(), Models: []Model{},
	}
	seen := map[string]figures{}
	for _, a := range s.h.m.Activity(mostRequests) {
		if len(st.Models) == mostModels {
			st.More++
			continue
		}
		seen[a.Model] = figures{now, a.Ended, a.Failed, a.Refused, a.Latencies}
		st.Models = append(st.Models, s.model(a, now))
	}
	s.last = seen
	return st
}

func (s *sampler) model(a serve.Activity, now time.Time) Model {
	m := Model{Name: a.Model, Versions: []Version{}, Running: a.Running, Waiting: a.Waiting, Present: []Request{}, More: a.More}
	for _, v := range a.Versions[:min(len(a.Versions), mostVersions)] {
		one := Version{Number: strconv.FormatInt(v.Version, 10), State: v.State.String()}
		if v.Err != nil {
			one.Error = plain.Line(v.Err.Error())
			one.Error = one.Error[:min(len(one.Error), mostText)]
		}
		for label, n := range a.Labels {
			if n == v.Version {
				one.Labels = append(one.Labels, label)
			}
		}
		sort.Strings(one.Labels)
		m.Versions = append(m.Versions, one)
	}
	if before, ok := s.last[a.Model]; ok && a.Ended >= before.ended { // or else it is another of the same name
		if d := now.Sub(before.at).Seconds(); d > 0 {
			m.Requests, m.Failed, m.Refused = float64(a.Ended-before.ended)/d, float64(a.Failed-before.failed)/d, float64(a.Refused-before.refused)/d
		}
		l := a.Latencies.Since(before.latencies)
		m.P50, m.P99 = l.At(0.5).Seconds(), l.At(0.99).Seconds()
	}
	for _, r := range a.Requests {
		from := "this process"
		if r.API != "" {
			from = r.Client + ", " + r.API
		}
		m.Present = append(m.Present, Request{r.Signature, strconv.FormatInt(r.Version, 10), from, r.Since.Seconds(), r.Runs})
	}
	return m
}
