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
