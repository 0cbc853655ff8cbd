package actors

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/asynkron/protoactor-go/actor"

	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/nodes"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

// A run drives one step at a time, on the goroutine of whoever called.
type run struct {
	engine  *Engine
	slot    int
	turn    atomic.Uint64 // odd while a step runs; names the step together with slot
	options nodes.Options
	pool    Pool        // nil: kernels run here
	own     *nodes.Step // of a run of one program, which keeps it; nil: the program lends one

	step   *nodes.Step
	shared *kernel.Step
	ctx    context.Context
	alarm  nodes.Alarm // rung when a letter comes
	inbox  nodes.Inbox
	got    []nodes.Completion
	abort  error              // what a letter asked for
	cancel context.CancelFunc // of the kernels that run elsewhere; nil if there were none yet
	over   atomic.Bool        // the step has failed: kernels that have not begun need not

	program   atomic.Pointer[nodes.Program] // of the step
	tokens    []letter                      // with tokens from outside, not yet looked at
	receivers map[slot]*nodes.Activation    // that wait for such tokens
	early     map[slot]tensor.Value         // tokens that nobody waits for yet

	waiting  atomic.Bool // letters wait to be read
	mu       sync.Mutex
	mail     []letter
	watchers []watcher
	watched  atomic.Bool // there may be watchers
	bell     chan struct{}
}

// A letter is a message from outside to a step or one of its nodes.
type letter struct {
	step    string // whom it is for: slot and turn
	node    string
	message any
	sender  *actor.PID
	answer  chan *Status // in place of a sender; gets nil if the step ends first
}

// pid returns the address of the step that the run plays in that turn.
func (r *run) pid(turn uint64) *actor.PID {
	return actor.NewPID(Address, r.engine.name+"/"+r.name(turn))
}

// post leaves a letter for a step; false if that has ended.
func (r *run) post(l letter) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.mail = append(r.mail, l)
	r.waiting.Store(true)
	if r.engine.find(l.step) != r { // asked last: see close
		r.mail = r.mail[:len(r.mail)-1]
		return false
	}
	r.wake()
	return true
}

// wake makes the step's driver poll.
func (r *run) wake() {
	r.alarm.Ring()
	select {
	case r.bell <- struct{}{}:
	default:
	}
}

// name returns the step that the run plays in that turn, in addresses.
func (r *run) name(turn uint64) string { return fmt.Sprintf("%d.%d", r.slot, turn) }

// collect takes the letters that have come.
func (r *run) collect() []letter {
	r.mu.Lock()
	defer r.mu.Unlock()
	mail := r.mail
	r.mail = nil
	r.waiting.Store(false)
	return mail
}

// close ends the turn. Letters that nobody has read are dead: whoever posts one
// sees that the turn has ended, or is seen to wait here.
func (r *run) close() {
	r.turn.Add(1)
	if r.watched.Load() {
		r.dismiss()
	}
	if !r.waiting.Load() {
		return
	}
	for _, l := range r.collect() {
		if l.answer != nil {
			l.answer <- nil
		} else {
			undelivered(r.addressee(l), l.message, l.sender)
		}
	}
}

// poll reads the mail and looks at the context. The step asks when its alarm
// has been rung.
func (r *run) poll() error {
	if r.waiting.Load() {
		r.read()
		if r.abort != nil {
			return r.abort
		}
	}
	if err := r.ctx.Err(); err != nil {
		return status.FromContext(r.ctx)
	}
	if err := r.engine.stopped.Load(); err != nil {
		return err
	}
	return nil
}

// read answers the letters that have come.
func (r *run) read() {
	for _, l := range r.collect() {
		switch m := l.message.(type) {
		case *Abort:
			if r.abort == nil {
				at := ""
				if l.node != "" {
					at = fmt.Sprintf(" at node %q", l.node)
				}
				r.abort = status.Errorf(status.Aborted, "the step was aborted%s: %s", at, m.Reason)
			}
		case *Inspect:
			limit := m.Limit
			if limit <= 0 {
				limit = 16
			}
			if l.node != "" {
				l.reply(&NodeStatus{
					Node:   r.addressee(l),
					Report: r.step.ReportNode(r.program.Load().Node(l.node), limit),
				})
				continue
			}
			pid := r.pid(r.turn.Load())
			s := &Status{Step: pid, Report: *r.step.Report(limit)}
			s.Report.Step = pid.Id
			if l.answer != nil {
				l.answer <- s
			} else {
				l.reply(s)
			}
		case *Deliver: // when the step is not in the midst of something
			r.tokens = append(r.tokens, l)
		default:
			undelivered(r.addressee(l), l.message, l.sender)
		}
	}
}

// addressee is whom a letter was for.
func (r *run) addressee(l letter) *actor.PID {
	id := r.engine.name + "/" + l.step
	if l.node != "" {
		id += "/" + l.node
	}
	return actor.NewPID(Address, id)
}

