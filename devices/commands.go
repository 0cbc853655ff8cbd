package devices

import (
	"context"
	"sync"
)

// Commands are the commands that one step has enqueued on accelerators. Some have results
// that are never read, so the step waits for all of them when it ends. A nil Commands records
// nothing. It is safe for concurrent use.
type Commands struct {
	mu    sync.Mutex
	last  []handed
	fault error
}

// A Track does works one after another, counted from 1.
type Track interface {
	// Passed waits until work n is done. It fails if the works are lost.
	Passed(ctx context.Context, n uint64) error
}

type handed struct {
	lane Track
	n    uint64
}

// Handed records that work n of a lane is the step's.
func (w *Commands) Handed(lane Track, n uint64) {
	if w == nil {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	for i := range w.last {
		if w.last[i].lane == lane {
			w.last[i].n = max(w.last[i].n, n)
			return
		}
	}
	w.last = append(w.last, handed{lane, n})
}

// Failed records that a work of the step failed after it was handed over. The first
// error counts.
func (w *Commands) Failed(err error) {
	if w == nil {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.fault == nil {
		w.fault = err
	}
}

// Wait waits until all works are done, and answers the first error.
func (w *Commands) Wait(ctx context.Context) error {
	if w == nil {
		return nil
	}
	w.mu.Lock()
	last := w.last
	w.mu.Unlock()
	for _, h := range last {
		if err := h.lane.Passed(ctx, h.n); err != nil {
			return err
		}
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.fault
}
