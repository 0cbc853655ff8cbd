package session

import (
	"context"
	"slices"
	"strings"
	"time"

	"google.golang.org/protobuf/proto"

	"github.com/troupe-go/troupe/profile"
	"github.com/troupe-go/troupe/session"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
	"github.com/troupe-go/troupe/tensor/tensorproto"
	"github.com/troupe-go/troupe/wire"
)

// metadataField is the number of RunMetadata in RunStepResponse and RunCallableResponse.
const metadataField = 2

// runStep runs a step, or a part of one. Errors are part of the response if the client
// asks for that.
func (s *Server) runStep(ctx context.Context, q *stepRequest) (*response, error) {
	defer q.free()
	r, err := s.find(q.handle)
	if err != nil {
		return nil, err
	}
	defer r.call()()
	answer := &response{}
	if q.partial != "" {
		err = s.runPart(ctx, r, q, answer)
	} else {
		err = s.run(ctx, r, q, answer)
	}
	if err != nil {
		err = r.ended(err)
		if !q.inBody {
			return nil, err
		}
		answer.fail(status.From(err))
	}
	answer.finish()
	return answer, nil
}

// ended returns what a client is told of an error: that the session was closed, if that
// ended its step.
func (r *remote) ended(err error) error {
	switch status.CodeOf(err) {
	case status.Canceled, status.FailedPrecondition:
		if r.closed.Load() {
			return status.Errorf(status.Canceled, "Step was cancelled by an explicit call to `Session::Close()`.")
		}
	}
	return err
}

// A step is what a client runs again and again: a prepared run under the names that the
// client uses.
type step struct {
	call           *session.Callable
	feeds, fetches []string
	inputs         []session.Output
	outputs        []session.Output
	targets        []*session.Operation
}

// mostSteps bounds the steps that a session keeps prepared.
const mostSteps = 10_000

// step finds or prepares the step of a request.
func (r *remote) step(ctx context.Context, q *stepRequest) (*step, error) {
	var room [256]byte
	key := q.appendKey(room[:0])
	r.mu.Lock()
	found := r.steps[string(key)]
	r.mu.Unlock()
	if found != nil {
		return found, nil
	}
	p := &step{feeds: q.feedNames(), fetches: texts(q.fetches)}
	if err := r.prepare(ctx, p, texts(q.targets)); err != nil {
		return nil, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.steps) >= mostSteps {
		clear(r.steps)
	}
	r.steps[string(key)] = p
	return p, nil
}

// prepare compiles a step for its feeds and fetches.
func (r *remote) prepare(ctx context.Context, p *step, targets []string) (err error) {
	if p.inputs, err = r.inputs(p.feeds); err != nil {
		return err
	}
	if p.outputs, err = r.outputs(p.fetches); err != nil {
		return err
	}
	if p.targets, err = r.targets(targets); err != nil {
		return err
	}
	p.call, err = r.session.MakeCallableContext(ctx, p.inputs, p.outputs, p.targets)
	return err
}

// deadline is when a step must have ended: after its own timeout, if there is one, and so
// long before the call's deadline that the answer is written by then. Later gRPC resets
// the stream, which clients read as CANCELLED.
func deadline(ctx context.Context, timeout time.Duration) (end time.Time, ok bool) {
	now := time.Now()
	if end, ok = ctx.Deadline(); ok {
		end = end.Add(-min(end.Sub(now)/10, mostEarly))
	}
	if own := now.Add(timeout); timeout > 0 && (!ok || own.Before(end)) {
		return own, true
	}
	return end, ok
}

// mostEarly is how long before a call's deadline its step ends at most.
const mostEarly = 20 * time.Millisecond

// run runs a step.
func (s *Server) run(ctx context.Context, r *remote, q *stepRequest, answer *response) error {
	t, err := newTrace(r, q.options)
	if err != nil {
		return err
	}
	if end, ok := deadline(ctx, t.options.Timeout); ok { // it bounds compiling, too
		bound, cancel := context.WithDeadline(ctx, end)
		defer cancel()
		ctx = bound
	}
	p, err := r.step(ctx, q)
	if err != nil {
		return err
	}
	var room [8]*session.Tensor
	feeds := room[:0]
	limit := r.limit
	for i, f := range q.feeds {
		x, err := decode(p.feeds[i], f.tensor, &limit)
		if err != nil {
			return err
		}
		feeds = append(feeds, x)
	}
	costs := t.costs(q)
	fetched, err := p.call.CallWithOptions(ctx, t.options, feeds...)
	if err != nil {
		return err
	}
	for i, x := range fetched {
		if err := answer.tensor(p.fetches[i], x); err != nil {
			return err
		}
	}
	if m := t.message(ctx, p, costs); len(m) > 0 {
		answer.last = wire.AppendField(answer.last, metadataField, m)
	}
	return nil
}

