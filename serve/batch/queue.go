package batch

import (
	"time"

	"github.com/troupe-go/troupe/status"
)

// A request is one caller's: some rows that run together.
type request struct {
	class    *class
	rows     int
	arrived  time.Duration // since the queue began
	deadline time.Duration // 0: none
	state    requestState

	call // of the Batcher's, which the queue does not touch

	// Memory for a batch of which it is the first, and perhaps the only one.
	own  batch
	only [1]*request
}

type requestState uint8

const (
	waiting requestState = iota
	started              // it is in a batch
	left                 // its caller is gone
)

// A class holds requests that may share a batch.
type class struct {
	key     string
	most    int        // rows of a batch; 0: a request runs alone
	few     int        // requests of a batch; 0: any number
	queue   []*request // in order of arrival; those that left are skipped
	memory  []*request // of queue when it is empty
	rows    int        // that wait
	waiters int
	cost    costs
}

// head returns the first request that waits; nil if none does.
func (c *class) head() *request {
	for len(c.queue) > 0 && c.queue[0].state != waiting {
		c.queue[0] = nil
		c.queue = c.queue[1:]
	}
	if len(c.queue) == 0 {
		return nil
	}
	return c.queue[0]
}

// A batch is requests of one class that run as one step.
type batch struct {
	class    *class
	requests []*request
	rows     int
	began    time.Duration
	shared   bool // another batch ran meanwhile

	progress // of the Batcher's
}

// A queue decides which requests run together, and when. It is a state machine over
// arrivals, departures, ends of batches and the time, all of which its caller reports.
// It is not safe for concurrent use.
type queue struct {
	manual  *Parameters // resolved; nil: adaptive
	threads int         // batches that may run at a time
	busy    []*class    // those with requests that wait
	running []*batch
	pace    pace
	returns returns
}

func newQueue(p *Parameters, threads int) *queue {
	q := &queue{threads: max(1, threads)}
	if p != nil {
		r := p.resolved()
		q.manual, q.threads = &r, r.NumBatchThreads
	}
	q.pace = newPace(q.threads)
	return q
}

// arrive adds a request at a time. It fails with RESOURCE_EXHAUSTED if as many batches
// wait as may, and with INVALID_ARGUMENT for a request larger than a batch.
func (q *queue) arrive(now time.Duration, r *request) error {
	c := r.class
	if p := q.manual; p != nil && c.most > 0 {
		if r.rows > p.MaxBatchSize {
			return status.Invalid("Task size %d is larger than maximum input batch size %d", r.rows, p.MaxBatchSize)
		}
		if c.rows+r.rows > p.MaxBatchSize*p.MaxEnqueuedBatches {
			return status.Errorf(status.ResourceExhausted, "The batch scheduling queue to which this task was submitted is full: max_enqueued_batches is %d", p.MaxEnqueuedBatches)
		}
	}
	r.arrived, r.state = now, waiting
	q.returns.arrived(now)
	if c.waiters == 0 {
		q.busy = append(q.busy, c)
	}
	c.queue = append(c.queue, r)
	if len(c.queue) == 1 {
		c.memory = c.queue[:0]
	}
	c.waiters++
	c.rows += r.rows
	return nil
}

// leave removes a request that waits.
func (q *queue) leave(r *request) {
	if r.state == waiting {
		q.remove(r, left)
	}
	r.state = left
}

// mostMemory is how many requests a class without any has memory for.
const mostMemory = 64

func (q *queue) remove(r *request, to requestState) {
	c := r.class
	r.state = to
	c.rows -= r.rows
	if c.waiters--; c.waiters == 0 {
		clear(c.queue)
		if c.queue = c.memory; cap(c.queue) > mostMemory {
			c.queue = nil
		}
		for i, b := range q.busy {
			if b == c {
				last := len(q.busy) - 1
				q.busy[i], q.busy[last] = q.busy[last], nil
				q.busy = q.busy[:last]
				break
			}
		}
	}
}

