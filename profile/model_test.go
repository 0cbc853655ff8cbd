package profile_test

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/troupe-go/troupe/profile"
)

// random is figures of n nodes whose inputs come before them, or from the iteration
// before.
func random(r *rand.Rand, n int) *profile.Stats {
	s := &profile.Stats{Elapsed: time.Second}
	for i := range n {
		x := profile.NodeStats{Node: profile.Node{Name: string(rune('a' + i))}, Count: 2, Timed: 1, Total: time.Duration(r.IntN(100)), Bytes: int64(r.IntN(100))}
		for range r.IntN(3) {
			if i > 0 {
				x.Inputs = append(x.Inputs, profile.Input{Node: r.IntN(i), Port: r.IntN(2) - 1})
			}
		}
		if r.IntN(4) == 0 {
			x.Inputs = append(x.Inputs, profile.Input{Node: r.IntN(n), Back: true})
		}
		s.Nodes = append(s.Nodes, x)
	}
	return s
}

// longest returns the time of the longest chain that ends with node i, found by trying all.
func longest(s *profile.Stats, i int) time.Duration {
	var before time.Duration
	for _, in := range s.Nodes[i].Inputs {
		if !in.Back {
			before = max(before, longest(s, in.Node))
		}
	}
	return before + s.Nodes[i].Total
}

func TestCriticalPath(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		s := random(r, 1+r.IntN(10))
		var m profile.Model
		m.Add(s)
		m.Add(s)
		var want time.Duration
		for i := range s.Nodes {
			want = max(want, longest(s, i))
		}
		path, got := m.CriticalPath()
		if got != want {
			t.Fatalf("the critical path takes %v, want %v", got, want)
		}
		sum := time.Duration(0)
		for k, i := range path {
			sum += s.Nodes[i].Total
			if k > 0 && !slices.ContainsFunc(s.Nodes[i].Inputs, func(in profile.Input) bool { return in.Node == path[k-1] && !in.Back }) {
				t.Fatalf("node %d is no reader of node %d", i, path[k-1])
			}
		}
		if sum != want {
			t.Fatalf("the nodes of the path take %v, it says %v", sum, want)
		}
	}
}

// TestMerge adds runs in one model and in two that are merged.
func TestMerge(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	a, b := random(r, 5), random(r, 8)
	var all, first, second profile.Model
	for _, s := range []*profile.Stats{a, b} {
		all.Add(s)
	}
	first.Add(a)
	second.Add(b)
	first.Merge(&second)
	if first.Runs != 2 || all.Runs != 2 || first.Elapsed != all.Elapsed || len(first.Nodes) != 8 {
		t.Fatalf("%d and %d runs, %d nodes", first.Runs, all.Runs, len(first.Nodes))
	}
	for i := range all.Nodes {
		x, y := all.Nodes[i], first.Nodes[i]
		want := b.Nodes[i].Total
		if i < 5 {
			want += a.Nodes[i].Total
		}
		if x.Total != want || y.Total != want || x.Count != y.Count || x.Bytes != y.Bytes {
			t.Errorf("node %d: %+v and %+v, want a total of %v", i, x, y, want)
		}
	}
	if i := first.Node("", "c"); i != 2 {
		t.Errorf("node c is number %d", i)
	}
}

func TestEstimates(t *testing.T) {
	var m profile.Model
	m.Add(&profile.Stats{Nodes: []profile.NodeStats{
		{Node: profile.Node{Name: "often"}, Count: 100, Timed: 10, Total: 1000, Bytes: 400},
		{Node: profile.Node{Name: "usual"}, Count: 90, Timed: 90, Total: 900},
		{Node: profile.Node{Name: "rare"}, Count: 3, Timed: 3, Total: 900, Bytes: 30},
	}})
	if m.TimeEstimate(0) != 10 || m.SizeEstimate(0) != 4 || m.TimeEstimate(2) != 300 || m.SizeEstimate(2) != 10 {
		t.Errorf("estimates %v %v %v %v", m.TimeEstimate(0), m.SizeEstimate(0), m.TimeEstimate(2), m.SizeEstimate(2))
	}
	m.SuppressInfrequent()
	if m.TimeEstimate(0) != 10 || m.TimeEstimate(1) != 10 || m.TimeEstimate(2) != 0 || m.SizeEstimate(2) != 0 {
		t.Errorf("estimates without what is rare: %v %v %v", m.TimeEstimate(0), m.TimeEstimate(1), m.TimeEstimate(2))
	}
}
