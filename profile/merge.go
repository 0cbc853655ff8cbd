package profile

import (
	"cmp"
	"slices"
	"time"

	"github.com/troupe-go/troupe/sorted"
)

// Merge adds what another process recorded of this run, between two times of this recorder's
// clock. Clocks of machines differ: what was recorded is moved to lie between these times.
// A recorder of many runs ignores it.
func (r *Recorder) Merge(s *Stats, from, to int64) {
	if r.sums {
		return
	}
	shift := min(int64(s.Begin.Sub(r.begin)), to-int64(s.Elapsed))
	m := merged{s, max(shift, from)}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.away = append(r.away, m)
	r.ended = max(r.ended, time.Duration(m.shift)+s.Elapsed)
}

// A merged is what another process recorded, and when that began.
type merged struct {
	stats *Stats
	shift int64
}

// merge adds what other processes recorded. Threads of several processes are different ones;
// lanes stay lanes, and workers of a pool workers.
func (s *Stats) merge(all []merged) {
	if len(all) == 0 {
		return
	}
	lanes, workers := 0, Worker0 // the next of each
	for _, e := range s.Events {
		if e.Thread >= Worker0 {
			workers = max(workers, e.Thread+1)
		} else {
			lanes = max(lanes, e.Thread+1)
		}
	}
	for _, m := range all {
		at, nextLane, nextWorker := len(s.Nodes), lanes, workers
		for _, n := range m.stats.Nodes {
			n.Inputs = slices.Clone(n.Inputs)
			for k := range n.Inputs {
				n.Inputs[k].Node += at
			}
			s.Nodes = append(s.Nodes, n)
		}
		move := func(thread int) int {
			switch {
			case thread == Elsewhere:
			case thread >= Worker0:
				thread += workers - Worker0
				nextWorker = max(nextWorker, thread+1)
			default:
				thread += lanes
				nextLane = max(nextLane, thread+1)
			}
			return thread
		}
		for _, e := range m.stats.Events {
			e.Node += at
			e.Thread = move(e.Thread)
			e.Begin += m.shift
			e.End += m.shift
			s.Events = append(s.Events, e)
		}
		for _, u := range m.stats.Units {
			u.Spans = slices.Clone(u.Spans)
			for k := range u.Spans {
				p := &u.Spans[k]
				*p = Span{move(p.Thread), p.Begin + m.shift, p.End + m.shift}
			}
			s.Units = append(s.Units, u)
		}
		for _, w := range m.stats.Works {
			w.Begin += m.shift
			w.End += m.shift
			s.Works = append(s.Works, w)
		}
		s.Dropped += m.stats.Dropped
		lanes, workers = nextLane, nextWorker
	}
	sorted.Stably(s.Events, func(a, b Event) int { return cmp.Or(cmp.Compare(a.Begin, b.Begin), cmp.Compare(b.End, a.End)) })
}

// Valid reports whether all numbers of nodes in s are of its nodes, as in what another process
// sends they might not be.
func (s *Stats) Valid() bool {
	node := func(i int) bool { return i >= 0 && i < len(s.Nodes) }
	for _, n := range s.Nodes {
		if slices.ContainsFunc(n.Inputs, func(in Input) bool { return !node(in.Node) }) {
			return false
		}
	}
	const mostWorkers = 1 << 16
	thread := func(i int) bool { return i == Elsewhere || i >= 0 && i < Worker0+mostWorkers }
	for _, e := range s.Events {
		if !node(e.Node) || !thread(e.Thread) {
			return false
		}
	}
	for _, u := range s.Units {
		if slices.ContainsFunc(u.Spans, func(p Span) bool { return !thread(p.Thread) }) {
			return false
		}
	}
	return true
}
