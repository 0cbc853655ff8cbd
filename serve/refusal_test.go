package serve

import (
	"bytes"
	"errors"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rs/zerolog"

	"github.com/troupe-go/troupe/session"
)

// An unreadable body fails when it is read.
type unreadable struct{}

func (unreadable) Read([]byte) (int, error) { return 0, errors.New("the body is read") }
func (unreadable) Close() error             { return nil }

// TestRefusal: a request for a model that takes no more is refused without a look at its body,
// with the same answer whether that happens at once or, as browsers' and traced requests need
// more, later. Refusals share a line of the log a second.
func TestRefusal(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "half")
	half(t, dir, "1")
	synctest.Test(t, func(t *testing.T) {
		var text bytes.Buffer
		log := zerolog.New(&text)
		seen := &refusedOnes{}
		m := New(Options{Requests: &log, Observer: seen, Session: session.SessionOptions{Threads: 1}})
		defer m.Close(t.Context())
		if err := m.Add(t.Context(), Config{Name: "half", Path: dir, Running: 1, Waiting: 1}); err != nil {
			t.Fatal(err)
		}
		l := m.line("half")
		var places [2]place
		for i := range places {
			if err := l.admit(&places[i]); err != nil {
				t.Fatal(err)
			}
		}
		post := func(h http.Handler, path string) *httptest.ResponseRecorder {
			r := httptest.NewRequest("POST", path, io.NopCloser(unreadable{}))
			w := httptest.NewRecorder()
			h.ServeHTTP(w, r)
			return w
		}
		quick, full := Handler(m, HTTP{}), Handler(m, HTTP{CORS: true})
		paths := []string{"/v1/models/half:predict", "/v1/models/half/versions/1:classify", "/v1/models/half/labels/x:regress", "/v2/models/half/infer", "/v2/models/half/versions/1/infer"}
		for _, path := range paths {
			a, b := post(quick, path), post(full, path)
			if a.Code != 429 || a.Header().Get("Retry-After") != "1" || !strings.Contains(a.Body.String(), "model 'half' has 2 requests") {
				t.Errorf("%s: %d %v %s", path, a.Code, a.Header(), a.Body)
			}
			if a.Code != b.Code || a.Body.String() != b.Body.String() || !maps.EqualFunc(a.Header(), b.Header(), func(x, y []string) bool { return x[0] == y[0] }) {
				t.Errorf("%s: at once %d %v %s, later %d %v %s", path, a.Code, a.Header(), a.Body, b.Code, b.Header(), b.Body)
			}
		}
		sent := 2 * len(paths)
		if n := int(l.meter.refused.Load()); n != sent || seen.n != sent {
			t.Errorf("%d requests are counted and %d observed, not %d", n, seen.n, sent)
		}
		if n := strings.Count(text.String(), "\n"); n != 1 {
			t.Errorf("%d lines are logged: %s", n, &text)
		}
		text.Reset()
		time.Sleep(logEvery)
		post(quick, paths[0])
		if !strings.Contains(text.String(), `"refused":10,`) || !strings.Contains(text.String(), `"code":"RESOURCE_EXHAUSTED"`) {
			t.Error(&text)
		}
		for i := range places {
			places[i].leave(0, nil)
		}
		if w := post(quick, paths[0]); w.Code != 400 || !strings.Contains(w.Body.String(), "the body is read") {
			t.Errorf("when there is room: %d %s", w.Code, w.Body)
		}
	})
}

type refusedOnes struct{ n int }

func (o *refusedOnes) Request(r *Record) {
	if r.Model == "half" && r.HTTP == 429 {
		o.n++
	}
}
func (o *refusedOnes) Run(Run)     {}
func (o *refusedOnes) Batch(Batch) {}
func (o *refusedOnes) Load(Load)   {}
func (o *refusedOnes) Unload(Load) {}

// TestAsked: only paths that say clearly what they run are refused at once.
func TestAsked(t *testing.T) {
	for _, c := range [][4]string{
		{"/v1/models/m:predict", "REST", "m", "predict"}, {"/v1/models/m/versions/3:regress", "REST", "m", "regress"},
		{"/v1/models/m/labels/a:classify", "REST", "m", "classify"}, {"/v2/models/m/infer", "v2 REST", "m", "infer"},
		{"/v2/models/m/versions/1/infer", "v2 REST", "m", "infer"},
		{"/v1/models/m"}, {"/v1/models/m:PREDICT"}, {"/V1/models/m:predict"}, {"/v1/models/m/metadata"}, {"/v1/models/m/more:predict"},
		{"/v2/models/m/ready"}, {"/v2/models/m/other/infer"}, {"/v2/repository/models/m/load"}, {"/"}, {""},
	} {
		api, model, verb, _ := asked(c[0])
		if got := [4]string{c[0], api, model, verb}; got != c {
			t.Errorf("%q", got)
		}
	}
}
