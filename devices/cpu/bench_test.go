package cpu

import (
	"fmt"
	"runtime"
	"sync/atomic"
	"testing"
	"time"
)

// spinFor computes for about d.
func spinFor(d time.Duration) {
	for start := time.Now(); time.Since(start) < d; {
	}
}

// A wave is 8 ranges that each take a while; waves follow one another at once,
// or after the workers have parked.
func BenchmarkParallel(b *testing.B) {
	for _, each := range []time.Duration{0, 2 * time.Microsecond, 10 * time.Microsecond, 50 * time.Microsecond} {
		for threads := 1; threads <= min(2, runtime.NumCPU()); threads++ {
			for _, gap := range []time.Duration{0, 200 * time.Microsecond} {
				b.Run(fmt.Sprintf("each=%v/threads=%d/gap=%v", each, threads, gap), func(b *testing.B) {
					p := newPool(b, threads)
					f := func(lo, hi int) { spinFor(each) }
					if each == 0 {
						f = func(lo, hi int) {}
					}
					var busy time.Duration
					for b.Loop() {
						spinFor(gap)
						start := time.Now()
						p.Parallel(8, 1, f)
						busy += time.Since(start)
					}
					b.ReportMetric(float64(busy.Nanoseconds())/float64(b.N), "ns/wave")
				})
			}
		}
	}
}

// A publisher and its helpers run 8 tasks.
func BenchmarkPublish(b *testing.B) {
	for _, each := range []time.Duration{0, 10 * time.Microsecond} {
		for threads := 1; threads <= min(2, runtime.NumCPU()); threads++ {
			b.Run(fmt.Sprintf("each=%v/threads=%d", each, threads), func(b *testing.B) {
				p := newPool(b, threads)
				var pending atomic.Int32
				t := task(func(int) {
					if each > 0 {
						spinFor(each)
					}
					pending.Add(-1)
				})
				for b.Loop() {
					pending.Store(8)
					for range 8 {
						p.Publish(t, each.Nanoseconds())
					}
					for p.Help() {
					}
					for pending.Load() > 0 {
						pause()
					}
				}
			})
		}
	}
}
