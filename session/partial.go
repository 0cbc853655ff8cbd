package session

import (
	"context"
	"errors"
	"sync"

	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

// A PartialRun is one step that is fed and fetched incrementally: what has been computed
// is kept, and nothing is computed twice. It is safe for concurrent use.
//
// The step runs on its own goroutine from [Session.NewPartialRun] until everything has
// been fed and run, or until the partial run or its session is closed.
type PartialRun struct {
	session *Session
	program *partialProgram
	ctx     context.Context // ends with the step
	cancel  context.CancelCauseFunc

	mu      sync.Mutex
	fed     []bool
	asked   []bool
	given   []chan struct{} // closed when the feed's value is there
	values  []tensor.Value
	settled []chan struct{} // closed when the fetch has come, or has come dead
	fetched []tensor.Value

	ended chan struct{} // closed when the step has ended
	err   error         // why it failed; read after ended
}

// NewPartialRun is [Session.NewPartialRunContext] with a context that does not end.
func (s *Session) NewPartialRun(feeds, fetches []Output, targets []*Operation) (*PartialRun, error) {
	return s.NewPartialRunContext(context.Background(), feeds, fetches, targets)
}

// NewPartialRunContext starts a step whose runs feed some of feeds, fetch some of
// fetches and run some of targets; all that its runs use must be named here. It takes
// time linear in the size of the graph. The end of ctx cancels it, and later the step.
func (s *Session) NewPartialRunContext(ctx context.Context, feeds, fetches []Output, targets []*Operation) (*PartialRun, error) {
	if err := s.runs.enter(); err != nil {
		return nil, err
	}
	p, err := s.partialProgram(ctx, feeds, fetches, targets)
	if err != nil {
		s.runs.leave()
		return nil, err
	}
	pr := &PartialRun{
		session: s,
		program: p,
		fed:     make([]bool, len(feeds)),
		asked:   make([]bool, len(fetches)),
		given:   channels(len(feeds)),
		values:  make([]tensor.Value, len(feeds)),
		settled: channels(len(fetches)),
		fetched: make([]tensor.Value, len(fetches)),
		ended:   make(chan struct{}),
	}
	pr.ctx, pr.cancel = context.WithCancelCause(ctx)
	if !s.partials.add(pr) { // Close has begun since the run entered
		pr.cancel(nil)
		s.runs.leave()
		return nil, errClosed()
	}
	go pr.play()
	return pr, nil
}

// partials are the partial runs of a session that have not ended.
type partials struct {
	mu     sync.Mutex
	all    map[*PartialRun]struct{}
	closed bool // none is added any more: nothing would cancel it
}

// add reports whether pr was added: not once the partial runs have been abandoned.
func (p *partials) add(pr *PartialRun) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return false
	}
	if p.all == nil {
		p.all = map[*PartialRun]struct{}{}
	}
	p.all[pr] = struct{}{}
	return true
}

func (p *partials) remove(pr *PartialRun) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.all, pr)
}

// abandon cancels all partial runs and refuses further ones.
func (p *partials) abandon() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.closed = true
	for pr := range p.all {
		pr.cancel(errors.New("the session was closed"))
	}
}

func channels(n int) []chan struct{} {
	list := make([]chan struct{}, n)
	for i := range list {
		list[i] = make(chan struct{})
	}
	return list
}

// play drives the step to its end.
func (pr *PartialRun) play() {
	s := pr.session
	defer s.runs.leave()
	defer close(pr.ended)
	defer func() {
		s.partials.remove(pr)
		pr.cancel(nil)
	}()
	p := pr.program.whole
	c := p.begin(s)
	c.partial = partialSide{pr}
	defer func() {
		c.partial = nil
		p.end(c)
	}()
	if pr.err = JoinPartialRun(&c.perStep, c.partial); pr.err != nil {
		return
	}
	ctx, cancel := s.bound(pr.ctx, &RunOptions{})
	defer cancel()
	pr.err = s.run(ctx, &RunOptions{}, p, c)
}

// Close cancels the partial run. Runs that wait fail with CANCELLED.
func (pr *PartialRun) Close() error {
	pr.cancel(errors.New("the partial run was closed"))
	<-pr.ended
	return nil
}

// Run adds feeds and returns the fetched tensors by position. Feeds, fetches and targets
// must have been named in [Session.NewPartialRun]; each may be fed and fetched once in
// the life of a partial run, and a fetch must not depend on inputs that have not been
// fed. Targets run as soon as they can; Run does not wait for them.
func (pr *PartialRun) Run(feeds map[Output]*Tensor, fetches []Output, targets []*Operation) ([]*Tensor, error) {
	return pr.RunContext(context.Background(), feeds, fetches, targets)
}

