package decoders_test

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/troupe-go/troupe/benchmarks/decoders"
	"github.com/troupe-go/troupe/compile/cellular"
	_ "github.com/troupe-go/troupe/ops/all"
	"github.com/troupe-go/troupe/session"
)

var (
	cells    = flag.String("cell", "lstm", "")
	units    = flag.Int("units", 256, "")
	callers  = flag.Int("callers", 64, "")
	duration = flag.Duration("for", 3*time.Second, "")
)

func BenchmarkQuick(b *testing.B) {
	d, err := decoders.New(*cells, *units, 1000)
	if err != nil {
		b.Fatal(err)
	}
	for _, batch := range []bool{false, true} {
		b.Run(fmt.Sprint("batch=", batch), func(b *testing.B) {
			s, err := session.NewSession(d.Graph, &session.SessionOptions{BatchLoops: batch})
			if err != nil {
				b.Fatal(err)
			}
			defer s.Close()
			c, err := s.MakeCallable(d.Feeds(), d.Fetches(), nil)
			if err != nil {
				b.Fatal(err)
			}
			var stop atomic.Bool
			var wg sync.WaitGroup
			var words atomic.Int64
			var mu sync.Mutex
			var took []float64
			i0, r0 := cellular.Counts()
			begin := time.Now()
			for i := range *callers {
				wg.Go(func() {
					rng := rand.New(rand.NewPCG(uint64(i), 1))
					for !stop.Load() {
						n := int32(5 + rng.IntN(196))
						t := time.Now()
						if _, err := c.Call(context.Background(), decoders.Args(int32(rng.IntN(1000)), n, 1)...); err != nil {
							b.Error(err)
							return
						}
						e := time.Since(t)
						words.Add(int64(n))
						mu.Lock()
						took = append(took, float64(e))
						mu.Unlock()
					}
				})
			}
			time.Sleep(*duration)
			stop.Store(true)
			wg.Wait()
			i1, r1 := cellular.Counts()
			slices.Sort(took)
			secs := time.Since(begin).Seconds()
			b.ReportMetric(0, "ns/op")
			b.ReportMetric(float64(words.Load())/secs, "words/s")
			b.ReportMetric(took[len(took)/2]/1e6, "p50-ms")
			b.ReportMetric(took[len(took)*99/100]/1e6, "p99-ms")
			b.ReportMetric(float64(r1-r0)/max(1, float64(i1-i0)), "rows")
		})
	}
}