// decode decodes a tensor that is fed to name, and takes its size from what the feeds of
// a step may have.
func decode(name string, b []byte, limit *int64) (*session.Tensor, error) {
	if *limit <= 0 {
		return nil, status.Errorf(status.ResourceExhausted, "the tensors fed up to %s pass the session's memory limit", name)
	}
	t, err := tensorproto.Unmarshal(b, min(*limit, tensor.DefaultLimit))
	if err != nil {
		return nil, status.Within(err, "the tensor fed to %s", name)
	}
	*limit -= int64(t.SizeBytes())
	return t, nil
}

// inputs are the outputs that are fed under the names: "x:0", or "x" for the first. No
// two are the same.
func (r *remote) inputs(names []string) ([]session.Output, error) {
	list := make([]session.Output, len(names))
	for i, name := range names {
		var err error
		switch list[i], err = r.graph.Find(name); {
		case err != nil:
			return nil, status.Errorf(status.NotFound, "FeedInputs: unable to find feed output %s", name)
		case slices.Contains(list[:i], list[i]):
			return nil, status.Invalid("Endpoint %q fed more than once.", name)
		}
	}
	return list, nil
}

// outputs are the outputs that are fetched under the names.
func (r *remote) outputs(names []string) ([]session.Output, error) {
	list := make([]session.Output, len(names))
	for i, name := range names {
		var err error
		if strings.HasPrefix(name, "^") {
			return nil, status.Invalid("FetchOutputs %s: a control output has no value; name the node as a target", name)
		}
		list[i], err = r.graph.Find(name)
		switch status.CodeOf(err) {
		case status.OK:
		case status.OutOfRange:
			return nil, status.Invalid("FetchOutputs %s: output index too large: %v", name, status.From(err).Message)
		default:
			return nil, status.Errorf(status.NotFound, "FetchOutputs node %s: not found", name)
		}
	}
	return list, nil
}

// targets are the operations of the names.
func (r *remote) targets(names []string) ([]*session.Operation, error) {
	list := make([]*session.Operation, len(names))
	for i, name := range names {
		name, _, _ = strings.Cut(strings.TrimPrefix(name, "^"), ":")
		if list[i] = r.graph.Operation(name); list[i] == nil {
			return nil, status.Errorf(status.NotFound, "PruneForTargets: Some target nodes not found: %s", name)
		}
	}
	return list, nil
}

// A trace is what a client wants to know of a step.
type trace struct {
	remote  *remote
	options session.RunOptions
	stats   bool // what nodes cost, and when they ran
	graphs  bool // the graphs that were run
}

func newTrace(r *remote, options []byte) (*trace, error) {
	t := &trace{remote: r}
	if len(options) == 0 {
		return t, nil
	}
	var o wire.RunOptions
	if err := proto.Unmarshal(options, &o); err != nil {
		return nil, status.Invalid("Unparseable RunOptions: %v", err)
	}
	t.set(&o)
	return t, nil
}

func (t *trace) set(o *wire.RunOptions) {
	t.graphs = o.GetOutputPartitionGraphs()
	t.options.Timeout = time.Duration(min(max(o.GetTimeoutInMs(), 0), mostMilliseconds)) * time.Millisecond
	if o.GetTraceLevel() != wire.RunOptions_NO_TRACE {
		t.stats = true
		t.record()
	}
}

// mostMilliseconds is the longest time that fits a Duration.
const mostMilliseconds = int64(1<<63-1) / int64(time.Millisecond)

func (t *trace) record() {
	t.options.Profile = true
	t.options.Metadata = &session.RunMetadata{}
}

// costs reports whether this run is one of those whose costs the session's configuration
// asks for, and records them.
func (t *trace) costs(q *stepRequest) bool {
	r := t.remote
	if r.costsEvery <= 0 {
		return false
	}
	key := string(q.appendKey(nil))
	r.mu.Lock()
	n := r.runs[key]
	if len(r.runs) < mostSteps || n > 0 {
		r.runs[key] = n + 1
	}
	r.mu.Unlock()
	if n < r.costsAfter || (n+1-r.costsAfter)%r.costsEvery != 0 {
		return false
	}
	t.record()
	return true
}

// message returns the RunMetadata of a step; nil if the client asked for none.
func (t *trace) message(ctx context.Context, p *step, costs bool) (b []byte) {
	const costGraph, partitionGraphs = 2, 3 // in RunMetadata
	if m := t.options.Metadata; m != nil && m.Stats != nil {
		if t.stats {
			b = m.Stats.AppendRunMetadata(b)
		} else if costs {
			var model profile.Model
			model.Add(m.Stats)
			b = wire.AppendField(b, costGraph, model.AppendCostGraph(nil))
		}
	}
	if !t.graphs {
		return b
	}
	defs, err := p.call.GraphDefs(ctx)
	if err != nil {
		return b
	}
	for _, def := range defs {
		b = wire.AppendField(b, partitionGraphs, def)
	}
	return b
}
