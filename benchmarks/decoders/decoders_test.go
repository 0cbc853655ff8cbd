package decoders_test

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/troupe-go/troupe/benchmarks/decoders"
	"github.com/troupe-go/troupe/compile/cellular"
	_ "github.com/troupe-go/troupe/ops/all"
	"github.com/troupe-go/troupe/session"
	"github.com/troupe-go/troupe/tensor"
)

var duration = flag.Duration("for", time.Second, "measure each way of decoding for `DURATION`, after a quarter of that")

const vocabulary = 1000

// BenchmarkDecode has callers that decode 5 to 200 words each, one request after another: alone
// (single), with SessionOptions.BatchLoops (cellular), and in batches of whole requests, padded to
// the longest (whole).
//
//	go test ./benchmarks/decoders -run - -bench 'Decode/lstm/units=256/callers=64' -benchtime 1x
func BenchmarkDecode(b *testing.B) {
	for _, cell := range decoders.Cells {
		for _, units := range []int{64, 128, 256, 512} {
			for _, callers := range []int{1, 4, 16, 64, 256} {
				for _, way := range []string{"single", "cellular", "whole"} {
					if way == "whole" && cell == "beam" {
						continue // whose beams are rows
					}
					b.Run(fmt.Sprintf("%s/units=%d/callers=%d/%s", cell, units, callers, way), func(b *testing.B) {
						decode(b, cell, units, callers, way)
					})
				}
			}
		}
	}
}

func decode(b *testing.B, cell string, units, callers int, way string) {
	rows := callers
	d, err := decoders.NewRows(cell, units, vocabulary, rows)
	if way != "whole" {
		d, err = decoders.New(cell, units, vocabulary)
	}
	if err != nil {
		b.Fatal(err)
	}
	s, err := session.NewSession(d.Graph, &session.SessionOptions{BatchLoops: way == "cellular"})
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close()
	c, err := s.MakeCallable(d.Feeds(), d.Fetches(), nil)
	if err != nil {
		b.Fatal(err)
	}
	run := func(word, length int32) error {
		_, err := c.Call(context.Background(), decoders.Args(word, length, 1)...)
		return err
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	var servers sync.WaitGroup
	if way == "whole" {
		requests := make(chan request)
		run = func(word, length int32) error {
			r := request{word, length, make(chan error, 1)}
			requests <- r
			return <-r.done
		}
		servers.Go(func() { serve(c, rows, requests) })
		defer servers.Wait()
		defer close(requests)
	}
	var wg sync.WaitGroup
	var mu sync.Mutex
	var took []float64
	words, measuring := 0, false
	for i := range callers {
		wg.Go(func() {
			rng := rand.New(rand.NewPCG(uint64(i), 1))
			for ctx.Err() == nil {
				n := 5 + rng.Int32N(196)
				start := time.Now()
				if err := run(rng.Int32N(vocabulary), n); err != nil {
					b.Error(err)
					return
				}
				t := float64(time.Since(start)) / 1e6
				mu.Lock()
				if measuring {
					words += int(n)
					took = append(took, t)
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
	iterations, members := cellular.Counts()
	begin := time.Now()
	measure(true)
	<-time.After(*duration)
	measure(false)
	seconds := time.Since(begin).Seconds()
	i, m := cellular.Counts()
	cancel()
	wg.Wait()
	slices.Sort(took)
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(float64(words)/seconds, "words/s")
	b.ReportMetric(took[len(took)/2], "p50-ms")
	b.ReportMetric(took[len(took)*99/100], "p99-ms")
	if i > iterations {
		b.ReportMetric(float64(m-members)/float64(i-iterations), "callers/batch")
	}
}

// A request is one of a batch of whole requests.
type request struct {
	word, length int32
	done         chan error
}

// serve answers requests in batches of those that wait, padded to the longest.
func serve(c *session.Callable, rows int, requests chan request) {
	for r := range requests {
		batch := []request{r}
		for len(batch) < rows {
			select {
			case r, ok := <-requests:
				if ok {
					batch = append(batch, r)
					continue
				}
			default:
			}
			break
		}
		words, longest := make([]int32, rows), int32(0)
		for i, r := range batch {
			words[i], longest = r.word, max(longest, r.length)
		}
		first, err := tensor.FromSlice(words, int64(rows))
		if err == nil {
			args := decoders.Args(0, longest, 1)
			args[0] = first
			_, err = c.Call(context.Background(), args...)
		}
		for _, r := range batch {
			r.done <- err
		}
	}
}
