package live_test

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

	"github.com/troupe-go/troupe"
	"github.com/troupe-go/troupe/graph/notation"
	"github.com/troupe-go/troupe/view/live"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// A queue from which a step takes what nobody puts.
const waits = `
q = FIFOQueueV2() {component_types=list(type)[DT_INT32], capacity=4, shared_name="jobs"}
take = QueueDequeueV2(q) {component_types=list(type)[DT_INT32]}
y = Neg(take) {T=DT_INT32}
n = Const() {dtype=DT_INT32, value=Tensor<type: int32 shape: [] values: 7>}
zero = Const() {dtype=DT_INT32, value=Tensor<type: int32 shape: [] values: 0>}
fails = FloorDiv(n, zero) {T=DT_INT32}
`

func open(t *testing.T) (*troupe.Session, *troupe.Graph) {
	t.Helper()
	g := troupe.NewGraph()
	if err := notation.Add(g, waits); err != nil {
		t.Fatal(err)
	}
	s, err := troupe.NewSession(g, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s, g
}

func fetch(g *troupe.Graph, name string) []troupe.Output {
	return []troupe.Output{g.Operation(name).Output(0)}
}

// A viewer reads events, each when the test lets the clock tick.
type viewer struct {
	*testing.T
	lines *bufio.Scanner
	tick  chan time.Time
}

func look(t *testing.T, o live.Options, s *troupe.Session) (*httptest.Server, func(headers ...string) (*http.Response, *viewer)) {
	t.Helper()
	v := &viewer{T: t, tick: make(chan time.Time)}
	o.Tick = func(time.Duration) (<-chan time.Time, func()) { return v.tick, func() {} }
	server := httptest.NewServer(live.Handler(live.Of(s), o))
	t.Cleanup(server.Close)
	return server, func(headers ...string) (*http.Response, *viewer) {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, server.URL+"/events?every=1s", nil)
		if err != nil {
			t.Fatal(err)
		}
		for i := 0; i < len(headers); i += 2 {
			if headers[i] == "Host" {
				r.Host = headers[i+1]
			}
			r.Header.Set(headers[i], headers[i+1])
		}
		response, err := server.Client().Do(r)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { response.Body.Close() })
		v.lines = bufio.NewScanner(response.Body)
		v.lines.Buffer(nil, 1<<24)
		return response, v
	}
}

func (v *viewer) next() (s live.State) {
	v.Helper()
	for v.lines.Scan() {
		if data, ok := strings.CutPrefix(v.lines.Text(), "data: "); ok {
			if err := json.Unmarshal([]byte(data), &s); err != nil {
				v.Fatal(err)
			}
			return s
		}
	}
	v.Fatal("the stream has ended: ", v.lines.Err())
	return s
}

func TestEvents(t *testing.T) {
	s, g := open(t)
	server, connect := look(t, live.Options{Abort: true}, s)
	_, v := connect()
	if st := v.next(); len(st.Sessions) != 1 || len(st.Sessions[0].Running) != 0 {
		t.Fatalf("%+v", st)
	}
	// A step waits; another fails.
	ended := make(chan error, 1)
	go func() {
		_, err := s.RunContext(context.Background(), nil, fetch(g, "y"), nil)
		ended <- err
	}()
	if _, err := s.Run(nil, fetch(g, "fails"), nil); err == nil {
		t.Fatal("a division by zero has a result")
	}
	var one live.SessionState
	for {
		v.tick <- time.Now()
		one = v.next().Sessions[0]
		if len(one.Running) == 1 && len(one.Running[0].Kernels) == 1 {
			break
		}
	}
	if r := one.Running[0]; !strings.Contains(r.Kernels[0].Text, `"take" (QueueDequeueV2)`) {
		t.Errorf("the step is said to be at %+v", r)
	}
	if len(one.Failures) != 1 || one.Failures[0].Code != "INVALID_ARGUMENT" || !strings.Contains(one.Failures[0].Text, "fails") {
		t.Errorf("failures: %+v", one.Failures)
	}
	found := false
	for _, r := range one.Resources {
		found = found || r.Name == "jobs" && r.Kind == "FIFOQueue" && r.Capacity == 4 && r.Elements == 0
	}
	if !found {
		t.Errorf("resources: %+v", one.Resources)
	}
	post := func(step string) int {
		b, _ := json.Marshal(map[string]string{"session": "session 1", "step": step})
		r, err := http.Post(server.URL+"/abort", "application/json", strings.NewReader(string(b)))
		if err != nil {
			t.Fatal(err)
		}
		r.Body.Close()
		return r.StatusCode
	}
	if code := post("session0/0.999"); code != http.StatusNotFound {
		t.Errorf("another step: %d", code)
	}
	if code := post(one.Running[0].Step); code != http.StatusNoContent {
		t.Errorf("the abort: %d", code)
	}
	if err := <-ended; troupe.CodeOf(err) != troupe.Aborted {
		t.Errorf("the step ended with %v", err)
	}
}

