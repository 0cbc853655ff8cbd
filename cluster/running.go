package cluster

import (
	"context"
	"strings"
	"sync"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/trace"

	"github.com/troupe-go/troupe/cluster/protocol"
	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/profile"
	"github.com/troupe-go/troupe/resource"
	"github.com/troupe-go/troupe/session"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

// A running step is what a worker runs of it. It is the rendezvous of its pieces: keys of
// devices of this worker meet in a local one, the others go through the core.
type running struct {
	w       *Worker
	id      protocol.StepID
	part    *compiled
	record  *profile.Recorder // nil: what nodes cost is not wanted
	ctx     context.Context
	traced  context.Context // ctx with the step's span
	cancel  context.CancelCauseFunc
	local   resource.LocalRendezvous
	perStep resource.Manager
	fetches sync.WaitGroup // of large tensors

	mu      sync.Mutex
	waiting map[string]waiter
	watched map[context.Context]func() bool // contexts of waiters, and what ends watching them
	ended   error
}

// A waiter is a Recv that waits for a token of another worker.
type waiter struct {
	ctx  context.Context
	done func(resource.Token, error)
}

var _ resource.Rendezvous = (*running)(nil)

// begin starts a step, on a goroutine of its own.
func (w *Worker) begin(e protocol.Effect) {
	w.office.dropIf(func(of protocol.StepID) bool {
		return of.SessionID == e.Step.SessionID && of.Step < e.Floor && of.Step > 0
	})
	r := &running{w: w, id: e.Step}
	r.ctx, r.cancel = context.WithCancelCause(w.ctx)
	w.table.Lock()
	c := w.parts[partID{e.Step.SessionID, e.Handle}]
	var s *workerSession
	if c != nil && c.program != nil {
		r.part = c.program
		c.users++
		s = w.session(e.Step.SessionID)
		if r.part.isolated && s.isolated == nil {
			s.isolated = resource.NewManager()
			s.isolated.Budget = w.budget
		}
	}
	w.steps[e.Step] = r
	w.table.Unlock()
	a, _ := e.Value.(*arrival)
	w.work.Go(func() {
		began := time.Now()
		var end func(error)
		if r.traced = r.ctx; a != nil {
			r.traced = within(r.ctx, a.span)
			if a.record {
				r.record = profile.NewRecorder()
			}
		}
		r.traced, end = r.span(r.traced, "step", trace.SpanKindServer)
		fetched, err := r.run(s, a)
		if err != nil && w.ctx.Err() != nil {
			err = status.Errorf(status.Unavailable, "worker %s was closed", w.Name())
		}
		r.abort(err)
		r.cancel(nil)
		r.fetches.Wait()
		var result any
		if err == nil {
			var p *parcel
			if p, _, err = pack(r.id, fetched); err == nil {
				result = p
			}
		}
		r.perStep.Clear()
		end(err)
		if w.options.Observe != nil {
			w.options.Observe(Step{Session: r.id.Number, Step: r.id.Step, Took: time.Since(began), Err: err})
		}
		w.finish(r, c, result, err)
	})
}

// finish reports a step that has ended.
func (w *Worker) finish(r *running, c *compiling, result any, err error) {
	w.finished.Add(1)
	if err != nil {
		w.failed.Add(1)
		w.log.Debug().Stringer("master", r.id.Master).Uint64("session", r.id.Number).Uint64("step", r.id.Step).Str("worker", w.Name()).Err(err).Msg("step failed")
	}
	w.do(func(out *protocol.Outbox) { w.core.Finished(r.id, result, err, out) })
	w.table.Lock()
	defer w.table.Unlock()
	delete(w.steps, r.id)
	if r.part != nil {
		if c.users--; c.users == 0 && c.gone && c.program != nil {
			c.program.discard()
			c.program = nil
		}
	}
	w.idle.Broadcast()
}

// run runs the pieces, and returns what they fetch.
func (r *running) run(s *workerSession, feeds *arrival) (all []item, err error) {
	defer recovered(&err)
	w := r.w
	if r.part == nil {
		return nil, status.Errorf(status.Aborted, "worker %s has released the part", w.Name())
	}
	if w.draining.Load() {
		return nil, w.drains()
	}
	fed, err := unpack(r.ctx, w.endpoint, w.budget, feeds)
	if err != nil {
		return nil, err
	}
	byPlace := make(map[int]tensor.Value, len(fed))
	for _, it := range fed {
		byPlace[it.at] = it.value
	}
	resources := w.resources
	if r.part.isolated {
		resources = s.isolated
	}
	step := kernel.Step{
		ID: int64(r.id.Step), Context: r.ctx, Resources: resources, State: s.state, PerStep: &r.perStep, Pool: w.pool,
		Files: w.options.Files, Log: w.log, Seed: r.part.seed, Rendezvous: r, Profile: r.record,
	}
	if r.part.partial {
		if err := session.JoinPartialRun(&r.perStep, owner{r}); err != nil {
			return nil, err
		}
	}
	fetched := make([][]item, len(r.part.pieces))
	play := func(i int) error {
		p := &r.part.pieces[i]
		own := step
		own.Functions = p.functions
		in, out := make([]tensor.Value, len(p.feedAt)), make([]tensor.Value, len(p.fetchAt))
		for k, at := range p.feedAt {
			v := byPlace[at]
			if v.IsZero() {
				return status.Invalid("feed %d is missing", at)
			}
			in[k] = v
		}
		if err := w.engine.Run(&own, p.program, in, out); err != nil {
			return err
		}
		for k, at := range p.fetchAt {
			fetched[i] = append(fetched[i], item{at: at, value: out[k].Compact().Share()})
		}
		return nil
	}
	var once sync.Once
	var failed error
	try := func(i int) {
		if err := play(i); err != nil {
			once.Do(func() {
				failed = err
				r.abort(err)
				r.cancel(err)
			})
		}
	}
	var away sync.WaitGroup
	for i := 1; i < len(r.part.pieces); i++ {
		away.Go(func() { try(i) })
	}
	try(0)
	away.Wait()
	if failed != nil {
		return nil, failed
	}
	for _, list := range fetched {
		all = append(all, list...)
	}
	if r.record != nil {
		return appendStats(all, r.record)
	}
	return all, nil
}

// stop ends the step for the core.
func (r *running) stop(why error) {
	r.cancel(why)
	r.abort(why)
	r.w.office.dropIf(func(of protocol.StepID) bool { return of == r.id })
}

// abort ends the rendezvous; nil: with a success.
func (r *running) abort(err error) {
	if err == nil {
		err = status.Errorf(status.Canceled, "the step has ended")
	}
	r.mu.Lock()
	if r.ended != nil {
		r.mu.Unlock()
		return
	}
	r.ended = err
	waiting, watched := r.waiting, r.watched
	r.waiting, r.watched = nil, nil
	r.mu.Unlock()
	r.local.Abort(err)
	for _, unwatch := range watched {
		unwatch()
	}
	for _, w := range waiting {
		w.done(resource.Token{}, err)
	}
}

// Abort ends the rendezvous. See [resource.Rendezvous].
func (r *running) Abort(err error) { r.abort(err) }

// other returns the worker that a device belongs to, if that is another one.
func (r *running) other(device string) (protocol.Peer, bool) {
	i := strings.LastIndex(device, "/device:")
	if i < 0 {
		return 0, false
	}
	for _, p := range r.part.where {
		if p[0] == device[:i] {
			if p[1] == r.w.endpoint.Address() {
				return 0, false
			}
			return r.w.peer(p[1]), true
		}
	}
	return 0, false
}

// Send sends a token. See [resource.Rendezvous].
func (r *running) Send(key string, t resource.Token) error {
	_, rest, _ := strings.Cut(key, ";")
	_, rest, _ = strings.Cut(rest, ";")
	to, _, _ := strings.Cut(rest, ";")
	peer, away := r.other(to)
	if !away {
		return r.local.Send(key, t)
	}
	r.mu.Lock()
	err := r.ended
	r.mu.Unlock()
	if err != nil {
		return err
	}
	return r.give(peer, key, item{dead: t.Dead, value: t.Value})
}

// give sends a token to another process.
func (r *running) give(peer protocol.Peer, key string, it item) error {
	p, size, err := pack(r.id, []item{it})
	if err != nil {
		return err
	}
	r.w.do(func(out *protocol.Outbox) { err = r.w.core.Produced(r.id, peer, key, p, size, out) })
	return err
}

// Recv asks for a token. See [resource.Rendezvous].
func (r *running) Recv(ctx context.Context, key string, done func(resource.Token, error)) {
	from, _, _ := strings.Cut(key, ";")
	peer, away := r.other(from)
	if !away {
		r.local.Recv(ctx, key, done)
		return
	}
	r.want(ctx, peer, key, done)
}

// want asks another process for a token.
func (r *running) want(ctx context.Context, peer protocol.Peer, key string, done func(resource.Token, error)) {
	if err := r.wait(ctx, key, done); err != nil {
		done(resource.Token{}, err)
		return
	}
	var err error
	r.w.do(func(out *protocol.Outbox) { err = r.w.core.Wanted(r.id, peer, key, out) })
	if err != nil {
		r.refuse(key, err)
	}
}

// refuse ends one wait.
func (r *running) refuse(key string, err error) {
	r.mu.Lock()
	done := r.waiting[key].done
	delete(r.waiting, key)
	r.mu.Unlock()
	if done != nil {
		done(resource.Token{}, err)
	}
}

// wait notes a waiter.
func (r *running) wait(ctx context.Context, key string, done func(resource.Token, error)) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.ended != nil {
		return r.ended
	}
	if _, twice := r.waiting[key]; twice {
		return status.Errorf(status.Aborted, "Duplicated recv: %s", key)
	}
	if r.watched[ctx] == nil { // one for each piece
		if r.waiting == nil {
			r.waiting, r.watched = map[string]waiter{}, map[context.Context]func() bool{}
		}
		r.watched[ctx] = context.AfterFunc(ctx, func() { r.giveUp(ctx) })
	}
	if ctx.Err() != nil { // giveUp may have been called
		return status.FromContext(ctx)
	}
	r.waiting[key] = waiter{ctx, done}
	return nil
}

