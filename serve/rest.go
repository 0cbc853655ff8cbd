package serve

import (
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"go.opentelemetry.io/otel/propagation"

	"github.com/troupe-go/troupe/plain"
	"github.com/troupe-go/troupe/status"
)

// HTTP are options of [Handler].
type HTTP struct {
	// MaxBody is how many bytes a request's body may have, unpacked; 0: 64 MiB.
	MaxBody int64
	// MaxBodies is how many bytes the bodies of all requests may have that are being
	// read and answered; what goes beyond is refused with 429. 0: eight times MaxBody.
	MaxBodies int64
	// Patience is how long a client may take to send its request, and to take the
	// reply; 0: a minute each.
	Patience time.Duration
	// Timeout bounds each request, in addition to that of its header and its model; 0:
	// it does not.
	Timeout time.Duration
	// Control lets clients load and unload the models of the configuration with the Open
	// Inference Protocol's extension; without it that is PERMISSION_DENIED.
	Control bool
	// CORS lets pages of other hosts call the interface.
	CORS bool
}

// Handler returns TensorFlow Serving's REST interface to the models of a manager:
//
//	GET  /v1/models/NAME[/versions/N|/labels/LABEL]            the states of versions
//	GET  /v1/models/NAME[/versions/N|/labels/LABEL]/metadata   the signatures
//	POST /v1/models/NAME[/versions/N|/labels/LABEL]:predict    and :classify and :regress
//
// and that of the Open Inference Protocol, KServe's version 2, with binary tensors:
//
//	GET  /v2, /v2/health/live, /v2/health/ready
//	GET  /v2/models/NAME[/versions/N][/ready]      the signature, or whether it can run
//	POST /v2/models/NAME[/versions/N]/infer
//	GET  /v2/models/NAME[/versions/N]/stats, /v2/models/stats, /v2/models/NAME/config
//	POST /v2/repository/index                      the models and their versions
//	POST /v2/repository/models/NAME/load, /unload  if HTTP.Control allows it
//
// and /healthz, which answers while the process does, and /readyz, which says whether
// every model has a version to serve. A request may be packed with gzip, and so is the
// reply for clients that ask for it. Errors are {"error": "…"} with the HTTP status of
// their code; a request that is refused because too many wait may be sent again after
// the seconds of its Retry-After.
//
// A request may say how long its client waits, X-Request-Timeout: 0.25, in seconds, or
// 250ms; or as gRPC does, Grpc-Timeout: 250m. Where the model has a canary, X-Request-Key
// decides which version answers. A traceparent is continued.
func Handler(m *Manager, o HTTP) http.Handler {
	if o.MaxBody <= 0 {
		o.MaxBody = 64 << 20
	}
	if o.MaxBodies <= 0 {
		o.MaxBodies = 8 * o.MaxBody
	}
	if o.Patience <= 0 {
		o.Patience = time.Minute
	}
	return &rest{m: m, o: o}
}

type rest struct {
	m    *Manager
	o    HTTP
	held atomic.Int64 // bytes of bodies
}

// A reply is what a request is answered with.
type reply struct {
	code int
	body []byte
	err  error // which it tells

	parts  [][]byte // binary contents of tensors, behind the body
	binary bool
	buffer *[]byte // of buffers, which has the body; nil: none has
}

// size returns how many bytes a reply has.
func (r reply) size() int {
	n := len(r.body)
	for _, p := range r.parts {
		n += len(p)
	}
	return n
}

// write writes the body, and what is behind it.
func (r reply) write(w io.Writer) {
	_, err := w.Write(r.body)
	for _, p := range r.parts {
		if err == nil { // an error is the client's, who has gone
			_, err = w.Write(p)
		}
	}
}

