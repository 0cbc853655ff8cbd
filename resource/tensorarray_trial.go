package resource

import "github.com/troupe-go/troupe/shape"

// A Trial is what is written to a TensorArray, one element at a time, from some moment on, so that it
// can be undone.
type Trial struct {
	array   *TensorArray
	written []int
	size    int
	shape   shape.Shape
}

// Try begins to note what is written, until the trial is ended by [Trial.Keep] or [Trial.Undo]. It
// returns nil for an array whose writes cannot be undone, which are those that sum, and while there is
// another trial.
func (a *TensorArray) Try() *Trial {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.sums || a.closed || a.trial != nil {
		return nil
	}
	a.trial = &Trial{array: a, size: a.size, shape: a.opts.Shape}
	return a.trial
}

// Keep ends the trial.
func (t *Trial) Keep() {
	t.array.mu.Lock()
	t.array.trial = nil
	t.array.mu.Unlock()
}

// Undo ends the trial, and makes the array what it was before: elements that were written can be
// written again.
func (t *Trial) Undo() {
	a := t.array
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.trial = nil; a.closed {
		return
	}
	for _, i := range t.written {
		c := a.peek(i)
		a.release(c)
		*c = cell{}
	}
	a.size, a.opts.Shape = t.size, t.shape
}
