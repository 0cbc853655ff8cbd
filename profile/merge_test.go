package profile

import (
	"slices"
	"testing"
)

// TestMerge merges what two processes recorded, on their goroutines, on workers of their pools
// and on threads that nobody knows.
func TestMerge(t *testing.T) {
	threads := func(list ...int) *Stats {
		s := &Stats{Nodes: make([]NodeStats, 1)}
		for i, thread := range list {
			s.Events = append(s.Events, Event{Thread: thread, Begin: int64(i), End: int64(i)})
		}
		return s
	}
	s := threads(0, Worker0+1)
	all := []merged{{threads(0, 1, Worker0+1, Elsewhere), 100}, {threads(0, Worker0), 200}}
	for _, m := range all {
		if !m.stats.Valid() {
			t.Errorf("%v is not valid", m.stats.Events)
		}
	}
	s.merge(all)
	var got []int
	for _, e := range s.Events {
		got = append(got, e.Thread)
	}
	if want := []int{0, Worker0 + 1, 1, 2, Worker0 + 3, Elsewhere, 3, Worker0 + 4}; !slices.Equal(got, want) {
		t.Errorf("threads %v, want %v", got, want)
	}
	for _, wrong := range []*Stats{threads(-2), threads(2 * Worker0), {Events: []Event{{Node: 0}}}} {
		if wrong.Valid() {
			t.Errorf("%v is valid", wrong.Events)
		}
	}
}