func (h *rest) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if h.refuse(w, r) {
		return
	}
	begin := time.Now()
	ctx := r.Context()
	if r.Header["Traceparent"] != nil {
		ctx = propagation.TraceContext{}.Extract(ctx, propagation.HeaderCarrier(r.Header))
	}
	ctx, record := h.m.Begin(ctx, "REST", "", r.RemoteAddr)
	r = r.WithContext(ctx)
	control := http.NewResponseController(w)
	control.SetReadDeadline(begin.Add(h.o.Patience)) // connections that have no deadlines are in memory
	var out reply
	switch r.URL.Path {
	case "/healthz":
		record.Skip()
		out = reply{code: http.StatusOK, body: []byte("{}")}
	case "/readyz":
		record.Skip()
		if out = (reply{code: http.StatusOK, body: []byte("{}")}); !h.m.Ready() {
			out = failed(status.Errorf(status.Unavailable, "not every model has a version to serve"))
		}
	default:
		out = h.answer(w, r)
	}
	head := w.Header()
	head["Content-Type"], head["X-Content-Type-Options"] = jsonType, noSniffing
	if out.binary {
		head.Set("Content-Type", "application/octet-stream")
		head.Set(inferenceHeader, strconv.Itoa(len(out.body)))
	}
	if out.code == http.StatusTooManyRequests {
		head["Retry-After"] = oneSecond
	}
	control.SetWriteDeadline(time.Now().Add(h.o.Patience))
	if out.size() >= worth && accepts(r.Header.Get("Accept-Encoding"), "gzip") {
		head.Set("Content-Encoding", "gzip")
		w.WriteHeader(out.code)
		z := packers.Get().(*gzip.Writer)
		z.Reset(w)
		out.write(z)
		z.Close() // an error is the client's, who has gone
		z.Reset(io.Discard)
		packers.Put(z)
	} else {
		head.Set("Content-Length", strconv.Itoa(out.size()))
		w.WriteHeader(out.code)
		out.write(w)
	}
	record.HTTP, record.BytesOut = out.code, int64(out.size())
	record.End(out.err)
	giveBack(out.buffer)
}

// worth is from how many bytes on a reply is packed for a client that accepts it: packing
// takes longer than the run of a small model, and saves nothing where a reply is a few
// packets. Many clients accept it without being asked to.
const worth = 8 << 10

// packers pack replies: each has about a megabyte of tables.
var packers = sync.Pool{New: func() any {
	z, _ := gzip.NewWriterLevel(io.Discard, gzip.BestSpeed)
	return z
}}

// The values of headers that every reply has, or every refusal.
var (
	jsonType   = []string{"application/json"}
	noSniffing = []string{"nosniff"}
	oneSecond  = []string{"1"}
)

// buffers are for the texts of requests and replies, of which nothing refers to them when
// the request has been answered.
var buffers = sync.Pool{New: func() any { return new([]byte) }}

// giveBack gives a buffer back, unless it is nil or so large that few need it.
func giveBack(b *[]byte) {
	const most = 64 << 10
	if b != nil && cap(*b) <= most {
		buffers.Put(b)
	}
}

// accepts reports whether an Accept-Encoding names an encoding, and not as one that is
// refused.
func accepts(header, encoding string) bool {
	for item := range strings.SplitSeq(header, ",") {
		name, weight, _ := strings.Cut(item, ";")
		if !strings.EqualFold(strings.TrimSpace(name), encoding) {
			continue
		}
		_, q, weighed := strings.Cut(weight, "=")
		x, err := strconv.ParseFloat(strings.TrimSpace(q), 64)
		return !weighed || err == nil && x > 0
	}
	return false
}

// failed returns the reply of an error.
func failed(err error) reply {
	e := status.From(err)
	text, _ := json.Marshal(strings.TrimPrefix(e.Error(), e.Code.String()+": "))
	var tooLong *http.MaxBytesError
	code := httpCode(e.Code)
	if errors.As(err, &tooLong) {
		code = http.StatusRequestEntityTooLarge
		text, _ = json.Marshal(fmt.Sprintf("the request has more than %d bytes", tooLong.Limit))
	}
	return reply{code: code, body: []byte("{ \"error\": " + string(text) + " }"), err: err}
}

