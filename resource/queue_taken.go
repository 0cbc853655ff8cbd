package resource

import "github.com/troupe-go/troupe/tensor"

// Taken is elements that have left a queue on their way to a step. The step accepts
// them, and then they are its own, or returns them.
type Taken struct {
	Elements []tensor.Value // the components of one element after those of another

	queue *Queue
	turns []int64 // by element
	place [1]tensor.Value
	turn  [1]int64
}

// pop takes the next element of the queue.
func (t *Taken) pop() {
	if t.Elements == nil { // as a rule it is one, of one component
		t.Elements, t.turns = t.place[:0], t.turn[:0]
	}
	var turn int64
	t.Elements, turn = t.queue.Order.Pop(t.Elements)
	t.turns = append(t.turns, turn)
}

// passed is an element that went past the queue in a turn.
func (t *Taken) passed(element []tensor.Value, turn int64) *Taken {
	t.Elements, t.turns = append(t.place[:0], element...), append(t.turn[:0], turn)
	return t
}

// unpop puts all elements back where they were in the queue's order.
func (t *Taken) unpop() {
	n := len(t.queue.Types)
	for i := len(t.turns) - 1; i >= 0; i-- {
		t.queue.Order.Unpop(t.Elements[i*n:(i+1)*n], t.turns[i])
	}
}

// Return puts the elements back: in a queue in order of time before all that came after
// them, also where that is more than its capacity, or where it has been closed.
func (t *Taken) Return() {
	q := t.queue
	q.mu.Lock()
	if q.gone {
		q.mu.Unlock()
		return
	}
	t.unpop()
	q.account.add(q.size(t.Elements))
	finished := q.serve(nil)
	q.mu.Unlock()
	call(finished)
}
