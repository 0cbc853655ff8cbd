package profile

import (
	"cmp"
	"slices"
	"time"

	"github.com/troupe-go/troupe/sorted"
)

// A Model is the cost model of a program: what its nodes took in the runs that were
// added up. The zero Model is empty. It is not safe for concurrent use.
type Model struct {
	// Runs is how many runs were added, Elapsed the sum of what they took. Recorded is how
	// many of them were recorded: all, unless a Sampler has chosen some, for which
	// the figures of nodes and units are estimates, and Elapsed is one.
	Runs, Recorded int64
	Elapsed        time.Duration
	// Nodes are in the order in which they came.
	Nodes []NodeStats
	Units []Unit // without spans

	numbers map[key]int
	least   int64 // activations from which on an estimate is one; see SuppressInfrequent
}

// A key tells nodes apart: a node of a function has the name that it has there.
type key struct{ function, name string }

// Add adds a run to the model.
func (m *Model) Add(s *Stats) {
	m.merge(s.Nodes, s.Units)
	m.Runs++
	m.Recorded++
	m.Elapsed += s.Elapsed
}

// Merge adds what another model knows.
func (m *Model) Merge(other *Model) {
	m.merge(other.Nodes, other.Units)
	m.Runs += other.Runs
	m.Recorded += other.Recorded
	m.Elapsed += other.Elapsed
}

func (m *Model) merge(nodes []NodeStats, units []Unit) {
	if m.numbers == nil {
		m.numbers = map[key]int{}
	}
	place := make([]int, len(nodes))
	from := len(m.Nodes)
	for i := range nodes {
		n := &nodes[i]
		k := key{n.Function, n.Name}
		at, ok := m.numbers[k]
		if !ok {
			at = len(m.Nodes)
			m.numbers[k] = at
			m.Nodes = append(m.Nodes, NodeStats{Node: n.Node})
		}
		place[i] = at
		to := &m.Nodes[at]
		to.Count += n.Count
		to.Timed += n.Timed
		to.Total += n.Total
		to.Bytes += n.Bytes
		to.Max = max(to.Max, n.Max)
		to.Outputs = largest(to.Outputs, n.Outputs)
	}
	for i := range nodes { // edges of those that are new
		if at := place[i]; at >= from {
			in := make([]Input, len(nodes[i].Inputs))
			for k, e := range nodes[i].Inputs {
				e.Node = place[e.Node]
				in[k] = e
			}
			m.Nodes[at].Inputs = in
		}
	}
	for _, u := range units {
		i := slices.IndexFunc(m.Units, func(o Unit) bool { return o.Frame == u.Frame })
		if i < 0 {
			i = len(m.Units)
			m.Units = append(m.Units, Unit{Frame: u.Frame})
		}
		m.Units[i].Runs += u.Runs
		m.Units[i].Total += u.Total
	}
}

// Node returns the number of a node; -1 if the model has none of that name. function is ""
// for one of the graph itself.
func (m *Model) Node(function, name string) int {
	if i, ok := m.numbers[key{function, name}]; ok {
		return i
	}
	return -1
}

// SuppressInfrequent lets estimates of nodes that have acted less than half as often
// as the median node be 0: a branch that is seldom taken says little.
func (m *Model) SuppressInfrequent() {
	var counts []int64
	for i := range m.Nodes {
		if c := m.Nodes[i].Count; c > 0 {
			counts = append(counts, c)
		}
	}
	m.least = 0
	if len(counts) > 0 {
		sorted.By(counts, cmp.Compare)
		m.least = max(counts[len(counts)/2]/2, 1)
	}
}

// TimeEstimate returns how long an activation of node i takes; 0 if it is not known.
func (m *Model) TimeEstimate(i int) time.Duration {
	n := &m.Nodes[i]
	if n.Timed == 0 || n.Count < m.least {
		return 0
	}
	return n.Total / time.Duration(n.Count)
}

// SizeEstimate returns how many bytes the outputs of an activation of node i are; 0 if it
// is not known.
func (m *Model) SizeEstimate(i int) int64 {
	n := &m.Nodes[i]
	if n.Timed == 0 || n.Count < m.least {
		return 0
	}
	return n.Bytes / n.Count
}

// CriticalPath returns the chain of nodes, each waiting for the one before it, that took
// longest, and how long it took in a run: the time that a run needs on any number of
// cores. All iterations of a loop count, one after the other. Nodes that call a
// function count with what the function took.
func (m *Model) CriticalPath() (path []int, perRun time.Duration) {
	n := len(m.Nodes)
	if n == 0 || m.Runs == 0 {
		return nil, 0
	}
	waiting := make([]int, n) // for so many inputs
	readers := make([][]int, n)
	for i := range m.Nodes {
		for _, in := range m.Nodes[i].Inputs {
			if !in.Back {
				waiting[i]++
				readers[in.Node] = append(readers[in.Node], i)
			}
		}
	}
	var ready []int
	for i, w := range waiting {
		if w == 0 {
			ready = append(ready, i)
		}
	}
	end := make([]time.Duration, n)
	before := make([]int, n)
	for i := range before {
		before[i] = -1
	}
	last := -1
	for len(ready) > 0 {
		i := ready[len(ready)-1]
		ready = ready[:len(ready)-1]
		end[i] += m.Nodes[i].Total
		if last < 0 || end[i] > end[last] {
			last = i
		}
		for _, r := range readers[i] {
			if end[i] > end[r] || before[r] < 0 {
				end[r], before[r] = end[i], i
			}
			if waiting[r]--; waiting[r] == 0 {
				ready = append(ready, r)
			}
		}
	}
	if last < 0 {
		return nil, 0
	}
	for i := last; i >= 0; i = before[i] {
		path = append(path, i)
	}
	slices.Reverse(path)
	return path, end[last] / time.Duration(m.Runs)
}
