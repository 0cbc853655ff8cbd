package benchmarks_test

import (
	"context"
	"errors"
	"math"
	"runtime"
	"slices"
	"testing"
	"time"

	tf "github.com/troupe-go/troupe"
)

// TestCancel cancels a loop that would run for a minute, a thousand times: each
// call returns soon with the context's error, and nothing is left behind.
func TestCancel(t *testing.T) {
	for _, engine := range []string{"actors", "tokens"} {
		t.Run(engine, func(t *testing.T) {
			s, c, _ := prepare(t, "while_counter_p10", load(t)["while_counter_p10"], engine)
			defer s.Close()
			limit, err := tf.NewTensor(int32(math.MaxInt32))
			if err != nil {
				t.Fatal(err)
			}
			steps := 1000
			if testing.Short() {
				steps = 50
			}
			var took []time.Duration
			cancelled := func() {
				ctx, cancel := context.WithCancel(context.Background())
				running := make(chan struct{})
				asked := make(chan time.Time, 1)
				go func() {
					<-running
					for begin := time.Now(); time.Since(begin) < 200*time.Microsecond; {
						// Let the loop get going.
					}
					asked <- time.Now()
					cancel()
				}()
				close(running)
				_, err := c.Call(ctx, limit)
				took = append(took, time.Since(<-asked))
				if !errors.Is(err, context.Canceled) {
					t.Fatalf("got %v", err)
				}
			}
			cancelled()
			var before, after runtime.MemStats
			runtime.GC()
			runtime.ReadMemStats(&before)
			goroutines := runtime.NumGoroutine()
			for range steps {
				cancelled()
			}
			slices.Sort(took)
			runtime.GC()
			runtime.ReadMemStats(&after)
			t.Logf("%d steps cancelled: returned after %v at the median, %v at most; heap %+d bytes, goroutines %+d",
				steps, took[len(took)/2], took[len(took)-1], int64(after.HeapAlloc)-int64(before.HeapAlloc), runtime.NumGoroutine()-goroutines)
			if m := took[len(took)/2]; m > 10*time.Millisecond {
				t.Errorf("a cancelled step returns after %v at the median, want at most 10 ms", m)
			}
			if n := runtime.NumGoroutine(); n > goroutines {
				t.Errorf("%d goroutines, %d before", n, goroutines)
			}
			if grown := int64(after.HeapAlloc) - int64(before.HeapAlloc); grown > 1<<20 {
				t.Errorf("the heap has grown by %d bytes", grown)
			}
		})
	}
}
