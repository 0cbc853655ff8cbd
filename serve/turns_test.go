package serve

import (
	"context"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/troupe-go/troupe/status"
)

func lineOf(t *turns, name string, running, waiting int, weight float64) *line {
	l := t.line(name, &meter{})
	l.set(Options{Running: running, Waiting: waiting}, Config{Weight: weight})
	return l
}

// TestFairness: models that always wait share the places by time used, according to their
// weights, however long their requests take.
func TestFairness(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		turns := newTurns(10)
		ctx, stop := context.WithCancel(t.Context())
		var group sync.WaitGroup
		used := make([]time.Duration, 3)
		kinds := []struct {
			takes  time.Duration
			weight float64
		}{{70 * time.Millisecond, 1}, {3 * time.Millisecond, 1}, {11 * time.Millisecond, 2}}
		for i, c := range kinds {
			l := lineOf(turns, string(rune('a'+i)), 100, 100, c.weight)
			for range 20 {
				group.Go(func() {
					for {
						w, err := l.turn(ctx)
						if err != nil {
							return
						}
						time.Sleep(c.takes)
						turns.mu.Lock()
						used[i] += c.takes
						turns.mu.Unlock()
						l.end(w)
					}
				})
			}
		}
		time.Sleep(time.Minute)
		stop()
		group.Wait()
		for i, want := range []float64{.25, .25, .5} {
			if part := used[i].Seconds() / 600; part < want-.04 || part > want+.04 {
				t.Errorf("%d has %.3f of the places, not %.2f", i, part, want)
			}
		}
	})
}

// TestNotStarved: one model whose requests hold all places does not make another wait.
func TestNotStarved(t *testing.T) {
	turns := newTurns(2)
	greedy, small := lineOf(turns, "greedy", 9, 9, 1), lineOf(turns, "small", 9, 9, 1)
	for range 2 {
		if _, err := greedy.turn(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	w, err := small.turn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range []*line{greedy, small} { // no place is left
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			if _, err := l.turn(ctx); status.CodeOf(err) != status.DeadlineExceeded {
				t.Error(err)
			}
		})
	}
	small.end(w)
	if _, err := small.turn(t.Context()); err != nil {
		t.Error(err)
	}
}
