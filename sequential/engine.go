package sequential

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync/atomic"

	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/nodes"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

// An Engine drives steps one activation at a time.
type Engine struct {
	seeded    bool
	seed      uint64
	scheduler Scheduler // nil: none
	ordered   bool
	order     Order
	steps     atomic.Int64 // of an ordered engine, that have begun
	name      string       // of a scheduled or ordered engine
	budget    *tensor.Budget
}

// New returns the engine that always takes the node that became ready first.
func New(budget *tensor.Budget) *Engine { return &Engine{budget: budget} }

// Seeded returns the engine whose every step follows the schedule that seed stands
// for.
func Seeded(seed uint64, budget *tensor.Budget) *Engine {
	return &Engine{seeded: true, seed: seed, budget: budget}
}

// Name is "sequential", "seeded:N", "schedule:ORDER" or "scheduled".
func (e *Engine) Name() string {
	if e.name != "" {
		return e.name
	}
	if e.seeded {
		return fmt.Sprintf("seeded:%d", e.seed)
	}
	return "sequential"
}

// Close does nothing: the engine keeps nothing running.
func (e *Engine) Close() error { return nil }

// A run is one step being driven, with the steps within it that recursive
// functions are played as.
type run struct {
	options nodes.Options
	rng     *rand.Rand // nil: first come, first served
	inbox   nodes.Inbox
	got     []nodes.Completion
	waiting map[*nodes.Activation]*part // asynchronous kernels that have been started; nil if none was
	active  []*part                     // those in which something can happen, the latest last
	ended   bool
	err     error // of the outermost part, when it has ended
	top     *part

	scheduler Scheduler // nil: none
	events    []Event
	spots     []spot // by event
	pick      int    // the ready node that acts next; -1
	aborted   bool   // by the scheduler
}

// A part is one of a run's steps.
type part struct {
	program *nodes.Program
	step    *nodes.Step
	cancel  context.CancelFunc // of what may wait in it; nil if nothing can
	fetched []tensor.Value
	due     []*nodes.Activation // handed out, not yet run
	away    int                 // asynchronous kernels and calls under way
	place   int                 // in run.active; -1
	caller  *part               // the part that called it; nil of the outermost
	call    *nodes.Activation
	ended   bool
}

// Run drives one step. See [nodes.Engine].
func (e *Engine) Run(shared *kernel.Step, p *nodes.Program, feeds, fetched []tensor.Value) error {
	r := run{options: nodes.Options{Budget: e.budget, Order: oldest}}
	if e.seeded {
		r.rng = rand.New(rand.NewPCG(e.seed, 0))
		r.options.Order = r.rng.IntN
	}
	if shared.Depth == 0 {
		if r.scheduler = e.scheduler; e.ordered {
			r.scheduler = e.order.Follow(int(e.steps.Add(1)))
		}
	}
	if r.scheduler != nil {
		r.options.Order = r.picked
		r.scheduler.Begin(shared)
		defer func() { r.scheduler.End(r.err) }()
	}
	outer := shared.Context
	top := &part{}
	r.top = top
	r.begin(top, shared, p, feeds, fetched)
	stop := outer.Done()
	for !r.ended {
		switch {
		case r.take():
		case r.scheduler != nil && len(r.active) > 0:
			r.follow()
		case r.scheduler != nil && len(r.waiting) > 0 && !r.aborted && r.stuck():
		case len(r.active) > 0:
			at := r.active[len(r.active)-1]
			if r.rng != nil && len(r.active) > 1 {
				at = r.active[r.rng.IntN(len(r.active))]
			}
			r.act(at)
			r.settle(at)
		default:
			select {
			case <-r.inbox.Bell():
			case <-stop:
				stop = nil
				top.step.Abort(status.FromContext(outer))
				r.settle(top)
			}
		}
	}
	shared.Context = outer
	return r.err
}

// oldest returns the order of first come, first served.
func oldest(int) int { return 0 }

// begin begins a part.
func (r *run) begin(t *part, shared *kernel.Step, p *nodes.Program, feeds, fetched []tensor.Value) {
	t.program, t.fetched, t.place = p, fetched, -1
	if p.Blocks() {
		shared.Context, t.cancel = context.WithCancel(shared.Context)
	}
	t.step = p.Begin(shared, feeds, r.options)
	r.settle(t)
}

// act completes a kernel of a part or lets a node of it act.
func (r *run) act(t *part) {
	choices := len(t.due)
	if t.step.Ready() > 0 {
		choices++
	}
	i := 0
	if r.rng != nil {
		i = r.rng.IntN(choices)
	}
	if i < len(t.due) {
		if t.step.Attend() { // as Next does before it hands out a kernel
			r.complete(t, i)
		}
		return
	}
	r.handle(t, t.step.Next())
}

// complete runs a kernel that was handed out.
func (r *run) complete(t *part, i int) {
	a := t.due[i]
	t.due[i] = t.due[len(t.due)-1]
	t.due = t.due[:len(t.due)-1]
	t.step.Complete(a, a.Run())
}

// handle takes what a part has handed out, if anything.
func (r *run) handle(t *part, a *nodes.Activation) {
	switch {
	case a == nil:
	case a.Calls():
		t.away++
		c, err := a.Call()
		if err != nil {
			t.away--
			t.step.Complete(a, err)
			return
		}
		r.begin(&part{caller: t, call: a}, &c.Step, c.Program, c.Feeds, c.Fetched)
	case a.Async():
		t.away++
		if r.waiting == nil {
			r.waiting = map[*nodes.Activation]*part{}
		}
		r.waiting[a] = t
		a.Start(func(err error) { r.inbox.Put(a, err) })
	default:
		t.due = append(t.due, a)
	}
}

// settle notes whether something can happen in a part. One in which nothing can
// any more ends, which is the end of a call of another.
func (r *run) settle(t *part) {
	for t != nil && !t.ended {
		if t.step.Err() != nil {
			t.giveUp()
			for _, a := range t.due {
				t.step.Complete(a, nil)
			}
			t.due = nil
		}
		if can := len(t.due) > 0 || t.step.Ready() > 0; can || t.away > 0 {
			r.enlist(t, can)
			return
		}
		r.enlist(t, false)
		t.giveUp()
		t.ended = true
		err := t.step.End(t.fetched)
		if t.caller == nil {
			r.ended, r.err = true, err
			return
		}
		t.caller.away--
		t.caller.step.Complete(t.call, err)
		t = t.caller
	}
}

// giveUp tells asynchronous kernels of a part that nobody wants them any more.
func (t *part) giveUp() {
	if t.cancel != nil {
		t.cancel()
	}
}

// enlist puts a part into the list of those in which something can happen, or
// takes it out.
func (r *run) enlist(t *part, can bool) {
	switch {
	case can && t.place < 0:
		t.place = len(r.active)
		r.active = append(r.active, t)
	case !can && t.place >= 0:
		r.active = append(r.active[:t.place], r.active[t.place+1:]...)
		for i, o := range r.active[t.place:] {
			o.place = t.place + i
		}
		t.place = -1
	}
}

// take completes the asynchronous kernels that are done, and reports whether any was.
func (r *run) take() bool {
	if len(r.waiting) == 0 {
		return false
	}
	r.got = r.inbox.Take(r.got[:0])
	for _, c := range r.got {
		t := r.waiting[c.Activation]
		delete(r.waiting, c.Activation)
		t.away--
		t.step.Complete(c.Activation, c.Err)
		r.settle(t)
	}
	return len(r.got) > 0
}
