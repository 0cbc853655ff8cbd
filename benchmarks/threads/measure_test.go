package main

import (
	"runtime"
	"sync/atomic"
	"testing"
	"time"
)

// What a [Machine] is made of, measured on the machine at hand:
//
//	go test ./benchmarks/threads -run - -bench .

// padded is a variable on a cache line of its own.
type padded struct {
	_ [128]byte
	atomic.Int64
	_ [128]byte
}

// until spins until holds, and lets nobody else run: both sides have a core.
func until(holds func() bool) {
	for !holds() {
	}
}

// BenchmarkHandOver: one goroutine writes, one that looks answers; half of it is one way.
func BenchmarkHandOver(b *testing.B) {
	var ping, pong padded
	go func() {
		for i := int64(1); ; i++ {
			until(func() bool { return ping.Load() >= i })
			if ping.Load() < 0 {
				return
			}
			pong.Store(i)
		}
	}()
	i := int64(0)
	for b.Loop() {
		i++
		ping.Store(i)
		until(func() bool { return pong.Load() >= i })
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/2, "ns/way")
	ping.Store(1 << 62)
}

// BenchmarkClaim: additions to a counter by one goroutine and by two.
func BenchmarkClaim(b *testing.B) {
	b.Run("alone", func(b *testing.B) {
		var n padded
		for b.Loop() {
			n.Add(1)
		}
	})
	b.Run("two", func(b *testing.B) {
		var n padded
		var over atomic.Bool
		ended := make(chan int64)
		go func() {
			k := int64(0)
			for ; !over.Load(); k++ {
				n.Add(1)
			}
			ended <- k
		}()
		for b.Loop() {
			n.Add(1)
		}
		over.Store(true)
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(int64(b.N)+<-ended), "ns/claim")
	})
}

// BenchmarkWake: a value is sent to a goroutine whose thread sleeps: what that costs the
// sender, and when the other runs.
func BenchmarkWake(b *testing.B) {
	wake := make(chan time.Time, 1)
	var came atomic.Int64
	go func() {
		for t := range wake {
			came.Store(time.Since(t).Nanoseconds())
		}
	}()
	var send, start int64
	best := int64(1 << 62)
	for b.Loop() {
		for end := time.Now().Add(200 * time.Microsecond); time.Now().Before(end); {
		}
		came.Store(0)
		t := time.Now()
		wake <- t
		send += time.Since(t).Nanoseconds()
		until(func() bool { return came.Load() != 0 })
		start += came.Load()
		best = min(best, came.Load())
	}
	close(wake)
	b.ReportMetric(float64(send)/float64(b.N), "ns/send")
	b.ReportMetric(float64(start)/float64(b.N), "ns/start")
	b.ReportMetric(float64(best), "ns/start-best")
	runtime.Gosched()
}
