package page_test

import (
	"bufio"
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	_ "github.com/troupe-go/troupe/ops/all"
	"github.com/troupe-go/troupe/serve"
	"github.com/troupe-go/troupe/serve/page"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func digits(t testing.TB, names ...string) *serve.Manager {
	t.Helper()
	m := serve.New(serve.Options{})
	t.Cleanup(func() { m.Close(context.Background()) })
	for _, name := range names {
		if err := m.Add(t.Context(), serve.Config{Name: name, Path: "../../examples/serve/digits", Labels: map[string]int64{"stable": 1}}); err != nil {
			t.Fatal(err)
		}
	}
	return m
}

// TestEvents: rates and latencies are those between two events, and a model that is
// removed is gone.
func TestEvents(t *testing.T) {
	m := digits(t, "digits", "</script>")
	now := time.Unix(1, 0)
	tick := make(chan time.Time)
	mux := http.NewServeMux()
	mux.Handle("/v1/", serve.Handler(m, serve.HTTP{}))
	mux.Handle("/", page.Handler(m, page.Options{
		Clock: func() time.Time { now = now.Add(2 * time.Second); return now },
		Tick:  func(time.Duration) (<-chan time.Time, func()) { return tick, func() {} },
	}))
	server := httptest.NewServer(mux)
	defer server.Close()
	ctx, leave := context.WithCancel(t.Context())
	defer leave()
	r, err := http.NewRequestWithContext(ctx, "GET", server.URL+"/events", nil)
	if err != nil {
		t.Fatal(err)
	}
	reply, err := server.Client().Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer reply.Body.Close()
	lines := bufio.NewScanner(reply.Body)
	lines.Buffer(nil, 1<<20)
	next := func() (s page.State) {
		t.Helper()
		for lines.Scan() {
			if data, ok := strings.CutPrefix(lines.Text(), "data: "); ok {
				if err := json.Unmarshal([]byte(data), &s); err != nil {
					t.Fatal(err)
				}
				return s
			}
		}
		t.Fatal(lines.Err())
		return s
	}
	s := next()
	if len(s.Models) != 2 || s.Models[0].Name != "</script>" || !s.Ready || s.REST != "/v1/models/" {
		t.Fatalf("%+v", s)
	}
	if v := s.Models[1].Versions; len(v) != 1 || v[0].Number != "1" || v[0].State != "AVAILABLE" || v[0].Labels[0] != "stable" {
		t.Errorf("%+v", v)
	}
	for _, body := range []string{`{"instances": [0]}`, `{"instances": [[` + strings.TrimSuffix(strings.Repeat(`[`+strings.TrimSuffix(strings.Repeat(`[0],`, 8), ",")+`],`, 8), ",") + `]]}`} {
		reply, err := http.Post(server.URL+"/v1/models/digits:predict", "application/json", strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		reply.Body.Close()
	}
	tick <- now
	d := next().Models[1]
	if d.Requests != 1 || d.Failed != 0.5 || d.P99 <= 0 || d.P50 > d.P99 || len(d.Present) != 0 {
		t.Errorf("%+v", d)
	}
	if err := m.Remove("digits"); err != nil {
		t.Fatal(err)
	}
	tick <- now
	if s := next(); len(s.Models) != 1 {
		t.Errorf("%+v", s)
	}
}

// TestAccess: the page holds nothing; what it reads needs the token, or this machine.
func TestAccess(t *testing.T) {
	m := serve.New(serve.Options{})
	for _, c := range []struct {
		o                          page.Options
		path, host, remote, bearer string
		want                       int
	}{
		{page.Options{}, "/", "example.org", "192.0.2.1:1", "", http.StatusOK},
		{page.Options{}, "/events", "localhost", "127.0.0.1:1", "", http.StatusOK},
		{page.Options{}, "/events", "example.org", "127.0.0.1:1", "", http.StatusForbidden},
		{page.Options{}, "/events", "example.org", "192.0.2.1:1", "", http.StatusForbidden},
		{page.Options{Anyone: true}, "/events", "example.org", "192.0.2.1:1", "", http.StatusOK},
		{page.Options{Anyone: true}, "/events", "example.org", "127.0.0.1:1", "", http.StatusForbidden}, // a name that was made to lead here
		{page.Options{Anyone: true, Token: "secret"}, "/events", "localhost", "127.0.0.1:1", "", http.StatusForbidden},
		{page.Options{Token: "secret"}, "/events", "example.org", "192.0.2.1:1", "secret", http.StatusOK},
		{page.Options{}, "/other", "localhost", "127.0.0.1:1", "", http.StatusNotFound},
	} {
		ctx, cancel := context.WithCancel(t.Context())
		cancel() // a viewer that has gone gets one event
		w, r := httptest.NewRecorder(), httptest.NewRequestWithContext(ctx, "GET", c.path, nil)
		r.Host, r.RemoteAddr = c.host, c.remote
		if c.bearer != "" {
			r.Header.Set("Authorization", "Bearer "+c.bearer)
		}
		page.Handler(m, c.o).ServeHTTP(w, r)
		if w.Code != c.want {
			t.Errorf("%+v: %d", c, w.Code)
		}
		if policy := w.Header().Get("Content-Security-Policy"); c.path == "/" && !strings.Contains(policy, "default-src 'none'") {
			t.Errorf("policy %q", policy)
		}
	}
}
