package main

import (
	"context"
	"io"
	"testing"

	tf "github.com/troupe-go/troupe/session"
	"github.com/troupe-go/troupe/train"
)

// Networks around both kinds of loops learn the sum, and are the same to the last
// bit.
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
	if found["frames"] != found["functions"] {
		t.Errorf("%v", found)
	}
	c.loop = "hoops"
	if _, err := run(t.Context(), io.Discard, c); err == nil {
		t.Error("a loop of hoops")
	}
}

// BenchmarkUpdate is an update by 32 sequences of 10 to 30 numbers.
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
			for batch := range n.batches(setup{batch: 32, shortest: 10, more: 21}, 1, 200) {
				some = append(some, batch)
			}
			batches := func(yield func(train.Batch) bool) {
				for i := 0; b.Loop(); i++ {
					if !yield(some[i%len(some)]) {
						return
					}
				}
			}
			for _, err := range t.Steps(context.Background(), n.goal, batches) {
				if err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
