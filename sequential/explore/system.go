package explore

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/rs/zerolog"

	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/nodes"
	"github.com/troupe-go/troupe/plan/race"
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/resource"
	"github.com/troupe-go/troupe/sequential"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

// A System is what is played again and again: steps, one after another, that share
// variables, queues and the like, which are made again each time.
type System struct {
	Steps []Step
	// Prepare completes what a step's kernels share: files, functions. It may be nil.
	Prepare func(*kernel.Step)
	// Answer is a step's in words: what was fetched, or its error. Nil: as [Answer].
	Answer  func(step int, fetched []tensor.Value, err error) string
	Budget  *tensor.Budget // nil: no limit
	Timeout time.Duration  // of a step; 0: none
}

// A Step is one run of a program.
type Step struct {
	Program *nodes.Program
	Feeds   []tensor.Value
	// Unordered are the pairs of the program's operations whose order matters, as
	// [race.Unordered] finds them.
	Unordered []race.Race
	// Fixed plays the step first come, first served each time, as an initialization.
	Fixed bool
}

// Answer returns what was fetched, a tensor a line, or the error.
func Answer(p *nodes.Program, fetched []tensor.Value, err error) string {
	if err != nil {
		return err.Error() + "\n"
	}
	var b strings.Builder
	for i, o := range p.Fetches() {
		fmt.Fprintf(&b, "%v = %v\n", o, resource.ValueText(fetched[i]))
	}
	return b.String()
}

// Waits reports whether a step has operations that wait for others of the session, such
// as those of queues: it may come to a deadlock, whatever the order of its operations.
func (s *System) Waits() bool {
	for _, st := range s.Steps {
		for i := range st.Program.NumNodes() {
			if def := st.Program.Def(i); !st.Fixed && def != nil && def.Is(registry.Synchronizes) {
				return true
			}
		}
	}
	return false
}

// play runs the system once and returns its answer: the steps', and what variables,
// queues, tables and the like hold afterwards unless a step has failed. by is the scheduler of each step.
func (s *System) play(ctx context.Context, by func(step int) sequential.Scheduler) (string, error) {
	var b strings.Builder
	resources := &resource.Manager{Budget: s.Budget}
	defer resources.Clear()
	failed := false
	for i := range s.Steps {
		err := s.step(ctx, i, resources, by, &b)
		if ctx.Err() != nil {
			return "", context.Cause(ctx)
		}
		failed = failed || err != nil
		if err != nil && s.Steps[i].Fixed {
			return "", status.Within(err, "step %d, which comes before", i+1)
		}
	}
	if !failed {
		for _, state := range resources.States() {
			fmt.Fprintf(&b, "afterwards %s holds %s\n", state.Name.Name, state.Text)
		}
	}
	return b.String(), nil
}

func (s *System) step(ctx context.Context, i int, resources *resource.Manager, by func(step int) sequential.Scheduler, b *strings.Builder) error {
	st := &s.Steps[i]
	if s.Timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, s.Timeout)
		defer cancel()
	}
	shared := &kernel.Step{Context: ctx, ID: int64(i), Resources: resources, PerStep: &resource.Manager{Budget: s.Budget}, Pool: serial{}, Log: &silent, Seed: 1}
	if s.Prepare != nil {
		s.Prepare(shared)
	}
	defer shared.PerStep.Clear()
	engine := sequential.New(s.Budget)
	if !st.Fixed {
		engine = sequential.Scheduled(by(i), s.Budget)
	}
	fetched := make([]tensor.Value, len(st.Program.Fetches()))
	err := engine.Run(shared, st.Program, st.Feeds, fetched)
	switch {
	case st.Fixed:
	case s.Answer != nil:
		b.WriteString(s.Answer(i, fetched, err))
	default:
		b.WriteString(Answer(st.Program, fetched, err))
	}
	return err
}

// A serial pool shares nothing out.
type serial struct{}

func (serial) Parallel(n, _ int, f func(lo, hi int)) { f(0, n) }
func (serial) Workers() int                          { return 1 }
func (serial) Expect(time.Duration)                  {}

// stuck reports whether kernels wait for ever if nothing else can happen.
func stuck(waiting []sequential.Event) bool {
	for _, e := range waiting {
		if e.Def == nil || !e.Def.Is(registry.Synchronizes) {
			return false
		}
	}
	return true
}

var silent = zerolog.Nop()
