package batch

import (
	"context"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

// Options are those of a [Batcher].
type Options struct {
	// Parameters are how requests are batched; nil: as measurements say.
	Parameters *Parameters
	// MaxRows bounds the rows of a batch without Parameters; 0: 1024.
	MaxRows int
	// Threads is how many steps may run at a time without Parameters; 0: one for each CPU.
	Threads int
	// Observe is called when a batch has run; nil: it is not. It must not block.
	Observe func(Report)
	// Refused is called when a signature is no longer batched, with the reason; nil: it
	// is not.
	Refused func(signature string, reason error)
}

// A Report is what a batch took.
type Report struct {
	Signature      string
	Requests, Rows int
	Padding        int           // rows that were added
	Waited         time.Duration // of its first request, or of the request that it is about
	Took           time.Duration
	Err            error
}

// A Batcher runs the requests of a model. It is safe for concurrent use.
type Batcher struct {
	o     Options
	begun time.Time

	mu       sync.Mutex
	q        *queue
	timer    *time.Timer
	yielding bool // a caller yields, and starts what waits then
	came     bool // others came meanwhile
	closed   bool
	steps    sync.WaitGroup // goroutines that run batches
}

// New returns a Batcher without signatures. It fails if the parameters contradict one
// another. It must be closed.
func New(o Options) (*Batcher, error) {
	if o.Parameters != nil {
		if err := o.Parameters.Check(); err != nil {
			return nil, err
		}
	}
	if o.MaxRows <= 0 {
		o.MaxRows = 1024
	}
	if o.Threads <= 0 {
		o.Threads = runtime.GOMAXPROCS(0)
	}
	return &Batcher{o: o, begun: time.Now(), q: newQueue(o.Parameters, o.Threads)}, nil
}

// Close waits for the batches that run, whose requests have ended or will; new requests
// are refused with UNAVAILABLE.
func (b *Batcher) Close() {
	b.mu.Lock()
	b.closed = true
	if b.timer != nil {
		b.timer.Stop()
	}
	b.mu.Unlock()
	b.steps.Wait()
}

func (b *Batcher) now() time.Duration { return time.Since(b.begun) }

// A Step is how steps of a signature run.
type Step struct {
	// Turn, if it is not nil, waits until a step may run, and returns a context for Run
	// and what is called with the error of the run. The time that it takes is not that of
	// the step.
	Turn func(context.Context) (context.Context, func(error), error)
	// Run runs a step. Feeds and results are in a fixed order.
	Run func(ctx context.Context, feeds []*tensor.Tensor) ([]*tensor.Tensor, error)
}

// A Signature is one kind of request. It is safe for concurrent use.
type Signature struct {
	b    *Batcher
	name string
	step Step
	off  atomic.Bool // it runs its requests one by one

	// Under the Batcher's mu:
	classes map[string]*class
	trials  int // batches to compare with separate runs
	lone    *class
}

// The batches of a signature that are compared with separate runs, and the requests that
// such a batch has at most.
const (
	trials   = 3
	trialFew = 4
)

// mostClasses bounds the shapes of a signature that are told apart at a time.
const mostClasses = 256

// Add adds a signature whose rows are independent and which has no side effects.
func (b *Batcher) Add(name string, step Step) *Signature {
	s := &Signature{b: b, name: name, step: step, classes: map[string]*class{}, lone: &class{key: name}}
	if b.o.Parameters == nil {
		s.trials = trials
	}
	return s
}

// Batched reports whether requests may be joined.
func (s *Signature) Batched() bool { return !s.off.Load() }

// A call is the Batcher's part of a request.
type call struct {
	s     *Signature
	ctx   context.Context
	feeds []*tensor.Tensor
	runs  *atomic.Bool // set when its step starts; nil: it is not
	b     *batch       // since it is started
	turn  chan struct{}

	// Set before turn is closed: the result, or that the request runs itself.
	out    []*tensor.Tensor
	err    error
	self   bool
	report Report
}

// A progress is the Batcher's part of a batch.
type progress struct {
	staying int // requests whose callers wait
	padding int // rows that were added
	cancel  context.CancelFunc
}

// Run runs a request, and reports on the batch that it was in. It fails as the signature's
// step does, with the context's error soon after ctx has ended, and with RESOURCE_EXHAUSTED
// if too many requests wait.
func (s *Signature) Run(ctx context.Context, feeds []*tensor.Tensor) ([]*tensor.Tensor, Report, error) {
	return s.RunNoting(ctx, feeds, nil)
}

// RunNoting is Run, and sets runs when the step of the request starts.
func (s *Signature) RunNoting(ctx context.Context, feeds []*tensor.Tensor, runs *atomic.Bool) ([]*tensor.Tensor, Report, error) {
	rows := 0
	if !s.off.Load() {
		rows = rowsOf(feeds)
	}
	if p := s.b.o.Parameters; p != nil && p.EnableLargeBatchSplitting && rows > s.b.q.manual.MaxBatchSize {
		return s.pieces(ctx, feeds, rows, s.b.q.manual.MaxBatchSize, runs)
	}
	return s.one(ctx, feeds, rows, runs)
}

// pieces runs a large request in pieces, one after another.
func (s *Signature) pieces(ctx context.Context, feeds []*tensor.Tensor, rows, most int, runs *atomic.Bool) (out []*tensor.Tensor, last Report, err error) {
	var parts [][]*tensor.Tensor
	for at := 0; at < rows; at += most {
		n := min(most, rows-at)
		if out, last, err = s.one(ctx, part(feeds, at, n), n, runs); err != nil {
			return nil, last, err
		}
		parts = append(parts, out)
	}
	out, err = concat(parts)
	return out, last, err
}

func (s *Signature) one(ctx context.Context, feeds []*tensor.Tensor, rows int, runs *atomic.Bool) ([]*tensor.Tensor, Report, error) {
	b := s.b
	r := &request{rows: max(rows, 1)}
	r.s, r.ctx, r.feeds, r.runs = s, ctx, feeds, runs
	deadline, bounded := ctx.Deadline()
	var key [128]byte
	b.mu.Lock()
	if b.closed {
		b.mu.Unlock()
		return nil, Report{}, status.Errorf(status.Unavailable, "the model is being unloaded")
	}
	if r.class = s.lone; rows > 0 {
		r.class = s.class(appendKey(key[:0], feeds, b.q.manual != nil && b.q.manual.PadVariableLengthInputs))
	}
	now := b.now()
	if bounded {
		r.deadline = max(1, now+time.Until(deadline))
	}
	if err := b.q.arrive(now, r); err != nil {
		b.mu.Unlock()
		return nil, Report{}, err
	}
	var ready *batch
	if b.yielding { // the one that yields starts it
		b.came = true
	} else {
		var wake time.Duration
		if ready, wake = b.choose(now, r); ready == nil {
			b.wake(wake)
		}
	}
	if ready != nil {
		if len(ready.requests) == 1 && ready.requests[0] == r { // nobody else is there
			r.b = ready
			b.startOthers()
			b.mu.Unlock()
			return b.alone(r)
		}
		b.launch(ready)
		b.startOthers()
	}
	if r.turn == nil {
		r.turn = make(chan struct{})
	}
	b.mu.Unlock()

	select {
	case <-r.turn:
	case <-ctx.Done():
		b.mu.Lock()
		select {
		case <-r.turn: // it has ended, or is to run itself, and will see that ctx has ended
			b.mu.Unlock()
		default:
			b.q.leave(r)
			if r.b != nil {
				if r.b.staying--; r.b.staying == 0 && r.b.cancel != nil {
					r.b.cancel()
				}
			}
			b.mu.Unlock()
			return nil, Report{Waited: b.now() - now}, status.From(context.Cause(ctx))
		}
	}
	if r.self {
		return b.alone(r)
	}
	return r.out, r.report, r.err
}

// class returns the class of a key. mu is held.
func (s *Signature) class(key []byte) *class {
	if c := s.classes[string(key)]; c != nil {
		return c
	}
	if len(s.classes) >= mostClasses {
		for k, c := range s.classes {
			if c.waiters == 0 {
				delete(s.classes, k)
			}
			if len(s.classes) < mostClasses {
				break
			}
		}
	}
	c := &class{key: string(key), most: s.b.o.MaxRows}
	if p := s.b.q.manual; p != nil {
		c.most = p.MaxBatchSize
	} else if s.trials > 0 {
		c.few = trialFew
	}
	s.classes[c.key] = c
	return c
}

// yields is how often a caller yields, and shortWait the time that is left to it alone, for
// which it may yield mostYields times.
const (
	yields     = 64
	mostYields = 4096
	shortWait  = 100 * time.Microsecond
)

// choose returns what the queue says when r has arrived. If other requests are about, r
// yields its processor before: callers that have had their answers may be queued there, and
// r would start alone, and again when it is back, while they wait. It goes on yielding as
// long as the queue wants to wait for microseconds, for which a timer is too coarse. mu is
// held, but not all the time.
func (b *Batcher) choose(now time.Duration, r *request) (ready *batch, wake time.Duration) {
	if b.q.manual != nil || !b.q.company() {
		return b.q.next(now)
	}
	b.yielding = true
	for n := range mostYields {
		b.mu.Unlock()
		runtime.Gosched()
		b.mu.Lock()
		ready, wake = b.q.next(b.now())
		if ready != nil || wake == 0 || r.state != waiting || n >= yields && wake >= shortWait {
			break
		}
	}
	b.yielding = false
	return ready, wake
}

// wake sets the timer, unless the time is 0. mu is held.
func (b *Batcher) wake(after time.Duration) {
	switch {
	case after == 0 || b.closed:
	case b.timer == nil:
		b.timer = time.AfterFunc(after, b.tick)
	default:
		b.timer.Reset(after)
	}
}

// tick starts what has waited long enough.
func (b *Batcher) tick() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.start(b.now())
}

