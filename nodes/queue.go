package nodes

// An Order chooses among nodes that are ready. It gets their number, at least
// 1, and answers an index; index 0 became ready first. Where it answers a negative
// number none of them acts, and [Step.Next] returns nil. The nil Order takes the newest,
// which is the fastest.
type Order func(ready int) int

// A queue holds the activations that are ready, in the order they became so.
type queue struct {
	buf  []activation
	head int // those before head are gone
}

func (q *queue) push(a activation) { q.buf = append(q.buf, a) }
func (q *queue) len() int          { return len(q.buf) - q.head }

// pop takes the newest.
func (q *queue) pop() activation {
	last := len(q.buf) - 1
	a := q.buf[last]
	q.buf = q.buf[:last]
	return a
}

// take removes the one at index i and keeps the order of the others.
func (q *queue) take(i int) activation {
	i += q.head
	a := q.buf[i]
	copy(q.buf[q.head+1:i+1], q.buf[q.head:i])
	q.buf[q.head] = activation{}
	if q.head++; q.head == len(q.buf) {
		q.buf, q.head = q.buf[:0], 0
	} else if q.head > 64 && q.head*2 > len(q.buf) {
		n := copy(q.buf, q.buf[q.head:])
		clear(q.buf[n:])
		q.buf, q.head = q.buf[:n], 0
	}
	return a
}

func (q *queue) clear() {
	if len(q.buf) > 0 {
		clear(q.buf)
	}
	q.buf, q.head = q.buf[:0], 0
}
