package trees_test

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/troupe-go/troupe/benchmarks/trees"
	"github.com/troupe-go/troupe/compile/cellular"
	_ "github.com/troupe-go/troupe/ops/all"
	"github.com/troupe-go/troupe/session"
	"github.com/troupe-go/troupe/tensor"
)

var duration = flag.Duration("for", time.Second, "measure each way for `DURATION`, after a quarter of that")

const words = 1000

// BenchmarkTree has callers that run a TreeLSTM over trees of 5 to 50 leaves, one after another: each
// call by itself (single), and with SessionOptions.BatchLoops (cellular).
//
//	go test ./benchmarks/trees -run - -bench 'Tree/units=256/callers=1' -benchtime 1x
func BenchmarkTree(b *testing.B) {
	for _, units := range []int{16, 64, 128, 256, 512} {
		for _, callers := range []int{1, 4, 16, 64} {
			for _, way := range []string{"single", "cellular"} {
				b.Run(fmt.Sprintf("units=%d/callers=%d/%s", units, callers, way), func(b *testing.B) {
					run(b, units, callers, way)
				})
			}
		}
	}
}

func run(b *testing.B, units, callers int, way string) {
	m, err := trees.New(units, words)
	if err != nil {
		b.Fatal(err)
	}
	s, err := session.NewSession(m.Graph, &session.SessionOptions{BatchLoops: way == "cellular"})
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close()
	c, err := s.MakeCallable(m.Feeds(), m.Fetches(), nil)
	if err != nil {
		b.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	var wg sync.WaitGroup
	var mu sync.Mutex
	var took []float64
	nodes, measuring := 0, false
	for i := range callers {
		wg.Go(func() {
			rng := rand.New(rand.NewPCG(uint64(i), 1))
			type fed struct {
				args  []*tensor.Tensor
				nodes int
			}
			var list []fed
			for range 64 {
				t := trees.Draw(rng, 5+rng.IntN(46), words)
				list = append(list, fed{t.Args(), len(t.Left)})
			}
			for k := 0; ctx.Err() == nil; k++ {
				t := list[k%len(list)]
				start := time.Now()
				if _, err := c.Call(context.Background(), t.args...); err != nil {
					b.Error(err)
					return
				}
				ms := float64(time.Since(start)) / 1e6
				mu.Lock()
				if measuring {
					nodes += t.nodes
					took = append(took, ms)
				}
				mu.Unlock()
			}
		})
	}
	measure := func(on bool) {
		mu.Lock()
		measuring = on
		mu.Unlock()
	}
	<-time.After(*duration / 4)
	batches, rows := cellular.Counts()
	begin, used := time.Now(), processorTime()
	measure(true)
	<-time.After(*duration)
	measure(false)
	used = processorTime() - used
	seconds := time.Since(begin).Seconds()
	n, r := cellular.Counts()
	cancel()
	wg.Wait()
	slices.Sort(took)
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(float64(nodes)/seconds, "nodes/s")
	b.ReportMetric(float64(used)/1e3/float64(nodes), "cpu-µs/node")
	b.ReportMetric(took[len(took)/2], "p50-ms")
	b.ReportMetric(took[len(took)*99/100], "p99-ms")
	if n > batches {
		b.ReportMetric(float64(r-rows)/float64(n-batches), "rows/batch")
	}
}
