package serve

import (
	"net/http"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/troupe-go/troupe/status"
)

// A refusal is what a request gets for which there is no room. It is made when the limits of
// the model are set: under a load beyond what the machine can do most requests are refused, and
// what that takes is taken from the others.
type refusal struct {
	err    error
	body   []byte // over HTTP
	length []string

	logged atomic.Int64 // when a line was logged, in nanoseconds since 1970
	silent atomic.Int64 // refusals since then
}

func newRefusal(model string, room int) *refusal {
	r := &refusal{err: status.Errorf(status.ResourceExhausted, "model '%s' has %d requests that run or wait, and takes no more", model, room)}
	r.body = failed(r.err).body
	r.length = []string{strconv.Itoa(len(r.body))}
	return r
}

// logEvery is how often a refusal is logged; lines count those in between.
const logEvery = time.Second

// due reports whether a refusal is to be logged, and how many there have been since the last
// that was, itself included.
func (r *refusal) due(now time.Time) (n int64, ok bool) {
	r.silent.Add(1)
	last := r.logged.Load()
	if now.UnixNano()-last < int64(logEvery) || !r.logged.CompareAndSwap(last, now.UnixNano()) {
		return 0, false
	}
	return r.silent.Swap(0), true
}

// refuse counts a request that does not fit, and returns its error.
func (l *line) refuse() error {
	l.meter.refused.Add(1)
	return l.refusal.Load().err
}

// Full fails with RESOURCE_EXHAUSTED, and counts a request as refused, if a model takes no more
// requests. Interfaces ask before they read what a request holds.
func (m *Manager) Full(model string) error {
	if l := m.line(model); l != nil && l.full() {
		return l.refuse()
	}
	return nil
}

// line returns the line of a model, nil if there is none.
func (m *Manager) line(model string) *line {
	if all := m.lines.Load(); all != nil {
		return all.of[model]
	}
	return nil
}

// lines are the lines of models by their names.
type lines struct {
	of   map[string]*line
	sole string // the only one, if there is one alone
}

// Sole returns the name of the only model, "" if there is none or there are several: interfaces
// know before they read a request that it is for this one.
func (m *Manager) Sole() string {
	if all := m.lines.Load(); all != nil {
		return all.sole
	}
	return ""
}

// refuse answers a request for a model that takes no more, before anything else is done for it:
// its body is not read. It returns false if it is not such a request.
func (h *rest) refuse(w http.ResponseWriter, r *http.Request) bool {
	if r.Method != http.MethodPost || r.URL.RawPath != "" || h.o.CORS || h.m.options.Tracer != nil {
		return false
	}
	api, model, verb, _ := asked(r.URL.Path)
	if api == "" {
		return false
	}
	l := h.m.line(model)
	if l == nil || !l.full() {
		return false
	}
	begin := time.Now()
	refusal := l.refusal.Load()
	l.refuse()
	head := w.Header()
	head["Content-Type"], head["X-Content-Type-Options"], head["Retry-After"], head["Content-Length"] = jsonType, noSniffing, oneSecond, refusal.length
	http.NewResponseController(w).SetWriteDeadline(begin.Add(h.o.Patience))
	w.WriteHeader(http.StatusTooManyRequests)
	w.Write(refusal.body) // an error is the client's, who has gone
	if o := &h.m.options; o.Observer != nil || o.Requests != nil {
		record := &Record{API: api, Method: verb, Client: r.RemoteAddr, Model: model, Began: begin, manager: h.m, span: noSpanAtAll}
		record.HTTP, record.BytesOut = http.StatusTooManyRequests, int64(len(refusal.body))
		record.End(refusal.err)
	}
	return true
}

// asked returns what a path as clients write it runs: /v1/models/NAME:VERB or
// /v2/models/NAME/infer, with more, a version or a label, perhaps. Other spellings are left to
// those who read paths to the end.
func asked(path string) (api, model, verb string, more bool) {
	switch {
	case strings.HasPrefix(path, "/v1/models/"):
		path, verb, _ = cutLast(path[len("/v1/models/"):], ":")
		if verb != "predict" && verb != "classify" && verb != "regress" {
			return "", "", "", false
		}
		api = "REST"
	case strings.HasPrefix(path, "/v2/models/") && strings.HasSuffix(path, "/infer"):
		path, verb, api = strings.TrimSuffix(path[len("/v2/models/"):], "/infer"), "infer", "v2 REST"
	default:
		return "", "", "", false
	}
	model, rest, more := strings.Cut(path, "/")
	if more && !strings.HasPrefix(rest, "versions/") && !strings.HasPrefix(rest, "labels/") {
		return "", "", "", false
	}
	return api, model, verb, more
}
