package sequential

import (
	"context"
	"fmt"
	"math/rand/v2"

	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/nodes"
	"github.com/troupe-go/troupe/tensor"
)

// An Engine drives steps one activation at a time.
type Engine struct {
	seeded bool
	seed   uint64
	budget *tensor.Budget
}

// New is the engine that always takes the node that became ready first.
func New(budget *tensor.Budget) *Engine { return &Engine{budget: budget} }

// Seeded is the engine whose every step follows the schedule that seed stands
// for.
func Seeded(seed uint64, budget *tensor.Budget) *Engine {
	return &Engine{seeded: true, seed: seed, budget: budget}
}

// Name is "sequential" or "seeded:N".
func (e *Engine) Name() string {
	if e.seeded {
		return fmt.Sprintf("seeded:%d", e.seed)
	}
	return "sequential"
}

// Close does nothing: the engine keeps nothing running.
func (e *Engine) Close() error { return nil }

// A run is one step being driven.
type run struct {
	step  *nodes.Step
	due   []*nodes.Activation // handed out, not yet run
	async int                 // asynchronous kernels started and not done
	inbox nodes.Inbox
	got   []nodes.Completion
	rng   *rand.Rand // nil: first come, first served
}

// Run drives one step. See [nodes.Engine].
func (e *Engine) Run(shared *kernel.Step, p *nodes.Program, feeds, fetched []tensor.Value) error {
	outer := shared.Context
	ctx, cancel := context.WithCancel(outer)
	defer cancel()
	shared.Context = ctx
	defer func() { shared.Context = outer }()

	var r run
	o := nodes.Options{Budget: e.budget, Order: func(int) int { return 0 }}
	if e.seeded {
		r.rng = rand.New(rand.NewPCG(e.seed, 0))
		o.Order = r.rng.IntN
	}
	r.step = p.Begin(shared, feeds, o)
	for {
		if r.step.Err() != nil || !r.step.Attend() || !r.turn(ctx) {
			break
		}
	}
	cancel() // asynchronous kernels give up
	for _, a := range r.due {
		r.step.Complete(a, nil)
	}
	for r.async > 0 {
		if !r.take() {
			<-r.inbox.Bell()
		}
	}
	return r.step.End(fetched)
}

// turn lets one thing happen; false if nothing can happen any more.
func (r *run) turn(ctx context.Context) bool {
	if r.async > 0 && r.take() {
		return true
	}
	choices := len(r.due)
	if r.step.Ready() > 0 {
		choices++
	}
	switch {
	case choices > 0:
		r.act(choices)
		return true
	case r.async > 0:
		select {
		case <-r.inbox.Bell():
		case <-ctx.Done():
		}
		return true
	}
	return false
}

// act completes a kernel or lets a node act.
func (r *run) act(choices int) {
	i := 0
	if r.rng != nil {
		i = r.rng.IntN(choices)
	}
	if i < len(r.due) {
		a := r.due[i]
		r.due[i] = r.due[len(r.due)-1]
		r.due = r.due[:len(r.due)-1]
		r.step.Complete(a, a.Run())
		return
	}
	a := r.step.Next()
	switch {
	case a == nil:
	case a.Async():
		r.async++
		a.Start(func(err error) { r.inbox.Put(a, err) })
	default:
		r.due = append(r.due, a)
	}
}

// take completes the asynchronous kernels that are done, and says whether any was.
func (r *run) take() bool {
	r.got = r.inbox.Take(r.got[:0])
	for _, c := range r.got {
		r.async--
		r.step.Complete(c.Activation, c.Err)
	}
	return len(r.got) > 0
}