// While no one looks nothing is counted.
func TestUnwatched(t *testing.T) {
	s, g := open(t)
	s.Run(nil, fetch(g, "n"), nil)
	if a := s.Base().Activity(); a.Steps != 0 {
		t.Errorf("%d steps were counted", a.Steps)
	}
	_, connect := look(t, live.Options{}, s)
	_, v := connect()
	v.next()
	s.Run(nil, fetch(g, "n"), nil)
	if a := s.Base().Activity(); a.Steps != 1 || a.Nodes < 1 {
		t.Errorf("%d steps of %d nodes were counted while one looked", a.Steps, a.Nodes)
	}
}

func TestAccess(t *testing.T) {
	s, _ := open(t)
	for _, c := range []struct {
		token   string
		headers []string
		want    int
	}{
		{"", nil, http.StatusOK},
		{"", []string{"Host", "localhost:99"}, http.StatusOK},
		{"", []string{"Host", "example.org"}, http.StatusForbidden}, // a name that was made to lead here
		{"secret", nil, http.StatusForbidden},
		{"secret", []string{"Authorization", "Bearer wrong"}, http.StatusForbidden},
		{"secret", []string{"Authorization", "Bearer secret", "Host", "example.org"}, http.StatusOK},
	} {
		_, connect := look(t, live.Options{Token: c.token}, s)
		r, _ := connect(c.headers...)
		if r.StatusCode != c.want {
			t.Errorf("token %q, headers %q: %d, want %d", c.token, c.headers, r.StatusCode, c.want)
		}
		r.Body.Close()
	}
	h := live.Handler(live.Of(s), live.Options{})
	for _, c := range []struct {
		method, path, remote string
		want                 int
	}{
		{"GET", "/", "192.0.2.1:1", http.StatusOK}, // the page holds nothing
		{"POST", "/", "127.0.0.1:1", http.StatusMethodNotAllowed},
		{"GET", "/events", "192.0.2.1:1", http.StatusForbidden},
		{"GET", "/other", "127.0.0.1:1", http.StatusNotFound},
		{"POST", "/abort", "127.0.0.1:1", http.StatusForbidden}, // it was not allowed
		{"GET", "/events?every=x", "127.0.0.1:1", http.StatusBadRequest},
	} {
		w, r := httptest.NewRecorder(), httptest.NewRequest(c.method, c.path, nil)
		r.Host, r.RemoteAddr = "localhost", c.remote
		h.ServeHTTP(w, r)
		if w.Code != c.want {
			t.Errorf("%s %s from %s: %d, want %d", c.method, c.path, c.remote, w.Code, c.want)
		}
		if c.path == "/" && c.method == "GET" && !strings.Contains(w.Header().Get("Content-Security-Policy"), "default-src 'none'") {
			t.Error("the page has no policy")
		}
	}
}

func TestViewers(t *testing.T) {
	s, _ := open(t)
	_, connect := look(t, live.Options{Viewers: 1}, s)
	_, v := connect()
	v.next()
	if r, _ := connect(); r.StatusCode != http.StatusServiceUnavailable {
		t.Errorf("a second viewer: %d", r.StatusCode)
	}
}
