package profile

import (
	"slices"
	"sync"
	"time"
)

// A Program is what meters measure: nodes by number.
type Program interface {
	NumNodes() int
	// Describe is the nodes. It is called when a run has ended, perhaps by several
	// goroutines, and nobody changes what it gives.
	Describe() []Node
}

// A Node is a node of a program.
type Node struct {
	Name, Op string
	Device   string
	Frame    string // the loop that it is in; "" outside of all
	// Function is the function of the graph's library whose body the node comes
	// from; "" if it is of the graph itself.
	Function string
	// Inclusive says that the node's time is mostly that of nodes with figures of
	// their own: it calls a function.
	Inclusive bool
	Inputs    []Input
}

// An Input is an edge to a node: from an output of another one, -1 for a control
// edge.
type Input struct {
	Node, Port int
	Back       bool // it comes from the iteration before
}

// A Recorder records one run, or those that a [Sampler] chooses. It is safe for
// concurrent use.
type Recorder struct {
	begin time.Time
	clock func() int64 // nanoseconds since begin; nil: of the machine
	// sums is set where the runs are many and only what they come to is wanted: meters
	// go on from run to run and keep no events.
	sums bool

	mu    sync.Mutex
	idle  map[Program][]*Meter // those that were given back first come first
	all   []*Meter
	main  Program // that was taken a meter for first: for each run once
	lanes []bool  // that are taken
	ended time.Duration
	away  []merged
}

// NewRecorder begins to record one run.
func NewRecorder() *Recorder {
	return &Recorder{begin: time.Now(), idle: map[Program][]*Meter{}}
}

// Clock returns the nanoseconds since the recorder was made.
func (r *Recorder) Clock() int64 {
	if r.clock != nil {
		return r.clock()
	}
	return int64(time.Since(r.begin))
}

// Take returns a meter for what one goroutine does of a program. lane is the meter's
// that the goroutine has already, or -1.
func (r *Recorder) Take(p Program, lane int) *Meter {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.main == nil {
		r.main = p
	}
	var m *Meter
	// Of what is summed up one meter stays behind, for whoever asks meanwhile.
	if list := r.idle[p]; len(list) > 1 || len(list) == 1 && !r.sums {
		m = list[0]
		r.idle[p] = slices.Delete(list, 0, 1)
	} else {
		m = &Meter{recorder: r, program: p, counters: make([]counter, p.NumNodes()), random: uint32(len(r.all))}
		r.all = append(r.all, m)
	}
	m.busy, m.owner = true, lane < 0
	if m.Lane = lane; m.owner {
		m.Lane = slices.Index(r.lanes, false)
		if m.Lane < 0 {
			m.Lane = len(r.lanes)
			r.lanes = append(r.lanes, false)
		}
		r.lanes[m.Lane] = true
	}
	return m
}

// Return ends what the meter was taken for.
func (m *Meter) Return() {
	r := m.recorder
	r.mu.Lock()
	defer r.mu.Unlock()
	m.runs++
	if m.busy = false; m.owner {
		r.lanes[m.Lane] = false
	}
	r.idle[m.program] = append(r.idle[m.program], m)
	r.ended = max(r.ended, time.Duration(r.Clock()))
}

// taken returns how many runs there are in what Stats gives.
func (r *Recorder) taken() (n int64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, m := range r.all {
		if m.program == r.main && !m.busy {
			n += m.runs
		}
	}
	return n
}
