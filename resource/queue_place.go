package resource

import (
	"context"

	"github.com/troupe-go/troupe/tensor"
)

// A Place is where one caller at a time tries to put an element into a queue or to take
// one, and stands in line while it cannot. It is used again and again, so that to wait
// takes no memory. Nobody watches the context of who waits: the caller must call
// [Place.Leave] when it has ended.
//
// A Place belongs to one goroutine; Served is called by the goroutine that serves it.
type Place struct {
	// Served is called once for each time that Put or Take returned false, unless Leave
	// returned true, without the queue's lock and perhaps on another goroutine. by is the
	// By of the place whose Put or Take served it; nil: that is not known.
	Served func(p *Place, by any)
	// By is who puts and takes here.
	By any
	// Err is why the attempt failed that was served, and Taken what it has taken, where
	// that is an element, for the caller to accept or to return. What comes from a place of the
	// same By, or did not have to wait, is the caller's at once.
	Err   error
	Taken *Taken

	attempt attempt
	place   Taken
	out     []tensor.Value
	queue   *Queue
	line    *line
	few     [4]*attempt
}

// Put tries to add an element to a queue. True: it is in the queue, or the error says
// why it never will be. False: it waits in line, and element must not change until it has been
// served, or has left. See [Queue.Enqueue].
func (p *Place) Put(ctx context.Context, q *Queue, element []tensor.Value) (bool, error) {
	q.mu.Lock()
	if q.putters.first == nil && !q.closed && q.fifo != nil && ctx.Err() == nil {
		switch a := q.takers.first; {
		case a == nil:
			if q.Capacity < 0 || q.fifo.Len() < q.Capacity {
				err := q.account.charge(q.size(element))
				if err == nil {
					q.fifo.Push(element)
				}
				q.mu.Unlock()
				return true, err
			}
		case a.at != nil && q.Capacity != 0 && q.fifo.Len() == 0 && a.ctx.Err() == nil:
			q.takers.remove(a)
			a.finished, a.err = true, nil
			to := a.at
			q.fifo.turns++
			copy(to.out, element)
			if to.By != p.By {
				to.Taken = to.taken(q).passed(element, q.fifo.turns)
			}
			q.mu.Unlock()
			to.Err = nil
			to.Served(to, p.By)
			return true, nil
		}
	}
	p.attempt = attempt{ctx: ctx, batch: element, single: true, want: 1, all: 1, at: p}
	p.Taken, p.queue, p.line = nil, q, &q.putters
	return p.try((*Queue).put)
}

// Take tries to take an element from a queue, to out. True: out has it, for the caller to keep,
// or the error tells why it never will. False: it stands in line. See [Queue.Dequeue].
func (p *Place) Take(ctx context.Context, q *Queue, out []tensor.Value) (bool, error) {
	q.mu.Lock()
	if f := q.fifo; f != nil && q.takers.first == nil && f.size > 0 && len(f.back) == 0 && ctx.Err() == nil {
		f.take(out)
		q.account.release(q.size(out[:f.n]))
		if q.putters.first == nil {
			q.mu.Unlock()
			return true, nil
		}
		finished := q.serve(p.few[:0])
		q.mu.Unlock()
		callBy(finished, p.By)
		return true, nil
	}
	p.attempt = attempt{ctx: ctx, want: 1, all: 1, at: p}
	p.Taken, p.out, p.queue, p.line = nil, out, q, &q.takers
	return p.try((*Queue).take)
}

// try is for what is not as it mostly is. It unlocks the queue.
func (p *Place) try(goOn func(*Queue, *attempt) bool) (bool, error) {
	q, a := p.queue, &p.attempt
	if p.line.first != nil || !goOn(q, a) {
		p.line.add(a)
		q.mu.Unlock()
		return false, nil
	}
	var finished []*attempt
	if q.takers.first != nil || q.putters.first != nil {
		finished = q.serve(p.few[:0])
	}
	q.mu.Unlock()
	if finished != nil {
		callBy(finished, p.By)
	}
	return true, a.err
}

// Forget drops what the place holds of the last attempt.
func (p *Place) Forget() {
	p.Taken, p.Err, p.attempt, p.place, p.out, p.queue, p.line = nil, nil, attempt{}, Taken{}, nil, nil, nil
}

// taken returns what holds the elements that a taker takes.
func (p *Place) taken(q *Queue) *Taken {
	if p == nil {
		return &Taken{queue: q}
	}
	t := &p.place
	t.queue, t.Elements, t.turns = q, nil, nil
	return t
}

// accept brings what was taken to where it is wanted.
func (p *Place) accept(t *Taken) {
	copy(p.out, t.Elements)
	p.Taken = t
}

// Leave takes the place out of its line: true if it has not been served. False: Served
// is called, or has been.
func (p *Place) Leave() bool {
	q, a := p.queue, &p.attempt
	q.mu.Lock()
	if a.finished {
		q.mu.Unlock()
		return false
	}
	p.line.remove(a)
	q.finish(a, nil)
	finished := q.serve(nil)
	q.mu.Unlock()
	call(finished)
	return true
}