// reply answers the sender, if there is one.
func (l letter) reply(message any) {
	if l.sender != nil {
		System().Root.Send(l.sender, message)
	}
}

// admit takes the tokens that have come from outside.
func (r *run) admit() {
	for _, l := range r.tokens {
		l.reply(&Delivered{r.accept(l.node, l.message.(*Deliver))})
	}
	clear(r.tokens)
	r.tokens = r.tokens[:0]
}

// drive plays one step to its end.
func (r *run) drive(shared *kernel.Step, p *nodes.Program, feeds, fetched []tensor.Value) error {
	outer := shared.Context
	r.shared, r.ctx, r.abort = shared, outer, nil
	if p.Blocks() { // kernels that wait must hear that the step has failed
		shared.Context, r.cancel = context.WithCancel(outer)
	}
	step := r.own
	if step == nil {
		step = p.Begin(shared, feeds, r.options)
	} else {
		step.Begin(shared, feeds, r.options)
	}
	if r.engine.stopped.Load() != nil { // perhaps before Stop could find the step
		r.wake()
	}
	r.step = step
	for {
		a := step.Advance()
		if len(r.tokens) > 0 {
			r.admit()
		}
		if a != nil {
			r.hand(a)
			continue
		}
		switch {
		case step.Err() != nil:
		case step.Ready() > 0: // by a token from outside
			continue
		case step.Running() > 0:
			r.wait()
			continue
		}
		break
	}
	if step.Running() > 0 {
		step.Release()
		r.over.Store(true)
		r.abandon()
	}
	if r.cancel != nil {
		r.cancel()
		r.cancel = nil
	}
	for step.Running() > 0 {
		// What was published and nobody has claimed is this goroutine's to run.
		if !r.take() && (r.pool == nil || !r.pool.Help()) {
			<-r.inbox.Bell()
		}
	}
	shared.Context = outer // no kernel reads it any more
	err := step.End(fetched)
	r.step, r.shared, r.ctx = nil, nil, nil
	if len(r.early) > 0 || len(r.tokens) > 0 {
		r.discard()
	}
	if err != nil {
		r.failed(err)
	}
	return err
}

// discard drops the tokens from outside that the step did not take.
func (r *run) discard() {
	clear(r.early)
	for _, l := range r.tokens {
		undelivered(r.addressee(l), l.message, l.sender)
	}
	clear(r.tokens)
	r.tokens = r.tokens[:0]
}

// failed names the step in its error's report, and tells the session actor of a panic.
func (r *run) failed(err error) {
	r.over.Store(false)
	if bad, ok := err.(*status.Error); ok && bad.Report != nil && bad.Report.Step == "" {
		bad.Report.Step = r.pid(r.turn.Load()).Id
	}
	if kernel.IsPanic(err) {
		System().Root.Send(r.engine.pid, &faulted{r.pid(r.turn.Load()).Id, err})
	}
}

// hand starts a kernel that the step does not run itself.
func (r *run) hand(a *nodes.Activation) {
	if a.Calls() { // on a goroutine of its own: whatever waits in there, this step goes on
		go func() { r.inbox.Put(a, a.Play(r.engine)) }()
		return
	}
	if a.Receives() {
		r.receive(a)
		return
	}
	if a.Async() {
		a.Start(func(err error) { r.inbox.Put(a, err) })
		return
	}
	if r.pool != nil {
		if r.cancel == nil { // nothing runs elsewhere yet that could look at it
			r.shared.Context, r.cancel = context.WithCancel(r.ctx)
		}
		r.pool.Publish(&task{r, a}, a.Cost())
		return
	}
	r.step.Complete(a, a.Run())
}

// A task is a kernel on its way to another core.
type task struct {
	run *run
	a   *nodes.Activation
}

// Run runs the kernel, if the step still wants it, and reports to the step's
// driver.
func (t *task) Run(worker int) {
	var err error
	t.a.Worker = worker
	if !t.run.over.Load() {
		err = t.a.Run()
	}
	t.run.inbox.Put(t.a, err)
}

// take completes the kernels that are done, and reports whether any was.
func (r *run) take() bool {
	r.got = r.inbox.Take(r.got[:0])
	for _, c := range r.got {
		r.step.Complete(c.Activation, c.Err)
	}
	return len(r.got) > 0
}

// wait lets something happen: a kernel completes, a letter comes, the step is
// cancelled, or the driver helps with what it has published.
func (r *run) wait() {
	if r.take() {
		return
	}
	if r.pool != nil && r.pool.Help() {
		return
	}
	select {
	case <-r.inbox.Bell():
	case <-r.bell:
	case <-r.ctx.Done():
	}
	if err := r.poll(); err != nil {
		r.step.Abort(err)
	}
	if len(r.tokens) > 0 {
		r.admit()
	}
}