// startOthers starts those who came while a caller yielded, if there is room for more than the
// batch that it starts. mu is held.
func (b *Batcher) startOthers() {
	if b.came {
		b.came = false
		b.start(b.now())
	}
}

// start starts all batches that may. mu is held.
func (b *Batcher) start(now time.Duration) {
	for {
		ready, wake := b.q.next(now)
		if ready == nil {
			b.wake(wake)
			return
		}
		b.launch(ready)
	}
}

// launch runs a batch: on a goroutine of its own, or on that of its only request. mu is
// held.
func (b *Batcher) launch(ready *batch) {
	ready.staying = len(ready.requests)
	for _, r := range ready.requests {
		r.b = ready
		if r.turn == nil {
			r.turn = make(chan struct{})
		}
	}
	if p := b.q.manual; len(ready.requests) == 1 && (p == nil || len(p.AllowedBatchSizes) == 0) {
		r := ready.requests[0]
		r.self = true
		close(r.turn)
		return
	}
	b.steps.Add(1)
	ctx, cancel := context.WithCancel(context.Background())
	if at, ok := latest(ready.requests); ok {
		ctx, cancel = context.WithDeadline(ctx, at)
	}
	ready.cancel = cancel
	go func() {
		defer b.steps.Done()
		defer cancel()
		b.together(ctx, ready)
	}()
}

