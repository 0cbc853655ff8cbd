package serve

import (
	"context"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"
	"go.opentelemetry.io/otel/trace/noop"

	"github.com/troupe-go/troupe/plain"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

// An Observer is notified of what a manager and its interfaces do. Its methods are called
// by the goroutines of requests, at the same time; they must return at once.
type Observer interface {
	Request(*Record) // has been answered
	Run(Run)         // has ended
	Batch(Batch)     // is about to run
	Load(Load)       // has ended
	Unload(Load)
}

// A Record is what is known of a request: of the interface that answers it, and of the
// run that it led to.
type Record struct {
	API     string // "REST" or "gRPC"
	Method  string // such as "Predict"
	Client  string // its address, "" if unknown
	Model   string
	Version int64 // 0 as long as it is unknown

	Signature string
	Examples  int // along the first axis of the inputs
	Batch     int // examples that ran together, its own among them; 0: it ran alone
	Wait      time.Duration
	Run       time.Duration

	Began      time.Time
	Took       time.Duration // when it has ended
	Err        error
	Code       status.Code
	HTTP       int // the status of a reply over HTTP
	BytesIn    int64
	BytesOut   int64
	TraceID    string
	manager    *Manager
	span       trace.Span
	unrecorded bool
}

// A Run is one run of a signature.
type Run struct {
	Model, Signature string
	Version          int64
	Wait, Took       time.Duration // before it was its turn, and from there
	Err              error
}

// A Batch is a run for several requests.
type Batch struct {
	Model, Signature   string
	Version            int64
	Requests, Examples int
	Padding            int           // examples that were added
	Waited             time.Duration // since the first of its requests came
}

// A Load is an attempt to load a version.
type Load struct {
	Model   string
	Version int64
	Path    string
	Took    time.Duration // warming up included
	Warming time.Duration
	Err     error
}

// noSpanAtAll is that of requests without a tracer.
var noSpanAtAll trace.Span = noop.Span{}

type recordKey struct{}

// Begin begins to observe a request of an interface: a span, below the one that ctx
// carries, and a record, which the returned context carries to the runs of the request.
// [Record.End] ends it.
func (m *Manager) Begin(ctx context.Context, api, method, client string) (context.Context, *Record) {
	r := &Record{API: api, Method: method, Client: client, Began: time.Now(), manager: m}
	c := trace.SpanContextFromContext(ctx)
	if r.span = noSpanAtAll; m.options.Tracer != nil {
		ctx, r.span = m.options.Tracer.Start(ctx, method, trace.WithSpanKind(trace.SpanKindServer))
		c = r.span.SpanContext()
	}
	if c.IsValid() {
		r.TraceID = c.TraceID().String()
	}
	return context.WithValue(ctx, recordKey{}, r), r
}

// RecordOf returns the record of the request to which a context belongs; nil if there is
// none.
func RecordOf(ctx context.Context) *Record {
	r, _ := ctx.Value(recordKey{}).(*Record)
	return r
}

// Skip leaves the request out of logs and metrics: a probe.
func (r *Record) Skip() { r.unrecorded = true }

// End ends the request, with its error: it is logged, counted and its span ended.
func (r *Record) End(err error) {
	r.Took = time.Since(r.Began)
	if r.Err = err; err != nil {
		r.Code = status.CodeOf(err)
	}
	if r.span.IsRecording() {
		if err != nil {
			r.span.SetStatus(codes.Error, plain.Line(err.Error()))
		}
		r.span.SetName(r.API + " " + plain.Line(r.Method))
		r.span.SetAttributes(attribute.String("model", r.Model), attribute.Int64("version", r.Version),
			attribute.String("signature", r.Signature), attribute.Int("examples", r.Examples), attribute.String("code", r.Code.String()))
	}
	r.span.End()
	if r.unrecorded {
		return
	}
	if o := r.manager.options.Observer; o != nil {
		o.Request(r)
	}
	r.log()
}

// log writes the line of a request. Those of a model that are refused, as too much is asked of
// it, share one line a second.
func (r *Record) log() {
	l := r.manager.options.Requests
	if l == nil {
		return
	}
	refused := int64(0)
	if r.Code == status.ResourceExhausted {
		if line := r.manager.line(r.Model); line != nil {
			n, due := line.refusal.Load().due(r.Began)
			if !due {
				return
			}
			refused = n
		}
	}
	e := l.Info()
	if r.Code == status.Internal || r.Code == status.Unknown || r.Code == status.DataLoss {
		e = l.Error()
	}
	if !e.Enabled() {
		return
	}
	e = e.Str("api", r.API).Str("method", plain.Line(r.Method)).Str("client", plain.Line(r.Client)).Str("model", plain.Line(r.Model))
	if r.Version != 0 {
		e = e.Int64("version", r.Version)
	}
	if r.Signature != "" {
		e = e.Str("signature", plain.Line(r.Signature))
	}
	if r.Examples != 0 {
		e = e.Int("examples", r.Examples)
	}
	if r.Batch != 0 {
		e = e.Int("batch", r.Batch)
	}
	if r.HTTP != 0 {
		e = e.Int("status", r.HTTP)
	}
	e = e.Str("code", r.Code.String()).Int64("in", r.BytesIn).Int64("out", r.BytesOut).
		Dur("wait", r.Wait).Dur("run", r.Run).Dur("took", r.Took)
	if r.TraceID != "" {
		e = e.Str("trace", r.TraceID)
	}
	if refused > 1 {
		e = e.Int64("refused", refused)
	}
	if r.Err != nil {
		e = e.Str("error", plain.Line(r.Err.Error()))
	}
	e.Msg("request")
}

func noSpan(error) {}

// span begins a span below that of ctx; the function that is returned ends it.
func (v *version) span(ctx context.Context, name string) (context.Context, func(error)) {
	t := v.m.options.Tracer
	if t == nil {
		return ctx, noSpan
	}
	ctx, s := t.Start(ctx, name, trace.WithAttributes(attribute.String("model", v.name), attribute.Int64("version", v.number)))
	return ctx, func(err error) {
		if err != nil {
			s.SetStatus(codes.Error, plain.Line(err.Error()))
		}
		s.End()
	}
}

// turn waits until a run of the version may begin, and observes how long it waits and
// runs; p, if it is not nil, is the request's. The function that it returns ends the run, with
// its error.
func (v *version) turn(ctx context.Context, signature string, p *place) (context.Context, func(error), error) {
	came := time.Now()
	_, waited := v.span(ctx, "wait")
	w, err := v.line.turn(ctx)
	waited(err)
	began := time.Now()
	wait := began.Sub(came)
	if r := RecordOf(ctx); r != nil {
		r.Wait += wait
	}
	if p != nil {
		p.wait = wait
	}
	if err != nil {
		return ctx, nil, err
	}
	inner, ran := v.span(ctx, "run")
	return inner, func(err error) {
		v.line.end(w)
		ran(err)
		took := time.Since(began)
		if p != nil {
			p.ran = took
		}
		if r := RecordOf(ctx); r != nil {
			r.Run += took
		}
		if o := v.m.options.Observer; o != nil {
			o.Run(Run{Model: v.name, Signature: signature, Version: v.number, Wait: wait, Took: took, Err: err})
		}
	}, nil
}

// within bounds a request by the timeout of its model.
func (v *version) within(ctx context.Context) (context.Context, context.CancelFunc) {
	t := time.Duration(v.s.timeout.Load())
	if t <= 0 {
		return ctx, func() {}
	}
	return context.WithTimeoutCause(ctx, t, status.Errorf(status.DeadlineExceeded, "the request took longer than %v", t))
}

// examplesIn returns the size of the first axis of feeds, 0 if they have none.
func examplesIn(feeds []*tensor.Tensor) (n int) {
	for _, t := range feeds {
		if s := t.Dims(); len(s) > 0 {
			n = max(n, int(s[0]))
		}
	}
	return n
}

// examplesOf returns the size of the inputs' first axis, 0 if they have none.
func examplesOf(inputs map[string]*tensor.Tensor) (n int) {
	for _, t := range inputs {
		if s := t.Dims(); len(s) > 0 {
			n = max(n, int(s[0]))
		}
	}
	return n
}