// httpCode returns the HTTP status of a code, as TensorFlow Serving has it.
func httpCode(c status.Code) int {
	switch c {
	case status.InvalidArgument, status.FailedPrecondition, status.OutOfRange:
		return http.StatusBadRequest
	case status.Unauthenticated:
		return http.StatusUnauthorized
	case status.PermissionDenied:
		return http.StatusForbidden
	case status.NotFound:
		return http.StatusNotFound
	case status.AlreadyExists, status.Aborted:
		return http.StatusConflict
	case status.ResourceExhausted:
		return http.StatusTooManyRequests
	case status.Canceled:
		return 499
	case status.Unimplemented:
		return http.StatusNotImplemented
	case status.Unavailable:
		return http.StatusServiceUnavailable
	case status.DeadlineExceeded:
		return http.StatusGatewayTimeout
	}
	return http.StatusInternalServerError
}

// A target is what a path names.
type target struct {
	spec Spec
	verb string // predict, classify, regress, metadata, or nothing
}

var (
	errNoPath    = errors.New("not of this interface")
	errMalformed = status.Invalid("Malformed request")
)

// parse takes a path apart. The words in it are matched without regard to case, the
// verb is not.
func parse(path string) (t target, err error) {
	parts := strings.Split(strings.TrimPrefix(path, "/"), "/")
	if !strings.EqualFold(parts[0], "v1") {
		return t, errNoPath
	}
	if len(parts) < 3 || !strings.EqualFold(parts[1], "models") {
		return t, errMalformed
	}
	last := len(parts) - 1
	if name, verb, ok := cutLast(parts[last], ":"); ok {
		parts[last], t.verb = name, verb
		if verb != "predict" && verb != "classify" && verb != "regress" {
			return t, errMalformed
		}
	} else if (last == 3 || last == 5) && strings.EqualFold(parts[last], "metadata") {
		parts, t.verb = parts[:last], "metadata"
	}
	if t.spec.Model, err = url.PathUnescape(parts[2]); err != nil || t.spec.Model == "" {
		return t, errMalformed
	}
	switch {
	case len(parts) == 3:
	case len(parts) == 5 && strings.EqualFold(parts[3], "versions"):
		n, err := strconv.ParseInt(parts[4], 10, 64)
		if err != nil || n < 0 {
			return t, errMalformed
		}
		t.spec.Version, t.spec.HasVersion = n, true
	case len(parts) == 5 && strings.EqualFold(parts[3], "labels") && parts[4] != "":
		if t.spec.Label, err = url.PathUnescape(parts[4]); err != nil {
			return t, errMalformed
		}
	default:
		return t, errMalformed
	}
	return t, nil
}

func cutLast(s, sep string) (before, after string, found bool) {
	if i := strings.LastIndex(s, sep); i >= 0 {
		return s[:i], s[i+len(sep):], true
	}
	return s, "", false
}

// targetOf returns what a URL names: that of most requests without taking it apart.
func targetOf(u *url.URL) (target, error) {
	if u.RawPath == "" {
		if _, model, verb, more := asked(u.Path); verb != "" && verb != "infer" && model != "" && !more && !strings.Contains(model, "%") {
			return target{spec: Spec{Model: model}, verb: verb}, nil
		}
	}
	return parse(u.EscapedPath())
}

