package profile

import (
	"slices"
	"sync"
	"time"

	"github.com/troupe-go/troupe/tensor"
)

const (
	// atFirst is how many activations of each node are timed, whatever they cost,
	// and are events.
	atFirst = 8
	// oneIn is of how many further activations one is timed.
	oneIn = 32
	// alwaysTimed is the mean, in nanoseconds, from which on every activation is
	// timed: looking at the clock twice takes about a fiftieth of it.
	alwaysTimed = 4_000
	// maxEvents bounds the events of each meter.
	maxEvents = 1 << 15
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

// A Recorder takes down one run. It is safe for concurrent use.
type Recorder struct {
	begin time.Time

	mu    sync.Mutex
	idle  map[Program][]*Meter
	all   []*Meter
	lanes []bool // that are taken
	ended time.Duration
}

// NewRecorder begins to record.
func NewRecorder() *Recorder {
	return &Recorder{begin: time.Now(), idle: map[Program][]*Meter{}}
}

// Clock is the nanoseconds since the recorder was made.
func (r *Recorder) Clock() int64 { return int64(time.Since(r.begin)) }

// Take is a meter for what one goroutine does of a program. lane is the meter's
// that the goroutine has already, or -1.
func (r *Recorder) Take(p Program, lane int) *Meter {
	r.mu.Lock()
	defer r.mu.Unlock()
	var m *Meter
	if list := r.idle[p]; len(list) > 0 {
		m = list[len(list)-1]
		r.idle[p] = list[:len(list)-1]
	} else {
		m = &Meter{recorder: r, program: p, counters: make([]counter, p.NumNodes())}
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
	if m.busy = false; m.owner {
		r.lanes[m.Lane] = false
	}
	r.idle[m.program] = append(r.idle[m.program], m)
	r.ended = max(r.ended, time.Since(r.begin))
}

// A Meter takes down what one goroutine does of a program, and what others do for
// it and hand back.
type Meter struct {
	// Lane is a number for the goroutine.
	Lane     int
	busy     bool // between Take and Return
	owner    bool // of the lane
	recorder *Recorder
	program  Program
	counters []counter
	events   []Event
	units    []Unit
	dropped  int64
	outs     []Output // room for those of counters
	dims     []int64  // room for their shapes
}

// A counter is what is known of one node.
type counter struct {
	count, timed, nanos, most, bytes int64
	outs                             []Output
}

// mean is the time of an activation.
func (c *counter) mean() int64 {
	if c.timed == 0 {
		return 0
	}
	return c.nanos / c.timed
}

// Recorder is the recorder of the meter.
func (m *Meter) Recorder() *Recorder { return m.recorder }

// Clock is [Recorder.Clock].
func (m *Meter) Clock() int64 { return m.recorder.Clock() }

// Wants says whether the next activation of a node is to be timed, and given to
// [Meter.Note]; else [Meter.Count] is all that is needed.
func (m *Meter) Wants(node int32) bool {
	c := &m.counters[node]
	return c.count < atFirst || c.count%oneIn == 0 || c.nanos > alwaysTimed*c.timed
}

// Count counts n activations that are not timed.
func (m *Meter) Count(node int32, n int64) { m.counters[node].count += n }

// Mean is the mean time of a node's activations, in nanoseconds; 0 if none was timed.
func (m *Meter) Mean(node int32) int64 { return m.counters[node].mean() }

// A thread that is not the meter's goroutine.
const (
	// Elsewhere is some goroutine, nobody knows which.
	Elsewhere = -1
	// Worker0 is where the workers of the pool are numbered from.
	Worker0 = 1 << 16
)

// Note takes down one activation: when it began and ended, in which iteration of
// its loop, on which thread (the meter's lane, or [Worker0] and the number of a
// worker, or [Elsewhere]) and what it put out.
func (m *Meter) Note(node int32, begin, end, iteration int64, thread int, outs []tensor.Value) {
	c := &m.counters[node]
	c.count++
	bytes := m.note(c, end-begin, outs)
	switch {
	case c.count > atFirst:
		m.dropped++
	case len(m.events) >= maxEvents:
		m.dropped++
	default:
		if m.events == nil {
			m.events = make([]Event, 0, min(len(m.counters), 64))
		}
		m.events = append(m.events, Event{int(node), thread, begin, end, iteration, bytes})
	}
}

// note adds an activation that took some nanoseconds.
func (m *Meter) note(c *counter, nanos int64, outs []tensor.Value) (bytes int64) {
	c.timed++
	c.nanos += nanos
	c.most = max(c.most, nanos)
	if c.outs == nil && len(outs) > 0 {
		c.outs = carve(&m.outs, len(outs), len(m.counters))
	}
	for i := range outs {
		v := &outs[i]
		if v.IsZero() {
			continue
		}
		size := int64(v.SizeBytes())
		bytes += size
		if o := &c.outs[i]; o.Shape == nil || size > o.Bytes {
			o.Type, o.Bytes, o.Shape = v.DType(), size, carve(&m.dims, v.Rank(), 4*len(m.counters))
			copy(o.Shape, v.Dims())
		}
	}
	c.bytes += bytes
	return bytes
}

// carve takes n elements from the front of some room, of which about all will be
// needed, so that few allocations serve many.
func carve[T any](room *[]T, n, all int) []T {
	if len(*room) < n {
		*room = make([]T, max(n, min(all, 256)))
	}
	part := (*room)[:n:n]
	*room = (*room)[n:]
	return part
}

// Share takes down activations of several nodes that were timed as one: each has
// the part of the time that its mean is of the means of all. outs is what each put out.
func (m *Meter) Share(nodes []int32, begin, end, iteration int64, outs [][]tensor.Value) {
	total := int64(0)
	for _, n := range nodes {
		total += max(m.Mean(n), 1)
	}
	at := begin
	for i, n := range nodes {
		to := at + (end-begin)*max(m.Mean(n), 1)/total
		m.Note(n, at, to, iteration, m.Lane, outs[i])
		at = to
	}
}

// PlayedUnit takes down that a unit was played: of a frame, or of the whole program.
func (m *Meter) PlayedUnit(frame string, begin, end int64) {
	for i := range m.units {
		if u := &m.units[i]; u.Frame == frame {
			u.Runs++
			u.Total += time.Duration(end - begin)
			if len(u.Spans) < atFirst {
				u.Spans = append(u.Spans, Span{m.Lane, begin, end})
			}
			return
		}
	}
	m.units = append(m.units, Unit{Frame: frame, Runs: 1, Total: time.Duration(end - begin), Spans: []Span{{m.Lane, begin, end}}})
}
