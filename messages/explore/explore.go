package explore

import (
	"context"
	"fmt"
	"strings"

	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/messages/protocol"
	"github.com/troupe-go/troupe/nodes"
	"github.com/troupe-go/troupe/tensor"
)

// Notices says when messages arrive that nothing depends on: news without credit.
// They are many, and all their orders multiply the states.
type Notices int

const (
	First Notices = iota // as soon as they are sent
	Last                 // when nothing else is on its way
	Any
)

// Options of an exploration.
type Options struct {
	Notices Notices
	States  int // at most; 0: a million
	// Tamper changes what actors send: tests plant mistakes by it.
	Tamper func(sent []protocol.Message) []protocol.Message
}

// A Result is what an exploration has found.
type Result struct {
	States int // that differ
	Events int // that lead from one to another
	Ends   int // states in which nothing can happen
	Depth  int // events of the longest order
	// Outcomes is what the step answers, and in how many ends.
	Outcomes map[string]int
}

// A Violation is an order of events that leads to what must not be.
type Violation struct {
	What  string
	Trace []string
}

// Error is both.
func (v *Violation) Error() string {
	return v.What + ", after\n\t" + strings.Join(v.Trace, "\n\t")
}

type explorer struct {
	Options
	graph   *protocol.Graph
	feeds   []tensor.Value
	fetches int
	shared  *kernel.Step
	places  map[place]protocol.FrameID
	seen    map[[16]byte]bool
	out     protocol.Outbox
	arena   tensor.Arena
	text    []byte
	texts   []string
	result  Result
	trace   []moment
}

// A moment is an event in a world.
type moment struct {
	world *world
	event event
}

// All plays a step of the program in all orders, until it has found something that
// must not be, a *[Violation], or knows that there is nothing. Kernels must be
// functions of their inputs, which are numbers. It fails if there are more states than
// Options allow.
func All(ctx context.Context, p *nodes.Program, feeds []tensor.Value, o Options) (Result, error) {
	if o.States == 0 {
		o.States = 1_000_000
	}
	x := &explorer{
		Options: o, graph: protocol.NewGraph(p.Flow()), feeds: feeds, fetches: len(p.Fetches()),
		shared: &kernel.Step{Context: ctx},
		places: map[place]protocol.FrameID{{0, protocol.Tag{Frame: protocol.Outside}}: protocol.Root},
		seen:   map[[16]byte]bool{},
		result: Result{Outcomes: map[string]int{}},
	}
	x.out.Arena = &x.arena
	err := x.visit(x.begin())
	return x.result, err
}

// visit looks at a world, and at all that may come of it.
func (x *explorer) visit(w *world) error {
	if err := x.shared.Context.Err(); err != nil {
		return err
	}
	key := x.key(w)
	if x.seen[key] {
		return nil
	}
	if len(x.seen) >= x.States {
		return fmt.Errorf("there are more than %d states", x.States)
	}
	x.seen[key] = true
	x.result.States++
	x.result.Depth = max(x.result.Depth, len(x.trace))
	if err := x.check(w); err != nil {
		return x.violated(err)
	}
	if w.failed != "" {
		x.result.Ends++
		x.result.Outcomes["fails: "+w.failed]++
		return nil
	}
	events := x.events(w)
	if len(events) == 0 {
		x.result.Ends++
		if err := x.checkEnd(w); err != nil {
			return x.violated(err)
		}
		x.result.Outcomes[x.outcome(w)]++
		return nil
	}
	for _, e := range events {
		x.result.Events++
		x.trace = append(x.trace, moment{w, e})
		next, err := x.step(w, e)
		if err == nil {
			err = x.visit(next)
		} else {
			err = x.violated(err)
		}
		if err != nil {
			return err
		}
		x.trace = x.trace[:len(x.trace)-1]
	}
	return nil
}

// step is after; an actor that panics is a violation.
func (x *explorer) step(w *world, e event) (next *world, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("an actor panics: %v", r)
		}
	}()
	return x.after(w, e)
}

func (x *explorer) line(w *world, e event) string {
	if e.message < 0 {
		return "the kernel of " + x.graph.Flow.Name(e.node) + " ends at " + x.tag(w, e.tag)
	}
	return x.describe(w, &w.net[e.message].Message)
}

func (x *explorer) violated(err error) error {
	if v, ok := err.(*Violation); ok {
		return v
	}
	v := &Violation{What: err.Error()}
	for _, m := range x.trace {
		v.Trace = append(v.Trace, x.line(m.world, m.event))
	}
	return v
}

// outcome returns what a step answers that has ended. It hangs if a fetch has not come: that
// frames wait for ever does not matter otherwise.
func (x *explorer) outcome(w *world) string {
	var b strings.Builder
	for i := range w.step.Results {
		switch r := &w.step.Results[i]; {
		case r.Dead:
			b.WriteString("dead ")
		case r.Value.IsZero():
			return "hangs"
		default:
			fmt.Fprintf(&b, "%v ", r.Value.Tensor())
		}
	}
	return strings.TrimSpace(b.String())
}
