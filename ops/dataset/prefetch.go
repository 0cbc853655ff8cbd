package dataset

import (
	"context"
	"runtime/debug"
	"sync"

	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

func init() {
	registry.Define("PrefetchDataset").
		Input("input_dataset: variant").Input("buffer_size: int64").Output("handle: variant").
		Attr("output_types: list(type) >= 1").
		Attr("output_shapes: list(shape) >= 1").
		Attr("slack_period: int = 0").
		Attr("legacy_autotune: bool = true").
		Attr("buffer_size_min: int = 0").
		Attr("metadata: string = ''").
		Doc(`Makes a dataset of the elements of another, which are made ahead.

input_dataset: The other dataset.
buffer_size: How many are made ahead; -1 leaves it to the runtime.
output_types: The types of an element's components.
output_shapes: Their shapes, as far as they are known.
slack_period: Ignored.
legacy_autotune: Ignored.
buffer_size_min: Ignored.
metadata: Ignored.`)
	onto(newPrefetch, "PrefetchDataset")
}

// newPrefetch is PrefetchDataset.
func newPrefetch(_ *kernel.Construction, d, like *Dataset, in []tensor.Value) (*Dataset, error) {
	n, err := scalar[int64](&in[1], "buffer_size")
	switch {
	case err != nil:
		return nil, err
	case n < -1:
		return nil, status.Invalid("buffer_size must be >= 0 or set buffer_size to be %d for auto-tuning", -1)
	case n == -1:
		n = 2
	}
	return like.like(d.size, func(ctx context.Context, p *pass) (iterator, error) {
		it, err := d.begin(ctx, p)
		if err != nil || n == 0 {
			return it, err
		}
		return ahead(p, n, it), nil
	}), nil
}

// ahead returns what it gives, made on another goroutine up to n elements ahead from
// the first call on.
//
//go:noinline
func ahead(p *pass, n int64, it iterator) iterator {
	return made(p, &line{most: n}, func(l *line) {
		for l.room(p.ctx) {
			o := &outcome{done: closed}
			o.e, o.err = guarded(p.ctx, it)
			o.keep(p)
			l.put(o)
			if o.err == errEnd {
				return
			}
		}
	})
}

// parallel returns what f makes of what it gives, in its order, with up to n calls of
// f going on ahead from the first call on.
func parallel(p *pass, n int, it iterator, f func(context.Context, element) (element, error)) iterator {
	return made(p, &line{most: int64(n)}, func(l *line) {
		for l.room(p.ctx) {
			e, err := guarded(p.ctx, it)
			if err != nil {
				l.put(&outcome{err: err, done: closed})
				if err == errEnd {
					return
				}
				continue
			}
			o := &outcome{done: make(chan struct{})}
			l.put(o)
			p.goes(func() {
				defer close(o.done)
				o.e, o.err = guarded(p.ctx, func(ctx context.Context) (element, error) { return f(ctx, e) })
				o.keep(p)
			})
		}
	})
}

// made returns what a goroutine of p puts into a line.
func made(p *pass, l *line, work func(*line)) iterator {
	begun := false
	return func(ctx context.Context) (element, error) {
		if !begun {
			begun = true
			l.moved = make(chan struct{}, 1)
			l.came = make(chan struct{}, 1)
			p.goes(func() { work(l) })
		}
		o, err := l.front(ctx)
		if err != nil {
			return nil, err
		}
		if o.err == errEnd {
			return nil, errEnd // and stays where it is
		}
		l.pop()
		if o.held {
			p.drop(o.e)
		}
		return o.e, o.err
	}
}

// guarded returns the next element; a panic is its error.
func guarded(ctx context.Context, it iterator) (e element, err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true)) // see files.Mapping
	defer func() {
		if r := recover(); r != nil {
			err = kernel.Panicked(r)
		}
	}()
	return it(ctx)
}

// An outcome is an element, or its error, that is there once done is closed.
type outcome struct {
	e    element
	err  error
	held bool // it is on the account
	done chan struct{}
}

// keep puts the element on the pass's account.
func (o *outcome) keep(p *pass) {
	if o.err == nil {
		o.err = p.hold(o.e)
		o.held = o.err == nil
	}
}

// closed is for outcomes that are there at once.
var closed = func() chan struct{} {
	c := make(chan struct{})
	close(c)
	return c
}()

// A line holds outcomes between the goroutine that puts them and the one that takes
// them, in their order.
type line struct {
	most  int64
	moved chan struct{} // something was taken
	came  chan struct{} // something was put

	mu    sync.Mutex
	items []*outcome
}

// room waits until fewer than most outcomes are in line; false if ctx ends before.
func (l *line) room(ctx context.Context) bool {
	for {
		l.mu.Lock()
		free := int64(len(l.items)) < l.most
		l.mu.Unlock()
		switch {
		case ctx.Err() != nil:
			return false
		case free:
			return true
		}
		select {
		case <-l.moved:
		case <-ctx.Done():
		}
	}
}

func (l *line) put(o *outcome) {
	l.mu.Lock()
	l.items = append(l.items, o)
	l.mu.Unlock()
	ring(l.came)
}

// front waits for the first outcome to be there.
func (l *line) front(ctx context.Context) (*outcome, error) {
	for {
		l.mu.Lock()
		var o *outcome
		if len(l.items) > 0 {
			o = l.items[0]
		}
		l.mu.Unlock()
		wait := l.came
		if o != nil {
			wait = o.done
		}
		select {
		case <-wait:
			if o != nil {
				return o, nil
			}
		case <-ctx.Done():
			return nil, status.FromContext(ctx)
		}
	}
}

func (l *line) pop() {
	l.mu.Lock()
	l.items[0] = nil
	l.items = l.items[1:]
	l.mu.Unlock()
	ring(l.moved)
}

func ring(bell chan struct{}) {
	select {
	case bell <- struct{}{}:
	default:
	}
}
