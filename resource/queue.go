package resource

import (
	"context"
	"sync"

	"github.com/troupe-go/troupe/shape"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

// QueueOptions configure a queue.
type QueueOptions struct {
	Name  string // for messages
	Kind  string // the same, such as "FIFOQueue"
	Types []tensor.DType
	// Shapes are those of an element's components; nil if they may be any.
	Shapes   []shape.Shape
	Capacity int // elements; negative: no bound
	// MinAfterDequeue is how many elements stay behind, for the others to be
	// mixed with, until the queue is closed.
	MinAfterDequeue int
	Order           Order
}

// An Order decides which element leaves a queue next. It holds the elements; a
// queue guards it by its lock.
type Order interface {
	Len() int
	// Place is the bytes that an element takes in the order, beside its tensors.
	Place() int
	// Push adds an element: its components, which it copies out of the slice.
	Push(element []tensor.Value)
	// Pop takes the next element, appending its components to dst. turn says, to
	// Unpop, when the element's turn was.
	Pop(dst []tensor.Value) (_ []tensor.Value, turn int64)
	// Unpop puts an element back that Pop took in that turn: in an order of time before
	// all that were behind it.
	Unpop(element []tensor.Value, turn int64)
}

// A Queue passes elements, each a tuple of tensors, from enqueue operations to
// dequeue operations. An operation that must wait does so in line, on one side or the
// other, and is called back; lines are served in the order of arrival.
//
// A closed queue accepts no more elements, and those that it has can be dequeued.
//
// The taker of elements may return them ([Taken]): an element is lost to the queue
// only once its step has accepted it.
type Queue struct {
	QueueOptions

	mu      sync.Mutex
	closed  bool
	gone    bool // it has been destroyed
	putters line // to enqueue, or to close the queue
	takers  line
	moved   bool           // an element has come or gone since serve last looked
	row     []tensor.Value // scratch: the element of a batch that goes in next
	fifo    *fifo          // its order, if it is that of arrival
	account advance        // for the elements, until a taker has all of its own
}

// An attempt waits in a line. The queue's lock guards it until it has left.
type attempt struct {
	ctx          context.Context
	before, next *attempt // in its line

	// What a putter brings: one element, or a batch whose element i is row i of
	// each tensor.
	batch  []tensor.Value
	single bool
	shut   bool // closes the queue when its turn comes

	want int    // elements still to go
	all  int    // elements asked for
	upTo bool   // a taker that is content with fewer from a closed queue
	got  *Taken // a taker's elements
	take func(*Taken) error
	at   *Place // whose attempt it is; nil: it has a done

	finished bool
	err      error
	unwatch  func() bool // stops watching the context
	done     func(error)
}

// NewQueue returns a queue that charges the manager's budget.
func NewQueue(m *Manager, o QueueOptions) *Queue {
	f, _ := o.Order.(*fifo)
	return &Queue{QueueOptions: o, fifo: f, account: advance{account: account{budget: m.Budget}}}
}

// Len returns the number of elements.
func (q *Queue) Len() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.Order.Len()
}

// Closed reports whether the queue has been closed.
func (q *Queue) Closed() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.closed
}

// Enqueue adds one element and calls done, perhaps on another goroutine, once
// it is in the queue or can never be. The queue keeps the values, which must
// be shared, but not the slice. When ctx ends while the element waits, it
// leaves the line and done is called with the context's error.
func (q *Queue) Enqueue(ctx context.Context, element []tensor.Value, done func(error)) {
	a := attempt{ctx: ctx, batch: element, single: true, want: 1, all: 1}
	if q.tryPut(&a) {
		done(a.err)
		return
	}
	waiting := a
	waiting.batch = append([]tensor.Value(nil), element...)
	waiting.done = done
	q.submit(&q.putters, &waiting)
}

// EnqueueMany is [Queue.Enqueue] for n elements, the slices of batch along the
// first dimension. They go in as there is room, so that an attempt that ends
// early may have added some.
func (q *Queue) EnqueueMany(ctx context.Context, batch []tensor.Value, n int, done func(error)) {
	q.submit(&q.putters, &attempt{
		ctx: ctx, batch: append([]tensor.Value(nil), batch...), want: n, all: n, done: done,
	})
}