// answer answers a request under /v1.
func (h *rest) answer(w http.ResponseWriter, r *http.Request) (out reply) {
	if p := r.URL.Path; p == "/v2" || strings.HasPrefix(p, "/v2/") {
		return h.v2(w, r)
	}
	t, err := targetOf(r.URL)
	if errors.Is(err, errNoPath) {
		return reply{code: http.StatusNotFound, body: []byte(`{ "error": "Not Found" }`)}
	}
	record := RecordOf(r.Context())
	record.Model, record.Method = t.spec.Model, t.verb
	if t.verb == "" {
		record.Method = "status"
	}
	if h.o.CORS {
		if out, done := cross(w, r); done {
			return out
		}
	}
	posted := t.verb == "predict" || t.verb == "classify" || t.verb == "regress"
	if err != nil || posted != (r.Method == http.MethodPost) || !posted && r.Method != http.MethodGet {
		return failed(status.Invalid("Malformed request: %s %s", r.Method, r.URL.Path))
	}
	ctx, cancel, err := h.within(r)
	if err != nil {
		return failed(err)
	}
	defer cancel()
	t.spec.Key = r.Header.Get("X-Request-Key")
	var text []byte
	switch t.verb {
	case "":
		text, err = h.status(t.spec)
	case "metadata":
		text, err = h.metadata(t.spec)
	default:
		if err = h.m.Full(t.spec.Model); err != nil { // before its body is read
			break
		}
		b := body{h: h}
		defer b.release()
		in := buffers.Get().(*[]byte)
		defer giveBack(in)
		text, err = b.read(w, r, (*in)[:0])
		record.BytesIn = int64(len(text))
		if err == nil {
			if cap(text) > cap(*in) {
				*in = text
			}
			out.buffer = buffers.Get().(*[]byte)
			if text, err = h.run(ctx, t, text, (*out.buffer)[:0]); err == nil {
				*out.buffer = text
			}
		}
	}
	if err != nil {
		giveBack(out.buffer)
		return failed(err)
	}
	out.code, out.body = http.StatusOK, text
	return out
}

// A body is that of a request, which counts as long as the request is answered.
type body struct {
	h    *rest
	held int64
}

func (b *body) release() { b.h.held.Add(-b.held) }

// take counts n bytes more.
func (b *body) take(n int64) error {
	b.held += n
	if b.h.held.Add(n) > b.h.o.MaxBodies {
		return status.Errorf(status.ResourceExhausted, "requests that are being read have more than %d bytes", b.h.o.MaxBodies)
	}
	return nil
}

// reader returns the body, unpacked and bounded.
func (b *body) reader(w http.ResponseWriter, r *http.Request) (io.Reader, error) {
	from := io.Reader(http.MaxBytesReader(w, r.Body, b.h.o.MaxBody))
	switch encoding := r.Header.Get("Content-Encoding"); encoding {
	case "", "identity":
		return from, nil
	case "gzip":
		z, err := gzip.NewReader(from)
		if err != nil {
			return nil, status.Invalid("the request is not packed with gzip: %v", err)
		}
		return z, nil
	default:
		return nil, status.Errorf(status.Unimplemented, "the request's Content-Encoding is %s, not gzip", plain.Line(encoding))
	}
}

// read reads the body, into the memory of text as far as there is room.
func (b *body) read(w http.ResponseWriter, r *http.Request, text []byte) ([]byte, error) {
	from, err := b.reader(w, r)
	if err != nil {
		return nil, err
	}
	return b.all(from, r.ContentLength, text)
}

// all reads what there is. length is how much there may be, -1 if that is not known; memory
// is taken as bytes arrive, not as they are announced.
func (b *body) all(from io.Reader, length int64, text []byte) ([]byte, error) {
	const first = 64 << 10
	if n := max(512, min(first, length+1)); int64(cap(text)) < n {
		text = make([]byte, 0, n)
	} else {
		text = text[:0:n]
	}
	if err := b.take(int64(cap(text))); err != nil {
		return nil, err
	}
	for {
		n, err := from.Read(text[len(text):cap(text)])
		text = text[:len(text)+n]
		switch {
		case int64(len(text)) > b.h.o.MaxBody:
			return nil, &http.MaxBytesError{Limit: b.h.o.MaxBody}
		case errors.Is(err, io.EOF):
			return text, nil
		case err != nil:
			return nil, broken(err)
		}
		if len(text) == cap(text) {
			had := int64(cap(text))
			if err := b.take(had); err != nil { // it doubles
				return nil, err
			}
			text = append(make([]byte, 0, 2*had), text...)
		}
	}
}

// broken returns the error of a body that could not be read.
func broken(err error) error {
	var long *http.MaxBytesError
	switch {
	case errors.As(err, &long):
		return err
	case errors.Is(err, os.ErrDeadlineExceeded):
		return status.Errorf(status.DeadlineExceeded, "the request did not arrive in time")
	}
	return status.Invalid("the request's body ends early: %v", err)
}
