package profile

import (
	"cmp"
	"math"
	"slices"
	"time"

	"github.com/troupe-go/troupe/sorted"
	"github.com/troupe-go/troupe/tensor"
)

// Stats is what a run took, by node.
type Stats struct {
	Begin time.Time
	// Elapsed is from the beginning until the last part of the run has ended.
	Elapsed time.Duration
	// Nodes has the nodes of the run's program, and those of the programs of
	// functions that were called, which did something.
	Nodes []NodeStats
	// Events are single activations, by their beginning: the first 8 of each node.
	Events []Event
	// Dropped is how many activations were timed and are not among Events.
	Dropped int64
	// Units are the loops and programs that were played as one unit.
	Units []Unit
	// Works are what the streams of accelerators did meanwhile, for this run or for
	// others: each stream's one after another.
	Works []Work
}

// A Work is a launch, or a copy, in a stream of an accelerator.
type Work struct {
	Device, Stream string // the device's full name; such as "compute"
	Name           string // the function's; "write", "read" or "copy"
	Begin, End     int64  // nanoseconds since Stats.Begin, when the host was told
	Bytes          int64  // of a copy
}

// NodeStats is what the activations of a node took together.
type NodeStats struct {
	Node
	// Count is how often the node has acted, dead activations left out; Timed how
	// many of these were timed: 0 for nodes without a kernel.
	Count, Timed int64
	// Total is the time of all, scaled where not all were timed; Max that of the
	// longest that was timed.
	Total, Max time.Duration
	// Bytes is what all its outputs came to, scaled likewise; Outputs what they were
	// when they were largest.
	Bytes   int64
	Outputs []Output
}

// An Output is what a node has put out.
type Output struct {
	Type  tensor.DType
	Shape []int64
	Bytes int64
}

// An Event is one activation of a node, or of a call of one.
type Event struct {
	Node       int   // in Stats.Nodes
	Thread     int   // see Meter.Note
	Begin, End int64 // nanoseconds since Stats.Begin
	Iteration  int64 // of the innermost loop
	Bytes      int64 // of its outputs
}

// A Unit is a loop, or a whole program, that was played as one.
type Unit struct {
	Frame string // of the loop; "" for a whole program
	Runs  int64
	Total time.Duration
	Spans []Span // the first 8
}

// A Span is when a unit was played.
type Span struct {
	Thread     int
	Begin, End int64
}

// Stats returns what was recorded until now; what still goes on, as a function that an
// iterator calls ahead of its next element, is left out.
func (r *Recorder) Stats() *Stats {
	r.mu.Lock()
	defer r.mu.Unlock()
	s := &Stats{Begin: r.begin, Elapsed: r.ended}
	first := map[Program]int{} // number of its node 0
	var programs []Program
	total := 0
	all := slices.DeleteFunc(slices.Clone(r.all), func(m *Meter) bool { return m.busy })
	for _, m := range all {
		if _, ok := first[m.program]; !ok {
			first[m.program] = total
			programs = append(programs, m.program)
			total += m.program.NumNodes()
		}
	}
	sums, events, room := make([]counter, total), 0, []Output(nil)
	for _, m := range all {
		events += len(m.events)
	}
	s.Events = make([]Event, 0, events)
	for _, m := range all {
		at := first[m.program]
		for i := range m.counters {
			sums[at+i].add(&m.counters[i], &room, total)
		}
		for _, e := range m.events {
			e.Node += at
			s.Events = append(s.Events, e)
		}
		for _, u := range m.units {
			s.addUnit(u)
		}
		s.Dropped += m.dropped
	}
	s.Nodes = make([]NodeStats, total)
	for _, p := range programs {
		at := first[p]
		for i, described := range p.Describe() {
			c, n := &sums[at+i], &s.Nodes[at+i]
			n.Node, n.Count, n.Timed, n.Max, n.Outputs = described, c.count, c.timed, time.Duration(c.most), c.outs
			if c.timed > 0 {
				n.Total = time.Duration(scale(c.nanos, c.count, c.upto))
				n.Bytes = scale(c.bytes, c.count, c.upto)
			}
			if at > 0 {
				n.Inputs = slices.Clone(n.Inputs)
				for k := range n.Inputs {
					n.Inputs[k].Node += at
				}
			}
		}
	}
	sorted.Stably(s.Events, func(a, b Event) int { return cmp.Or(cmp.Compare(a.Begin, b.Begin), cmp.Compare(b.End, a.End)) })
	s.merge(r.away)
	return s
}

// scale is x·to/from.
func scale(x, to, from int64) int64 {
	if to == from {
		return x
	}
	return int64(math.Round(float64(x) * float64(to) / float64(from)))
}

// scale makes of the figures of some runs those of more.
func (s *Stats) scale(to, from int64) {
	if from == 0 {
		return
	}
	for i := range s.Nodes {
		n := &s.Nodes[i]
		n.Count, n.Bytes, n.Total = scale(n.Count, to, from), scale(n.Bytes, to, from), time.Duration(scale(int64(n.Total), to, from))
	}
	for i := range s.Units {
		u := &s.Units[i]
		u.Runs, u.Total = scale(u.Runs, to, from), time.Duration(scale(int64(u.Total), to, from))
	}
}

// add adds what another meter has counted. Outputs are copied into the room, of which
// as much as there are nodes will do for most.
func (c *counter) add(o *counter, room *[]Output, total int) {
	c.count += o.count
	c.timed += o.timed
	c.upto += o.upto
	c.nanos += o.nanos
	c.bytes += o.bytes
	c.most = max(c.most, o.most)
	if c.outs == nil && len(o.outs) > 0 {
		c.outs = carve(room, len(o.outs), total)
		copy(c.outs, o.outs)
		return
	}
	c.outs = largest(c.outs, o.outs)
}

// largest is by position the larger of two outputs.
func largest(a, b []Output) []Output {
	if a == nil {
		return slices.Clone(b)
	}
	for i := range min(len(a), len(b)) {
		if a[i].Shape == nil || b[i].Shape != nil && b[i].Bytes > a[i].Bytes {
			a[i] = b[i]
		}
	}
	return a
}

func (s *Stats) addUnit(u Unit) {
	for i := range s.Units {
		if o := &s.Units[i]; o.Frame == u.Frame {
			o.Runs += u.Runs
			o.Total += u.Total
			o.Spans = append(o.Spans, u.Spans...)
			return
		}
	}
	u.Spans = slices.Clone(u.Spans)
	s.Units = append(s.Units, u)
}
