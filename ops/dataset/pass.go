package dataset

import (
	"context"
	"sync"
	"sync/atomic"

	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/resource"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

// A pass is what the iterators of one iteration over a dataset share: what they
// call functions with, the goroutines that work ahead, and what they hold on the
// session's account. It has passes below it for iterations that end before it
// does, as those of a dataset that is repeated.
type pass struct {
	ctx    context.Context // ends when the pass is closed
	cancel context.CancelFunc
	step   kernel.Step // to be copied for each call of a function
	parent *pass
	tasks  sync.WaitGroup

	// How many datasets are being begun, each by the one around it, and the most there
	// ever were, those of the passes above included.
	depth, deepest atomic.Int64

	mu     sync.Mutex
	closed bool
	held   int64 // bytes charged
	below  map[*pass]struct{}
	atEnd  []func()
}

// newPass returns a pass of iterators that may outlive the step: its goroutines go on
// until ctx ends or the pass is closed.
func newPass(ctx context.Context, step *kernel.Step) *pass {
	p := &pass{step: *step}
	p.step.Context, p.step.PerStep = nil, nil
	p.ctx, p.cancel = context.WithCancel(ctx)
	p.step.State = resource.NewManager() // nodes of functions begin again
	p.step.State.Budget = p.step.Resources.Budget
	return p
}

// sub returns a pass below p.
func (p *pass) sub() *pass {
	s := &pass{step: p.step, parent: p}
	s.depth.Store(p.deepest.Load())
	s.deepest.Store(p.deepest.Load())
	s.ctx, s.cancel = context.WithCancel(p.ctx)
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.below == nil {
		p.below = map[*pass]struct{}{}
	}
	p.below[s] = struct{}{}
	return s
}

// mostNested is how many datasets may be made one of another: iterators call each
// other.
const mostNested = 10_000

// enter says that a dataset is being begun, and leave that it has been. It fails where
// too many are nested.
func (p *pass) enter() error {
	n := p.depth.Add(1)
	if n > mostNested {
		p.leave()
		return status.Errorf(status.ResourceExhausted, "datasets are nested more than %d deep", mostNested)
	}
	for most := p.deepest.Load(); n > most && !p.deepest.CompareAndSwap(most, n); {
		most = p.deepest.Load()
	}
	return nil
}

func (p *pass) leave() { p.depth.Add(-1) }

// close ends the pass and those below it: it returns when their goroutines have
// ended, and what they held is off the account. Calls after the first do nothing.
func (p *pass) close() {
	if p == nil {
		return
	}
	p.cancel()
	p.tasks.Wait()
	p.mu.Lock()
	if p.closed {
		p.mu.Unlock()
		return
	}
	p.closed = true
	below, atEnd := p.below, p.atEnd
	p.below, p.atEnd = nil, nil
	p.step.Resources.Budget.Release(p.held)
	p.held = 0
	p.mu.Unlock()
	for s := range below {
		s.close()
	}
	for _, f := range atEnd {
		f()
	}
	q := p.parent
	if q == nil {
		p.step.State.Clear()
		return
	}
	q.mu.Lock()
	delete(q.below, p)
	q.mu.Unlock()
}

// finally has f called when the pass is closed.
func (p *pass) finally(f func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.atEnd = append(p.atEnd, f)
}

// goes runs f on a goroutine that the pass, and those above it, wait for.
func (p *pass) goes(f func()) {
	for q := p; q != nil; q = q.parent {
		q.tasks.Add(1)
	}
	go func() {
		defer func() {
			for q := p; q != nil; q = q.parent {
				q.tasks.Done()
			}
		}()
		f()
	}()
}

// sizeOf returns what is charged for an element: its tensors, and the places that hold
// them.
func sizeOf(e element) int64 {
	const list = 3 * 24 // the element's slice in a list that grows
	size := list + int64(len(e))*16
	for _, v := range e {
		if !v.Plain() {
			size += v.TotalBytes()
		}
	}
	return size
}

// hold charges an element that is kept, or fails with RESOURCE_EXHAUSTED.
func (p *pass) hold(e element) error {
	size := sizeOf(e)
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return nil
	}
	if err := p.step.Resources.Budget.Charge(size); err != nil {
		return err
	}
	p.held += size
	return nil
}

// drop gives back what hold took.
func (p *pass) drop(e element) {
	size := sizeOf(e)
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.closed {
		p.step.Resources.Budget.Release(size)
		p.held -= size
	}
}

// alloc makes a tensor of zeros to be filled in and given out as a component. It
// fails as [kernel.Context.Alloc] does.
func (p *pass) alloc(dt tensor.DType, dims []int64) (tensor.Value, error) {
	a := tensor.Arena{Budget: p.step.Resources.Budget}
	defer a.Finish()
	v, err := a.AllocZeroed(dt, dims)
	if err == nil {
		a.UnchargeValue(v)
	}
	return v, err
}

// A captured function is one that a dataset calls, and what it takes after the
// element.
type captured struct {
	f    *registry.Func
	args []tensor.Value
}

// capture returns the function of attribute attr with the inputs that it captures.
func capture(c *kernel.Construction, ctx *kernel.Context, attr string, in []tensor.Value) (captured, error) {
	args, err := share(ctx, in)
	return captured{c.Func(attr), args}, err
}

// A call calls a function for a pass. It may be used by several goroutines.
type call func(ctx context.Context, args ...tensor.Value) ([]tensor.Value, error)

// bind finds the function, compiling it while ctx lasts.
func (f captured) bind(ctx context.Context, p *pass) (call, error) {
	step := p.step
	step.Context = ctx
	found, err := step.Function(f.f)
	if err != nil {
		return nil, err
	}
	return func(ctx context.Context, args ...tensor.Value) ([]tensor.Value, error) {
		step := p.step
		perStep := resource.Manager{Budget: step.Resources.Budget}
		defer perStep.Clear()
		step.Context, step.PerStep = ctx, &perStep
		made, err := found.Call(&step, append(args[:len(args):len(args)], f.args...))
		made.Release() // who keeps them holds them
		return made.Values, err
	}, nil
}
