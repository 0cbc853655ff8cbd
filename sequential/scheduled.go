package sequential

import (
	"slices"

	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

// A Scheduler chooses what happens next in the steps of an engine, which runs one of
// them at a time.
type Scheduler interface {
	// Begin is told that a step begins.
	Begin(*kernel.Step)
	// Next chooses among the events that can be next, at least one, by index; those
	// that became possible first come first. The slice is the engine's. A negative
	// answer ends the step with CANCELLED.
	Next([]Event) int
	// Stuck is asked where nothing can happen unless a kernel that waits, of which a
	// list is given, ends by itself: true if none will, which ends the step with
	// ABORTED.
	Stuck(waiting []Event) bool
	// Failed is told which event made the step fail, if one did.
	Failed(Event)
	// End is told that the step has ended, and with what.
	End(error)
}

// An Event is that a node acts in an iteration, its kernel included, which happens once
// in a step. What waits for something outside starts to wait. A kernel that is given
// the values of references and writes through others runs in an event of its own, after
// the one that reads.
type Event struct {
	ID     string          // such as "y", "y@while[2]"; the same in every schedule
	Def    *registry.OpDef // of the node's operation; nil for feeds and fetches
	Node   string
	Kernel bool // the kernel runs; its references were read before
	Called bool // it is in a function that calls itself
}

// Scheduled returns the engine in which s chooses. Functions that kernels call are played
// first come, first served. It plays one step at a time.
func Scheduled(s Scheduler, budget *tensor.Budget) *Engine {
	return &Engine{scheduler: s, name: "scheduled", budget: budget}
}

// A spot is where an event stands in its part.
type spot struct {
	part *part
	due  bool // in due, else among the ready
	at   int
}

// offer lists what can happen.
func (r *run) offer() {
	clear(r.events)
	r.events, r.spots = r.events[:0], r.spots[:0]
	for _, t := range r.active {
		for i, a := range t.due {
			r.events, r.spots = append(r.events, t.event(a.Number(), a.Tag(), true)), append(r.spots, spot{t, true, i})
		}
		for i := range t.step.Ready() {
			n, tag := t.step.Choice(i)
			r.events, r.spots = append(r.events, t.event(n, tag, false)), append(r.spots, spot{t, false, i})
		}
	}
}

// event returns that a node of the part acts.
func (t *part) event(node int, tag string, kernel bool) Event {
	name := t.program.Name(node)
	e := Event{ID: name, Node: name, Def: t.program.Def(node), Kernel: kernel, Called: t.caller != nil}
	if tag != "" {
		e.ID += "@" + tag
	}
	if t.caller != nil {
		e.ID = t.caller.event(t.call.Number(), t.call.Tag(), false).ID + "|" + e.ID
	}
	if kernel {
		e.ID += "!"
	}
	return e
}

// follow lets happen what the scheduler chooses.
func (r *run) follow() {
	r.offer()
	i := r.scheduler.Next(r.events)
	if i < 0 {
		r.abort(status.Errorf(status.Canceled, "the schedule was given up"))
		return
	}
	e, s := r.events[i], r.spots[i]
	t := s.part
	if !t.step.Attend() {
		r.settle(t)
		return
	}
	if s.due {
		r.complete(t, s.at)
	} else {
		r.pick = s.at
		r.handle(t, t.step.Next())
		if k := len(t.due) - 1; k >= 0 && !t.due[k].Reads() {
			r.complete(t, k)
		}
	}
	if t.step.Err() != nil && !t.ended {
		r.scheduler.Failed(e)
	}
	r.settle(t)
}

// picked returns the order that takes what follow has picked, and then nothing.
func (r *run) picked(int) int {
	i := r.pick
	r.pick = -1
	return i
}

// stuck ends the step if what waits in it waits for ever, and reports whether it did.
func (r *run) stuck() bool {
	clear(r.events)
	r.events = r.events[:0]
	for a, t := range r.waiting {
		r.events = append(r.events, t.event(a.Number(), a.Tag(), false))
	}
	if !r.scheduler.Stuck(r.events) {
		return false
	}
	r.abort(status.Errorf(status.Aborted, "deadlock: nothing can happen any more"))
	return true
}

// abort ends every part, the outermost with err.
func (r *run) abort(err *status.Error) {
	r.aborted = true
	for _, t := range append([]*part{r.top}, slices.Clone(r.active)...) {
		if !t.ended {
			t.step.Abort(err)
			r.settle(t)
		}
	}
}