// RunContext is [PartialRun.Run] that stops waiting when ctx ends. The step continues.
func (pr *PartialRun) RunContext(ctx context.Context, feeds map[Output]*Tensor, fetches []Output, targets []*Operation) ([]*Tensor, error) {
	wanted, err := pr.take(feeds, fetches, targets)
	if err != nil {
		return nil, err
	}
	out := make([]*Tensor, len(wanted))
	for k, i := range wanted {
		select {
		case <-pr.settled[i]:
		case <-pr.ended:
		case <-ctx.Done():
			return nil, status.FromContext(ctx)
		}
		pr.mu.Lock()
		v := pr.fetched[i]
		pr.mu.Unlock()
		if v.IsZero() {
			return nil, pr.failure(fetches[k], i)
		}
		held := []tensor.Value{v}
		if err := bringIn(held); err != nil {
			return nil, err
		}
		out[k] = detach(held[0])
	}
	if err := pr.session.maps.Check(); err != nil {
		return nil, err
	}
	return out, nil
}

// failure reports why fetch i has no value.
func (pr *PartialRun) failure(o Output, i int) error {
	select {
	case <-pr.ended:
		if pr.err != nil {
			return pr.err
		}
	default:
	}
	return status.Invalid("Retval[%d] does not have value: the tensor %s was on a branch not taken", i, o)
}

// take checks the arguments of a run, gives the feeds to the step, and answers
// the numbers of the fetches. It does all or nothing.
func (pr *PartialRun) take(feeds map[Output]*Tensor, fetches []Output, targets []*Operation) ([]int, error) {
	p := pr.program
	pr.mu.Lock()
	defer pr.mu.Unlock()
	fed := append([]bool(nil), pr.fed...)
	values := map[int]tensor.Value{}
	for o, t := range feeds {
		i := p.feedOf(o)
		switch {
		case i < 0:
			return nil, status.Invalid("The tensor %s was not specified in partial run setup.", o)
		case fed[i]:
			return nil, status.Invalid("The tensor %s has already been fed.", o)
		case t == nil:
			return nil, status.Invalid("the tensor fed to %s is nil", o)
		}
		v := tensor.ValueOf(t.View())
		if err := p.wants[i].check(i, v); err != nil {
			return nil, err
		}
		fed[i], values[i] = true, v
	}
	wanted := make([]int, len(fetches))
	for k, o := range fetches {
		i := p.fetchOf(o)
		switch {
		case i < 0:
			return nil, status.Invalid("The tensor %s was not specified in partial run setup.", o)
		case pr.asked[i]:
			return nil, status.Invalid("The tensor %s has already been fetched.", o)
		}
		if missing := p.unfed(i, fed); missing >= 0 {
			return nil, status.Invalid("Tensor %s can't be computed from the feeds that have been fed so far: %s has not been fed.", o, p.feeds[missing])
		}
		wanted[k] = i
	}
	for _, t := range targets {
		if !p.hasTarget(t) {
			return nil, status.Invalid("The target %s was not specified in partial run setup.", t.Name())
		}
	}
	for _, i := range wanted {
		pr.asked[i] = true
	}
	for i, v := range values {
		pr.values[i] = v
		close(pr.given[i])
	}
	pr.fed = fed
	return wanted, nil
}

// A partialSide is the side of a partial run that its nodes see.
type partialSide struct{ *PartialRun }

// Await returns the value of feed i, when it is there.
func (pr partialSide) Await(ctx context.Context, i int) (tensor.Value, error) {
	select {
	case <-pr.given[i]:
		return pr.values[i], nil
	case <-ctx.Done():
		return tensor.Value{}, status.FromContext(ctx)
	}
}

// Deliver hands over the value of fetch i. A tensor of a loop may come twice.
func (pr partialSide) Deliver(i int, v tensor.Value) error {
	if err := pr.known(i); err != nil {
		return err
	}
	pr.mu.Lock()
	defer pr.mu.Unlock()
	if !pr.fetched[i].IsZero() {
		return status.Errorf(status.Internal, "Retval[%d] has already been set.", i)
	}
	pr.fetched[i] = v.Share()
	return nil
}

// known refuses fetches that the partial run does not have, as another process may report.
func (pr partialSide) known(i int) error {
	if i < 0 || i >= len(pr.fetched) {
		return status.Errorf(status.DataLoss, "a fetch %d of %d", i, len(pr.fetched))
	}
	return nil
}

// Settle says that fetch i has come, or has come dead.
func (pr partialSide) Settle(i int) error {
	if err := pr.known(i); err != nil {
		return err
	}
	pr.mu.Lock()
	defer pr.mu.Unlock()
	select {
	case <-pr.settled[i]:
	default:
		close(pr.settled[i])
	}
	return nil
}
