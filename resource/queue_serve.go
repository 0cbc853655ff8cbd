package resource

import (
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

// tryPut lets an attempt that is in no line go on if nobody is before it, and
// reports whether it has finished.
func (q *Queue) tryPut(a *attempt) bool {
	q.mu.Lock()
	if q.putters.first != nil || !q.put(a) {
		q.mu.Unlock()
		return false
	}
	var finished []*attempt
	if q.takers.first != nil {
		finished = q.serve(nil)
	}
	q.mu.Unlock()
	call(finished)
	return true
}

// serve lets the first of each line go on until none of them can, and adds
// those who have finished.
func (q *Queue) serve(finished []*attempt) []*attempt {
	for {
		q.moved = false
		for a := q.putters.first; a != nil && q.put(a); a = q.putters.first {
			q.putters.remove(a)
			finished = append(finished, a)
		}
		for a := q.takers.first; a != nil && q.take(a); a = q.takers.first {
			q.takers.remove(a)
			finished = append(finished, a)
		}
		if !q.moved {
			return finished
		}
	}
}

// put moves elements of a putter into the queue and reports whether it has
// finished.
func (q *Queue) put(a *attempt) bool {
	if err := status.FromContext(a.ctx); err != nil && !a.shut { // to close needs no time
		q.finish(a, err)
		return true
	}
	switch {
	case q.closed && a.shut:
		q.finish(a, status.Errorf(status.Canceled, "Queue '%s' is already closed.", q.Name))
		return true
	case q.closed && a.all > 0:
		q.finish(a, status.Errorf(status.Canceled, "%s '%s' is closed.", q.Kind, q.Name))
		return true
	case a.shut:
		q.closed = true
	}
	for ; a.want > 0; a.want-- {
		if q.Capacity >= 0 && q.Order.Len() >= q.Capacity {
			return false
		}
		if a.want%1024 == 0 {
			if err := status.FromContext(a.ctx); err != nil {
				q.finish(a, err)
				return true
			}
		}
		if err := q.push(a); err != nil {
			q.finish(a, err)
			return true
		}
	}
	q.finish(a, nil)
	return true
}

// push moves the next element of a putter into the queue.
func (q *Queue) push(a *attempt) error {
	element := a.batch
	if !a.single {
		for _, v := range a.batch {
			q.row = append(q.row, v.OwnRow(a.all-a.want))
		}
		element = q.row
	}
	err := q.account.charge(q.size(element))
	if err == nil {
		q.Order.Push(element)
		q.moved = true
	}
	clear(q.row)
	q.row = q.row[:0]
	return err
}

// take moves elements to a taker and reports whether it has finished.
func (q *Queue) take(a *attempt) bool {
	if err := status.FromContext(a.ctx); err != nil {
		q.putBack(a)
		q.finish(a, err)
		return true
	}
	if q.closed && q.Order.Len() < a.want {
		q.putBack(a)
		if have := q.Order.Len(); a.upTo && have > 0 {
			a.want, a.all = have, have
		} else if have < a.want {
			q.finish(a, status.Errorf(status.OutOfRange, "%s '%s' is closed and has insufficient elements (requested %d, current size %d)",
				q.Kind, q.Name, a.all, have))
			return true
		}
	}
	for ; a.want > 0; a.want-- {
		if q.available() < 1 {
			return false
		}
		if a.got == nil {
			a.got = a.at.taken(q)
		}
		a.got.pop()
		q.moved = true
	}
	if a.at != nil {
		a.at.accept(a.got)
	} else if err := a.take(a.got); err != nil {
		q.putBack(a)
		q.finish(a, err)
		return true
	}
	q.account.release(q.size(a.got.Elements))
	q.finish(a, nil)
	return true
}

// available returns the number of elements that may be taken.
func (q *Queue) available() int {
	if q.closed {
		return q.Order.Len()
	}
	return q.Order.Len() - q.MinAfterDequeue
}

// putBack returns to the queue what a taker has got so far.
func (q *Queue) putBack(a *attempt) {
	if a.got != nil {
		a.got.unpop()
		q.moved = true
	}
	a.want, a.got = a.all, nil
}

// size returns what a queue charges for elements: their tensors, and the places that hold
// them, which cost more than small tensors do.
func (q *Queue) size(components []tensor.Value) int64 {
	if q.fifo != nil && len(components) == 1 && components[0].Plain() {
		return int64(q.fifo.Place())
	}
	size := int64(len(components)/max(len(q.Types), 1)) * int64(q.Order.Place())
	for _, v := range components {
		size += sizeOf(v)
	}
	return size
}