// latest returns the last deadline of requests; false if one has none.
func latest(requests []*request) (at time.Time, ok bool) {
	for _, r := range requests {
		d, bounded := r.ctx.Deadline()
		if !bounded {
			return at, false
		}
		if d.After(at) {
			at = d
		}
	}
	return at, true
}

// alone runs a request on its caller's goroutine, under its own context.
func (b *Batcher) alone(r *request) (out []*tensor.Tensor, of Report, err error) {
	if p := b.q.manual; p != nil && len(p.AllowedBatchSizes) > 0 && r.class.most > 0 {
		out, err = b.joined(r.ctx, r.b)
		if err == nil {
			out = part(out, 0, r.rows)
		}
	} else {
		out, err = b.run(r.ctx, r.b, r.feeds)
	}
	return out, b.ended(r.b, err), err
}

// run runs a batch's step when it is its turn.
func (b *Batcher) run(ctx context.Context, of *batch, feeds []*tensor.Tensor) ([]*tensor.Tensor, error) {
	s := of.requests[0].s
	if s.step.Turn == nil {
		of.note()
		return s.step.Run(ctx, feeds)
	}
	came := time.Now()
	ctx, ended, err := s.step.Turn(ctx)
	if err != nil {
		return nil, err
	}
	if time.Since(came) > 100*time.Microsecond { // or else the question costs more than it tells
		b.mu.Lock()
		of.began = b.now()
		b.mu.Unlock()
	}
	of.note()
	out, err := s.step.Run(ctx, feeds)
	ended(err)
	return out, err
}

// note notes that the requests of a batch run.
func (of *batch) note() {
	for _, r := range of.requests {
		if r.runs != nil {
			r.runs.Store(true)
		}
	}
}