// Dequeue takes n elements and calls take with them once it has all, and done
// afterwards. take must not use the queue, whose lock is held: the elements leave the
// queue when it has succeeded, and stay where it fails. With upTo Dequeue is content with
// what is left in a queue that is closed, if that is anything. Elements are taken as they
// come. An attempt that ends early puts back what it has taken, and one whose ctx has
// ended takes nothing.
func (q *Queue) Dequeue(ctx context.Context, n int, upTo bool, take func(*Taken) error, done func(error)) {
	q.submit(&q.takers, &attempt{ctx: ctx, want: n, all: n, upTo: upTo, take: take, done: done})
}

// TryDequeue takes one element at once if there is one and no attempt waits for it.
func (q *Queue) TryDequeue() (*Taken, bool) {
	q.mu.Lock()
	if q.takers.first != nil || q.available() < 1 {
		q.mu.Unlock()
		return nil, false
	}
	t := &Taken{queue: q}
	t.pop()
	q.account.release(q.size(t.Elements))
	finished := q.serve(nil)
	q.mu.Unlock()
	call(finished)
	return t, true
}

// Shut closes the queue when the attempts that wait in line have got their
// elements in, or, with cancelPending, at once, failing them.
func (q *Queue) Shut(ctx context.Context, cancelPending bool, done func(error)) {
	if !cancelPending {
		q.submit(&q.putters, &attempt{ctx: ctx, shut: true, done: done})
		return
	}
	q.mu.Lock()
	q.closed = true
	finished := q.cancel(nil, &q.putters, status.Errorf(status.Canceled, "Enqueue operation was cancelled"))
	finished = q.serve(finished)
	q.mu.Unlock()
	call(finished)
	done(nil)
}

// Close closes the queue permanently: its elements are dropped, and operations that wait
// fail.
func (q *Queue) Close() {
	q.mu.Lock()
	q.closed, q.gone = true, true
	finished := q.cancel(nil, &q.putters, status.Errorf(status.Canceled, "%s '%s' has been destroyed", q.Kind, q.Name))
	finished = q.cancel(finished, &q.takers, status.Errorf(status.Canceled, "%s '%s' has been destroyed", q.Kind, q.Name))
	q.Order, q.fifo = NewFIFO(len(q.Types)), nil // without the elements
	q.account.close()
	q.mu.Unlock()
	call(finished)
}

// cancel fails all in a line.
func (q *Queue) cancel(finished []*attempt, l *line, err error) []*attempt {
	for l.first != nil {
		a := l.first
		l.remove(a)
		q.finish(a, err)
		finished = append(finished, a)
	}
	return finished
}

// submit puts an attempt in line and serves the lines.
func (q *Queue) submit(l *line, a *attempt) {
	q.mu.Lock()
	l.add(a)
	finished := q.serve(nil)
	if !a.finished {
		a.unwatch = context.AfterFunc(a.ctx, func() { q.leave(l, a) })
	}
	q.mu.Unlock()
	call(finished)
}

// leave takes an attempt whose context has ended out of its line.
func (q *Queue) leave(l *line, a *attempt) {
	q.mu.Lock()
	if a.finished {
		q.mu.Unlock()
		return
	}
	l.remove(a)
	q.putBack(a)
	q.finish(a, status.FromContext(a.ctx))
	finished := q.serve([]*attempt{a})
	q.mu.Unlock()
	call(finished)
}

func (q *Queue) finish(a *attempt, err error) {
	a.finished, a.err, a.batch, a.got = true, err, nil, nil
}

// call calls back those who have left their line, without the lock.
func call(finished []*attempt) { callBy(finished, nil) }

// callBy is call where it is known who served them.
func callBy(finished []*attempt, by any) {
	for _, a := range finished {
		if p := a.at; p != nil {
			p.Err = a.err
			p.Served(p, by)
			continue
		}
		if a.unwatch != nil {
			a.unwatch()
		}
		a.done(a.err)
	}
}
