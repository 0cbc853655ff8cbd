package benchmarks_test

import (
	"context"
	"flag"
	"runtime"
	"sync"
	"testing"
	"time"

	tf "github.com/troupe-go/troupe"
)

var stress = flag.Duration("stress", time.Second, "how long TestStress runs")

// TestStress runs one session from 64 goroutines, with other limits in every
// call: right answers, and no growth. A minute of it under the race detector:
//
//	go test -race ./benchmarks -run TestStress -stress 1m
func TestStress(t *testing.T) {
	s, c, _ := prepare(t, "while_cond", load(t)["while_cond"], "")
	defer s.Close()
	var before, after runtime.MemStats
	goroutines := runtime.NumGoroutine()
	round := func(d time.Duration) (calls int) {
		until := time.Now().Add(d)
		var mu sync.Mutex
		var wg sync.WaitGroup
		for g := range 64 {
			wg.Go(func() {
				n := 0
				for i := 0; time.Now().Before(until); i++ {
					limit := int32((g*31 + i) % 200)
					x, err := tf.NewTensor(limit)
					if err != nil {
						t.Error(err)
						return
					}
					out, err := c.Call(context.Background(), x)
					if err != nil {
						t.Error(err)
						return
					}
					want := limit/2*2 + limit%2*3 // 3 for every even i, -1 for every odd one
					if got := out[0].Value().(int32); got != want {
						t.Errorf("limit %d gives %d, want %d", limit, got, want)
						return
					}
					n++
				}
				mu.Lock()
				calls += n
				mu.Unlock()
			})
		}
		wg.Wait()
		return calls
	}
	round(*stress / 10)
	runtime.GC()
	runtime.ReadMemStats(&before)
	calls := round(*stress)
	runtime.GC()
	runtime.ReadMemStats(&after)
	grown := int64(after.HeapAlloc) - int64(before.HeapAlloc)
	t.Logf("%d calls; heap %+d bytes", calls, grown)
	if grown > 4<<20 {
		t.Errorf("the heap has grown by %d bytes", grown)
	}
	if n := runtime.NumGoroutine(); n > goroutines {
		t.Errorf("%d goroutines, %d before", n, goroutines)
	}
}
