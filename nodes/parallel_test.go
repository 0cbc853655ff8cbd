package nodes_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/troupe-go/troupe/nodes"
	"github.com/troupe-go/troupe/tensor"
)

// TestParallelIterations: no more iterations than parallel_iterations act at a
// time, on any schedule, and as many if the loop's counter runs ahead.
func TestParallelIterations(t *testing.T) {
	for _, limit := range []int{1, 2, 32} {
		text := strings.Replace(vectors, "KERNEL", "TestPoint", 1)
		text = strings.ReplaceAll(text, "parallel_iterations=3", fmt.Sprintf("parallel_iterations=%d", limit))
		p := compiled(t, text, vectorFeeds, "out")
		most := 0
		for seed := range uint64(5) {
			events := playTraced(t, p, rand.New(rand.NewPCG(seed, 0)).IntN)
			most = max(most, overlap(events))
		}
		// The order in which the counter goes first.
		most = max(most, overlap(playTraced(t, p, func(ready int) int { return ready - 1 })))
		if most > limit || limit <= 2 && most != limit || limit > 2 && most <= 2 {
			t.Errorf("parallel_iterations %d: up to %d were alive", limit, most)
		}
	}
}

// playTraced runs 60 iterations of vectors.
func playTraced(t *testing.T, p *nodes.Program, order nodes.Order) []nodes.Event {
	t.Helper()
	var events []nodes.Event
	s := p.Begin(newStep(context.Background()), []tensor.Value{tensor.Scalar(int32(60)), vector(t, 1, 2)}, nodes.Options{
		Order: order,
		Trace: func(e nodes.Event) { events = append(events, e) },
	})
	for a := s.Next(); a != nil; a = s.Next() {
		s.Complete(a, a.Run())
	}
	out := make([]tensor.Value, 1)
	if err := s.End(out); err != nil || fmt.Sprint(out[0].Tensor().Value()) != "[91 182]" {
		t.Fatalf("%v, %v", out[0].Tensor(), err)
	}
	return events
}

// overlap returns the most iterations between whose first and last event there is a
// common point.
func overlap(events []nodes.Event) int {
	last := map[string]int{}
	for i, e := range events {
		last[e.Tag] = i
	}
	alive, most := map[string]bool{}, 0
	for i, e := range events {
		if e.Tag == "" {
			continue
		}
		alive[e.Tag] = true
		most = max(most, len(alive))
		if last[e.Tag] == i {
			delete(alive, e.Tag)
		}
	}
	return most
}