// ended ends a batch, and starts the next.
func (b *Batcher) ended(of *batch, err error) Report {
	b.mu.Lock()
	now := b.now()
	b.q.done(now, of, err == nil)
	first := of.requests[0]
	r := Report{Signature: first.s.name, Requests: len(of.requests), Rows: of.rows, Padding: of.padding, Waited: of.began - first.arrived, Took: now - of.began, Err: err}
	b.start(now)
	b.mu.Unlock()
	if b.o.Observe != nil {
		b.o.Observe(r)
	}
	return r
}

// size returns the rows of the step for a batch of rows: the next that is allowed.
func (b *Batcher) size(rows int) int {
	if p := b.q.manual; p != nil {
		for _, n := range p.AllowedBatchSizes {
			if n >= rows {
				return n
			}
		}
	}
	return rows
}

// joined runs a batch as one step.
func (b *Batcher) joined(ctx context.Context, of *batch) ([]*tensor.Tensor, error) {
	rows := b.size(of.rows)
	feeds := make([]*tensor.Tensor, len(of.requests[0].feeds))
	for i := range feeds {
		var err error
		if feeds[i], err = join(of.requests, i, rows); err != nil {
			return nil, err
		}
	}
	of.padding = rows - of.rows
	out, err := b.run(ctx, of, feeds)
	if err == nil {
		err = splittable(out, rows)
	}
	return out, err
}

// together runs a batch, and gives each request its result. If the batch fails for another
// reason than that all callers are gone, or is a trial, the requests run one by one.
func (b *Batcher) together(ctx context.Context, of *batch) {
	s := of.requests[0].s
	out, err := b.joined(ctx, of)
	b.mu.Lock()
	trial := err == nil && s.trials > 0 && len(of.requests) > 1
	b.mu.Unlock()
	if err == nil && !trial {
		report := b.ended(of, nil)
		at := 0
		for _, r := range of.requests {
			b.answer(r, part(out, at, r.rows), report, nil)
			at += r.rows
		}
		return
	}
	if ctx.Err() != nil {
		report := b.ended(of, err)
		for _, r := range of.requests {
			b.answer(r, nil, report, err)
		}
		return
	}
	differ := error(nil)
	failed := false
	at := 0
	for _, r := range of.requests {
		own, e := b.run(r.ctx, of, r.feeds)
		failed = failed || e != nil
		if trial && e == nil && differ == nil {
			differ = compare(part(out, at, r.rows), own)
		}
		at += r.rows
		b.answer(r, own, Report{Signature: s.name, Requests: 1, Rows: r.rows}, e)
	}
	switch {
	case trial && differ != nil:
		s.refuse(status.Errorf(status.FailedPrecondition, "rows of a batch are not independent: %v", differ))
	case trial && !failed:
		s.passed()
	case err != nil && !failed: // the batch failed, but none of its requests does
		s.refuse(err)
	}
	b.ended(of, status.Errorf(status.Aborted, "the requests of the batch ran one by one"))
}

// answer gives a request its result.
func (b *Batcher) answer(r *request, out []*tensor.Tensor, of Report, err error) {
	if r.out, r.err, r.report = out, err, of; of.Requests > 1 {
		r.report.Waited = r.b.began - r.arrived
	}
	close(r.turn)
}

// refuse ends batching of a signature: each of its requests runs alone from now on.
func (s *Signature) refuse(reason error) {
	if s.off.Swap(true) {
		return
	}
	s.b.mu.Lock()
	for _, c := range s.classes {
		c.most = 0
	}
	s.b.mu.Unlock()
	if f := s.b.o.Refused; f != nil {
		f(s.name, reason)
	}
}

// passed notes a batch whose results were those of separate runs.
func (s *Signature) passed() {
	s.b.mu.Lock()
	defer s.b.mu.Unlock()
	if s.trials--; s.trials > 0 {
		return
	}
	for _, c := range s.classes {
		c.few = 0
	}
}

// compare returns how two results differ beyond rounding.
func compare(got, want []*tensor.Tensor) error {
	for i := range got {
		if err := tensor.Compare(got[i], want[i], tolerance(got[i].DType())); err != nil {
			return err
		}
	}
	return nil
}

// tolerance returns how far apart values of a type may be that differ only because a
// kernel adds in another order.
func tolerance(dt tensor.DType) tensor.Tolerance {
	switch dt.Size() {
	case 1:
		return tensor.Tolerance{RTol: 0.2, ATol: 0.05}
	case 2:
		return tensor.Tolerance{RTol: 2e-2, ATol: 2e-3}
	}
	return tensor.Tolerance{RTol: 1e-3, ATol: 1e-4}
}
