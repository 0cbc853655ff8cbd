package session_test

import (
	"context"
	"runtime"
	"testing"
	"time"

	"github.com/troupe-go/troupe/session"
)

// Steps that were cancelled leave neither goroutines nor memory behind.
func TestCancelledStepsLeaveNothing(t *testing.T) {
	b := build(t)
	exit := b.endless("loop")
	s := b.open(nil)
	fetches := []session.Output{exit}
	cancelled := func(n int) {
		for range n {
			ctx, cancel := context.WithTimeout(t.Context(), 200*time.Microsecond)
			if _, err := s.RunContext(ctx, nil, fetches, nil); session.CodeOf(err) != session.DeadlineExceeded {
				t.Fatal(err)
			}
			cancel()
		}
	}
	measure := func() (goroutines int, heap uint64) {
		runtime.GC()
		runtime.GC() // the first moves what pools hold to where the second drops it
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return runtime.NumGoroutine(), m.HeapAlloc
	}
	cancelled(50)
	goroutines, heap := measure()
	cancelled(1000)
	moreGoroutines, moreHeap := measure()
	if moreGoroutines > goroutines {
		t.Errorf("%d goroutines, %d before", moreGoroutines, goroutines)
	}
	if moreHeap > heap+256<<10 {
		t.Errorf("%d bytes of heap, %d before", moreHeap, heap)
	}
	if n := s.MemoryInUse(); n != 0 {
		t.Errorf("%d bytes in use", n)
	}
}