// next returns the batch to start; nil if there is none, and then how long to wait before
// the next question, unless something happens earlier; 0: nothing will.
func (q *queue) next(now time.Duration) (b *batch, wake time.Duration) {
	if len(q.busy) == 0 || len(q.running) >= q.limit() {
		return nil, 0
	}
	var best *class
	for _, c := range q.busy {
		h := c.head()
		if p := q.manual; p != nil && c.most > 0 && c.rows < p.MaxBatchSize {
			if wait := h.arrived + p.BatchTimeout - now; wait > 0 {
				wake = earliest(wake, wait)
				continue
			}
		}
		if q.manual == nil && c.most > 0 {
			shared := len(q.running) > 0
			most := min(c.most, c.cost.size(c.most, shared), q.fair(c))
			if wait := q.returns.wait(now, c, most, shared); wait > 0 {
				wake = earliest(wake, wait)
				continue
			}
		}
		if best == nil || h.arrived < best.head().arrived {
			best = c
		}
	}
	if best == nil {
		return nil, wake
	}
	return q.start(now, best), 0
}

// company reports whether a request that has arrived may not be the only one: callers that did
// not come back in time may wait for the processor that this one holds.
func (q *queue) company() bool {
	return len(q.running) > 0 || q.returns.due > 0 || q.returns.away > 0
}

// limit returns how many batches may run at a time.
func (q *queue) limit() int {
	if q.manual != nil {
		return q.threads
	}
	return q.pace.limit()
}

// start takes a batch of a class.
func (q *queue) start(now time.Duration, c *class) *batch {
	most := 0
	if c.most > 0 && c.waiters > 1 {
		if most = c.most; q.manual == nil {
			most = c.cost.size(min(c.rows, most), len(q.running) > 0)
			most = min(most, q.fair(c))
		}
	}
	first := c.head()
	b := &first.own
	*b = batch{class: c, requests: first.only[:0], began: now}
	var deadline time.Duration // the earliest of the batch
	for r := first; r != nil; r = c.head() {
		if len(b.requests) > 0 {
			if b.rows+r.rows > most || c.few > 0 && len(b.requests) == c.few {
				break
			}
			if q.manual == nil {
				// The step must end in time for the most urgent request, if it can.
				d := earliest(deadline, r.deadline)
				if d > 0 && now+c.cost.predict(b.rows+r.rows, len(q.running) > 0, 1) > d {
					break
				}
			}
		}
		deadline = earliest(deadline, r.deadline)
		b.requests = append(b.requests, r)
		b.rows += r.rows
		q.remove(r, started)
	}
	for _, other := range q.running {
		other.shared, b.shared = true, true
	}
	q.running = append(q.running, b)
	q.pace.started(len(q.running))
	return b
}

// fair returns the share of one step if the rows of a class were divided evenly among the
// steps that may run: those that wait, that run, and that are due. A large step beside a
// small one would keep its size, as its callers come back together.
func (q *queue) fair(c *class) int {
	rows, steps := c.rows+q.returns.due, q.limit()
	for _, b := range q.running {
		if b.class == c {
			rows += b.rows
		} else {
			steps--
		}
	}
	steps = max(1, steps)
	return max(1, (rows+steps-1)/steps)
}

// earliest returns the earlier of two deadlines, of which 0 is none.
func earliest(a, b time.Duration) time.Duration {
	if a == 0 || b != 0 && b < a {
		return b
	}
	return a
}

// done ends a batch. measured says that it ran as one step to the end.
func (q *queue) done(now time.Duration, b *batch, measured bool) {
	for i, other := range q.running {
		if other == b {
			last := len(q.running) - 1
			q.running[i], q.running[last] = q.running[last], nil
			q.running = q.running[:last]
			break
		}
	}
	if measured {
		b.class.cost.add(b.rows, now-b.began, b.shared)
	}
	q.pace.ended(now, b, measured || len(b.requests) == 1)
	q.returns.ended(now, b)
}
