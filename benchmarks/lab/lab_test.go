package main

import (
	"context"
	"testing"
	"time"
)

// Every solution of every benchmark gives the answer, twice in the same session: queues
// are empty between runs.
func TestAnswers(t *testing.T) {
	for _, b := range benchmarks {
		for _, c := range columns {
			t.Run(b.name+"/"+c.name, func(t *testing.T) {
				ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
				defer cancel()
				s, err := c.open(&b, 2)
				if err != nil {
					t.Fatal(err)
				}
				defer s.close()
				for _, n := range []int64{b.sizes[0], b.sizes[0] / 2} {
					if got, _, err := s.run(ctx, n); err != nil || got != b.want(n) {
						t.Errorf("of size %d: %d, %v, want %d", n, got, err, b.want(n))
					}
				}
			})
		}
	}
}
