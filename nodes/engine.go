package nodes

import (
	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/tensor"
)

// An Engine drives steps. Engines differ in when and where kernels run, never
// in what a step means. They are safe for concurrent use.
type Engine interface {
	// Name is what the engine is chosen by: "actors", "seeded:42".
	Name() string
	// Run drives one step on the calling goroutine until it ends: feeds[i] is
	// the value of p.Feeds()[i], and fetched[i] receives p.Fetches()[i]. It
	// returns when every kernel it started has returned.
	Run(step *kernel.Step, p *Program, feeds, fetched []tensor.Value) error
	// Close ends what the engine keeps running. No step may be running.
	Close() error
}

// A Runner runs the steps of one program, one at a time, on the goroutine that calls
// it, and keeps from one step to the next what they need.
type Runner interface {
	// Run is [Engine.Run] for the runner's program.
	Run(step *kernel.Step, feeds, fetched []tensor.Value) error
}

// NewRunner makes a Runner of p's steps on engine e. It holds nothing that has to be
// closed.
func NewRunner(e Engine, p *Program) Runner {
	if m, ok := e.(interface{ NewRunner(*Program) Runner }); ok {
		return m.NewRunner(p)
	}
	return onEngine{e, p}
}

// onEngine is the Runner for an engine that keeps nothing for single programs.
type onEngine struct {
	engine  Engine
	program *Program
}

func (r onEngine) Run(step *kernel.Step, feeds, fetched []tensor.Value) error {
	return r.engine.Run(step, r.program, feeds, fetched)
}
