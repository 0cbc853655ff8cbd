package resource

import (
	"context"
	"slices"
	"sync"

	"github.com/troupe-go/troupe/shape"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

// AccumulatorOptions is what an accumulator is made with. A gradient is one
// tensor, or, where rows of it are given, several.
type AccumulatorOptions struct {
	Name  string
	Type  tensor.DType
	Shape shape.Shape // of the gradients
	Mean  bool        // takers get the mean of the gradients, else the sum
	Rows  bool        // gradients are rows, by their indices

	// Check reports whether a gradient fits those that there are; sum is nil before
	// the first.
	Check func(sum, gradient []tensor.Value) error
	// Add gives the sum of a sum and a gradient. It may write into the sum if that
	// is own, else the sum is the first gradient, which others read.
	Add func(sum, gradient []tensor.Value, own bool) ([]tensor.Value, error)
	// Divide makes a sum that is own the mean of n gradients, at least 2.
	Divide func(sum []tensor.Value, n int)
}

// An Accumulator sums gradients until somebody takes what there is. Gradients
// carry the step they were computed at; those of a step before the
// accumulator's are dropped, and taking begins the next step.
type Accumulator struct {
	AccumulatorOptions

	mu      sync.Mutex
	sum     []tensor.Value // of count gradients; of one it is that gradient itself
	count   int
	step    int64
	takers  []*taker
	account account
}

// A taker waits for n gradients. The accumulator's lock guards it while it is
// in line.
type taker struct {
	n        int
	finished bool
	value    []tensor.Value
	err      error
	unwatch  func() bool
	done     func([]tensor.Value, error)
}

// NewAccumulator makes an accumulator that charges the manager's budget.
func NewAccumulator(m *Manager, o AccumulatorOptions) *Accumulator {
	return &Accumulator{AccumulatorOptions: o, account: account{budget: m.Budget}}
}

// Len returns the number of gradients since something was taken last.
func (a *Accumulator) Len() int {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.count
}

// SetStep sets the accumulator's step.
func (a *Accumulator) SetStep(step int64) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.step = step
}

// Apply adds a gradient of some step; its tensors must be shared. It fails for one of
// another shape than the accumulator's or than those before it.
func (a *Accumulator) Apply(step int64, gradient ...tensor.Value) error {
	a.mu.Lock()
	finished, err := a.apply(step, gradient)
	a.mu.Unlock()
	for _, t := range finished {
		t.call()
	}
	return err
}

func (a *Accumulator) apply(step int64, gradient []tensor.Value) ([]*taker, error) {
	if err := a.Check(a.sum, gradient); err != nil {
		return nil, err
	}
	if step < a.step {
		return nil, nil
	}
	sum, before := gradient, sizesOf(a.sum)
	if a.count > 0 {
		var err error
		if sum, err = a.Add(a.sum, gradient, a.count > 1); err != nil {
			return nil, err
		}
	}
	if err := a.account.charge(max(0, sizesOf(sum)-before)); err != nil {
		return nil, err
	}
	a.sum = sum
	a.count++
	return a.serve(), nil
}

// sizesOf returns the bytes of several tensors.
func sizesOf(list []tensor.Value) (n int64) {
	for _, v := range list {
		n += sizeOf(v)
	}
	return n
}

// Take calls done, perhaps on another goroutine, with the mean or sum of all
// gradients once there are n, which is positive. When ctx ends first, done is
// called with the context's error.
func (a *Accumulator) Take(ctx context.Context, n int, done func([]tensor.Value, error)) {
	t := &taker{n: n, done: done}
	a.mu.Lock()
	a.takers = append(a.takers, t)
	finished := a.serve()
	if !t.finished {
		t.unwatch = context.AfterFunc(ctx, func() { a.leave(ctx, t) })
	}
	a.mu.Unlock()
	for _, t := range finished {
		t.call()
	}
}

// serve returns those at the front of the line what they wait for.
func (a *Accumulator) serve() (finished []*taker) {
	for len(a.takers) > 0 && a.count >= a.takers[0].n {
		t := a.takers[0]
		a.takers = slices.Delete(a.takers, 0, 1)
		if a.Mean && a.count > 1 {
			a.Divide(a.sum, a.count)
		}
		t.value, t.finished = a.sum, true
		a.account.release(sizesOf(a.sum))
		a.sum, a.count = nil, 0
		a.step++
		finished = append(finished, t)
	}
	return finished
}

// leave takes a taker whose context has ended out of the line.
func (a *Accumulator) leave(ctx context.Context, t *taker) {
	a.mu.Lock()
	if t.finished {
		a.mu.Unlock()
		return
	}
	t.finished, t.err = true, status.FromContext(ctx)
	a.takers = slices.DeleteFunc(a.takers, func(other *taker) bool { return other == t })
	finished := append(a.serve(), t)
	a.mu.Unlock()
	for _, t := range finished {
		t.call()
	}
}

func (t *taker) call() {
	if t.unwatch != nil {
		t.unwatch()
	}
	t.done(t.value, t.err)
}

// Close drops what was accumulated; all who wait fail.
func (a *Accumulator) Close() {
	a.mu.Lock()
	takers := a.takers
	a.takers, a.sum, a.count = nil, nil, 0
	for _, t := range takers {
		t.finished, t.err = true, status.Errorf(status.Canceled, "accumulator '%s' has been destroyed", a.Name)
	}
	a.account.close()
	a.mu.Unlock()
	for _, t := range takers {
		t.call()
	}
}