// giveUp ends the waits whose context has ended: a piece that has failed does not end before.
func (r *running) giveUp(ctx context.Context) {
	var all []waiter
	r.mu.Lock()
	for key, w := range r.waiting {
		if w.ctx == ctx {
			all = append(all, w)
			delete(r.waiting, key)
		}
	}
	r.mu.Unlock()
	for _, w := range all {
		w.done(resource.Token{}, status.FromContext(ctx))
	}
}

// deliver gives a token to who waits for it.
func (r *running) deliver(key string, value any) {
	r.mu.Lock()
	done := r.waiting[key].done
	delete(r.waiting, key)
	r.mu.Unlock()
	if done == nil {
		return
	}
	a, _ := value.(*arrival)
	if a != nil && a.ticket == 0 {
		r.open(a, done)
		return
	}
	r.fetches.Add(1)
	r.w.work.Go(func() {
		defer r.fetches.Done()
		_, end := r.span(r.traced, "fetch", trace.SpanKindClient, attribute.String("from", r.w.nameOf(a.from)), attribute.Int("bytes", a.total))
		r.open(a, func(t resource.Token, err error) {
			end(err)
			done(t, err)
		})
	})
}

func (r *running) open(a *arrival, done func(resource.Token, error)) {
	items, err := unpack(r.ctx, r.w.endpoint, r.w.budget, a)
	switch {
	case err != nil:
		done(resource.Token{}, err)
	case len(items) != 1 || items[0].stats != nil:
		done(resource.Token{}, status.Errorf(status.DataLoss, "a message with %d tensors", len(items)))
	default:
		done(resource.Token{Value: items[0].value, Dead: items[0].dead, Foreign: true}, nil)
	}
}
