package frames

import "github.com/troupe-go/troupe/tensor"

// A Held token waits in a frame: the value that a node is going to deliver.
type Held struct {
	Node  int32 // the program's number of the Enter or NextIteration
	Dead  bool
	Value tensor.Value
}

// An Instance is one entry of a frame.
type Instance struct {
	Static *Static
	Parent *Iteration // nil for the root

	PendingEnters int    // Enter nodes that have not arrived
	Constants     []Held // what constant Enters brought, for iterations to come
	Queued        []Held // NextIteration values for the iteration that may not start yet
	DeadExits     []int32
	Left          []bool // by Exit: has put out a value, which it does once
	Unfused       bool   // the driver's: set where a frame could have been played as one, and is not
	Asked         int    // the driver's: how many were Queued, plus 1, when it looked what they could do

	place int  // among the parent's children
	alive ring // oldest first, consecutive
	next  int  // index of the next iteration to start
}

// Newest returns the index of the last iteration started.
func (f *Instance) Newest() int { return f.next - 1 }

// Alive returns how many iterations are alive.
func (f *Instance) Alive() int { return f.alive.n }

// At returns the i-th oldest of the iterations alive.
func (f *Instance) At(i int) *Iteration { return f.alive.at(i) }

// Iteration returns the iteration of that index, which must be alive.
func (f *Instance) Iteration(index int) *Iteration {
	return f.alive.at(index - (f.next - f.alive.n))
}

// Full reports whether no further iteration may start now.
func (f *Instance) Full() bool { return f.alive.n >= f.Static.Parallel }

// A ring is a queue of iterations.
type ring struct {
	buf  []*Iteration // length a power of two
	head int
	n    int
}

func (r *ring) at(i int) *Iteration { return r.buf[(r.head+i)&(len(r.buf)-1)] }

func (r *ring) push(it *Iteration) {
	if r.n == len(r.buf) {
		buf := make([]*Iteration, max(4, 2*len(r.buf)))
		for i := range r.n {
			buf[i] = r.at(i)
		}
		r.buf, r.head = buf, 0
	}
	r.buf[(r.head+r.n)&(len(r.buf)-1)] = it
	r.n++
}

func (r *ring) pop() *Iteration {
	it := r.buf[r.head]
	r.buf[r.head] = nil
	r.head = (r.head + 1) & (len(r.buf) - 1)
	r.n--
	return it
}
