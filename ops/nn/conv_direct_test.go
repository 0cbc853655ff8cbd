package nn

import (
	"slices"
	"testing"
)

// longest returns how much the worker with most of n does, where each takes the next range as it is
// done with one, and the first of them what is left of n beside whole ranges.
func longest(n, size, workers int) int {
	done := make([]int, workers)
	done[0] = n % size
	for range n / size {
		done[slices.Index(done, slices.Min(done))] += size
	}
	return slices.Max(done)
}

// With no length of ranges that is allowed has the worker with most of them less to do.
func TestEvenly(t *testing.T) {
	for n := 1; n < 80; n++ {
		for most := 1; most <= n; most++ {
			for workers := 1; workers < 6; workers++ {
				least := n
				for size := most; 2*size > most; size-- {
					least = min(least, longest(n, size, workers))
				}
				size := evenly(n, most, workers)
				if got := longest(n, size, workers); size > most || 2*size <= most || got != least {
					t.Fatalf("%d, %d at most, %d workers: ranges of %d, of which one worker has %d, not %d", n, most, workers, size, got, least)
				}
			}
		}
	}
}
