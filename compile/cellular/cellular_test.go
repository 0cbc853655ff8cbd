package cellular_test

import (
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/troupe-go/troupe/benchmarks/decoders"
	_ "github.com/troupe-go/troupe/ops/all"
	"github.com/troupe-go/troupe/session"
	"github.com/troupe-go/troupe/tensor"
)

// TestSingleRuns holds the results of callers that decode at the same time against those of
// callers that decode alone.
func TestSingleRuns(t *testing.T) {
	for _, cell := range decoders.Cells {
		t.Run(cell, func(t *testing.T) {
			d, err := decoders.New(cell, 32, 50)
			if err != nil {
				t.Fatal(err)
			}
			plain := open(t, d, &session.SessionOptions{})
			batched := open(t, d, &session.SessionOptions{BatchLoops: true})
			rng := rand.New(rand.NewPCG(1, 2))
			var wg sync.WaitGroup
			for i := range 64 {
				args := decoders.Args(int32(i%50), int32(rng.IntN(60)), 1)
				wg.Go(func() {
					want, err := plain.Call(t.Context(), args...)
					if err != nil {
						t.Error(err)
						return
					}
					got, err := batched.Call(t.Context(), args...)
					if err != nil {
						t.Error(err)
						return
					}
					equal(t, fmt.Sprint("caller ", i), got, want)
				})
			}
			wg.Wait()
		})
	}
}

func open(t *testing.T, d *decoders.Decoder, o *session.SessionOptions) *session.Callable {
	t.Helper()
	s, err := session.NewSession(d.Graph, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	c, err := s.MakeCallable(d.Feeds(), d.Fetches(), nil)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func equal(t *testing.T, what string, got, want []*tensor.Tensor) {
	t.Helper()
	for i := range want {
		if err := tensor.Compare(got[i], want[i], tensor.Tolerance{Exact: true}); err != nil {
			t.Errorf("%s: result %d: %v", what, i, err)
		}
	}
}
