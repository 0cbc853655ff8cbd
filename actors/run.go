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

// A run drives one step at a time, on the goroutine of its caller.
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
	alarm  nodes.Alarm // rung when a message arrives
	inbox  nodes.Inbox
	got    []nodes.Completion
	abort  error              // requested by a message
	cancel context.CancelFunc // of the kernels that run elsewhere; nil if there were none yet
	over   atomic.Bool        // the step has failed: kernels that have not begun need not

	program   atomic.Pointer[nodes.Program] // of the step
	tokens    []envelope                    // with tokens from outside, not yet looked at
	receivers map[slot]*nodes.Activation    // that wait for such tokens
	early     map[slot]tensor.Value         // tokens for which no node waits yet

	waiting  atomic.Bool // the mailbox is not empty
	mu       sync.Mutex
	mail     []envelope
	watchers []watcher
	watched  atomic.Bool // there may be watchers
	bell     chan struct{}
	away     atomic.Int32  // kernels that were given to the pool and have not returned
	wakeUp   chan struct{} // by the pool
	came     func() bool   // whether there is something to take
}

// An envelope is a message from outside to a step or one of its nodes.
type envelope struct {
	step    string // the addressee: slot and turn
	node    string
	message any
	sender  *actor.PID
	answer  chan *Status // in place of a sender; gets nil if the step ends first
}

// pid returns the address of the step that the run executes in that turn.
func (r *run) pid(turn uint64) *actor.PID {
	return actor.NewPID(Address, r.engine.name+"/"+r.name(turn))
}

// post puts a message into the mailbox of a step; false if the step has ended.
func (r *run) post(l envelope) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.mail = append(r.mail, l)
	r.waiting.Store(true)
	if r.engine.find(l.step) != r { // checked last: see close
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

// name returns the step that the run executes in that turn, in addresses.
func (r *run) name(turn uint64) string { return fmt.Sprintf("%d.%d", r.slot, turn) }

// collect empties the mailbox.
func (r *run) collect() []envelope {
	r.mu.Lock()
	defer r.mu.Unlock()
	mail := r.mail
	r.mail = nil
	r.waiting.Store(false)
	return mail
}

// close ends the turn. Messages that were not read are dead letters: their senders either
// see that the turn has ended, or their messages are found here.
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

// poll reads the mailbox and checks the context. The step calls it when its alarm
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

// read handles the messages in the mailbox.
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
		case *Deliver: // later, when the step is between two kernels
			r.tokens = append(r.tokens, l)
		default:
			undelivered(r.addressee(l), l.message, l.sender)
		}
	}
}

// addressee returns the PID to which a message was sent.
func (r *run) addressee(l envelope) *actor.PID {
	id := r.engine.name + "/" + l.step
	if l.node != "" {
		id += "/" + l.node
	}
	return actor.NewPID(Address, id)
}

// reply sends a message to the sender, if there is one.
func (l envelope) reply(message any) {
	if l.sender != nil {
		System().Root.Send(l.sender, message)
	}
}

// admit accepts the tokens that arrived from outside.
func (r *run) admit() {
	for _, l := range r.tokens {
		l.reply(&Delivered{r.accept(l.node, l.message.(*Deliver))})
	}
	clear(r.tokens)
	r.tokens = r.tokens[:0]
}

// drive executes one step to its end.
func (r *run) drive(shared *kernel.Step, p *nodes.Program, feeds, fetched []tensor.Value) error {
	outer := shared.Context
	r.shared, r.ctx, r.abort = shared, outer, nil
	if p.Blocks() { // kernels that wait must be notified when the step fails
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
		// Tasks that no worker has claimed run on this goroutine.
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

// discard drops the tokens from outside that the step did not use.
func (r *run) discard() {
	clear(r.early)
	for _, l := range r.tokens {
		undelivered(r.addressee(l), l.message, l.sender)
	}
	clear(r.tokens)
	r.tokens = r.tokens[:0]
}

// failed names the step in its error's report, and reports a panic to the session actor.
func (r *run) failed(err error) {
	r.over.Store(false)
	if bad, ok := err.(*status.Error); ok && bad.Report != nil && bad.Report.Step == "" {
		bad.Report.Step = r.pid(r.turn.Load()).Id
	}
	if kernel.IsPanic(err) {
		System().Root.Send(r.engine.pid, &faulted{r.pid(r.turn.Load()).Id, err})
	}
}

// hand starts a kernel that does not run on the driver.
func (r *run) hand(a *nodes.Activation) {
	if a.Calls() { // on a goroutine of its own: the step continues while the call waits
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
		if r.cancel == nil { // no kernel runs elsewhere yet that could read it
			r.shared.Context, r.cancel = context.WithCancel(r.ctx)
		}
		r.away.Add(1)
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

// Run runs the kernel, unless the step has failed, and reports to the step's
// driver.
func (t *task) Run(worker int) {
	var err error
	t.a.Worker = worker
	if !t.run.over.Load() {
		err = t.a.Run()
	}
	t.run.away.Add(-1)
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

// wait returns when a kernel completes, a message arrives, the step is cancelled, or
// the driver has run a task that it published.
func (r *run) wait() {
	if r.take() {
		return
	}
	var wake chan struct{}
	if r.pool != nil {
		if r.pool.Help() {
			return
		}
		if r.away.Load() > 0 { // not only something else that may take its time
			if r.pool.Linger(r.came) {
				return
			}
			if r.pool.Park(r.wakeUp) { // what runs there may be shared out while it runs
				wake = r.wakeUp
			}
		}
	}
	woken := false
	select {
	case <-r.inbox.Bell():
	case <-r.bell:
	case <-wake:
		woken = true
	case <-r.ctx.Done():
	}
	if wake != nil {
		r.pool.Unpark(wake, woken)
	}
	if err := r.poll(); err != nil {
		r.step.Abort(err)
	}
	if len(r.tokens) > 0 {
		r.admit()
	}
}
