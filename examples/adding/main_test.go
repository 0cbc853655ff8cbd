package main

import (
	"context"
	"io"
	"math"
	"testing"
	"time"

	tf "github.com/troupe-go/troupe/session"
	"github.com/troupe-go/troupe/train"
)

// Networks around both kinds of loops learn the sum, and are the same but for rounding:
// gradients of what a loop carries and of what it has from outside are summed up in
// different orders.
func TestAdding(t *testing.T) {
	c := setup{updates: 400, batch: 32, hidden: 24, shortest: 5, more: 6, rate: 0.02}
	found := map[string]float64{}
	for c.loop = range loops {
		mse, err := run(t.Context(), io.Discard, c)
		if err != nil {
			t.Fatal(err)
		}
		if mse > 0.01 {
			t.Errorf("%s: mean squared error %v", c.loop, mse)
		}
		found[c.loop] = mse
	}
	if math.Abs(found["frames"]-found["functions"]) > 0.01*found["frames"] {
		t.Errorf("%v", found)
	}
	c.loop = "hoops"
	if _, err := run(t.Context(), io.Discard, c); err == nil {
		t.Error("a loop of hoops")
	}
}

// BenchmarkUpdate is an update by 32 sequences of 20 numbers: the mean, and the best
// sample of 5.
func BenchmarkUpdate(b *testing.B) {
	for kind, loop := range loops {
		b.Run(kind, func(b *testing.B) {
			n := newNetwork(loop, 32, train.Fixed(0.01))
			session, err := tf.NewSession(n.model.Graph(), nil)
			if err != nil {
				b.Fatal(err)
			}
			defer session.Close()
			t, err := n.model.Start(context.Background(), session)
			if err != nil {
				b.Fatal(err)
			}
			var some []train.Batch
			for batch := range n.batches(setup{batch: 32, shortest: 20, more: 1}, 1, 200) {
				some = append(some, batch)
			}
			batches := func(yield func(train.Batch) bool) {
				for i := 0; b.Loop(); i++ {
					if !yield(some[i%len(some)]) {
						return
					}
				}
			}
			best, since := time.Hour, time.Now()
			for step, err := range t.Steps(context.Background(), n.goal, batches) {
				if err != nil {
					b.Fatal(err)
				}
				if step.N%5 == 0 {
					best, since = min(best, time.Since(since)/5), time.Now()
				}
			}
			b.ReportMetric(float64(best), "best-ns")
		})
	}
}
