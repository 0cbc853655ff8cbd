package status

import "context"

// watchEvery is how many steps of a watch pass between two looks at its context.
const watchEvery = 256

// A Watch looks at a context in the course of long work, every few hundred steps:
// a step is what takes up to a few microseconds, such as a node of a graph.
// Long work asks before each of its steps and ends with the error that is returned.
// A nil Watch has no context. It serves one goroutine.
type Watch struct {
	ctx  context.Context
	left int
}

// NewWatch makes a watch, whose first step looks at the context.
func NewWatch(ctx context.Context) *Watch { return &Watch{ctx: ctx, left: 1} }

// Step returns one step.
func (w *Watch) Step() error { return w.Steps(1) }

// Steps is n steps at once.
func (w *Watch) Steps(n int) error {
	if w == nil {
		return nil
	}
	if w.left -= n; w.left > 0 {
		return nil
	}
	return w.Ask()
}

// Ask looks at the context at once.
func (w *Watch) Ask() error {
	if w == nil {
		return nil
	}
	w.left = watchEvery
	if err := FromContext(w.ctx); err != nil {
		return err
	}
	return nil
}
