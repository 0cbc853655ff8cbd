package benchmarks_test

import (
	"fmt"
	"testing"
	"time"

	tf "github.com/troupe-go/troupe"
	"github.com/troupe-go/troupe/op"
)

// BenchmarkBand is a loop whose body has two kernels of some 100 µs that need
// nothing of each other: running sums of a vector, on one thread and on two.
func BenchmarkBand(b *testing.B) {
	const turns, length = 4, 100_000
	s := op.NewScope()
	x := op.Placeholder(s, tf.Float, op.PlaceholderShape(tf.MakeShape(length)))
	zero, limit := op.Const(s.SubScope("zero"), int32(0)), op.Const(s.SubScope("limit"), int32(turns))
	one, axis := op.Const(s.SubScope("one"), int32(1)), op.Const(s.SubScope("axis"), int32(0))
	results := op.While(s, []tf.Output{zero, x, x},
		func(s *op.Scope, v []tf.Output) tf.Output { return op.Less(s, v[0], limit) },
		func(s *op.Scope, v []tf.Output) []tf.Output {
			return []tf.Output{op.Add(s, v[0], one), op.Cumsum(s, v[1], axis), op.Cumsum(s.SubScope("other"), v[2], axis)}
		})
	graph, err := s.Finalize()
	if err != nil {
		b.Fatal(err)
	}
	feed, err := tf.NewTensor(make([]float32, length))
	if err != nil {
		b.Fatal(err)
	}
	for _, threads := range []int{1, 2} {
		b.Run(fmt.Sprintf("threads=%d", threads), func(b *testing.B) {
			session, err := tf.NewSession(graph, &tf.SessionOptions{Threads: threads})
			if err != nil {
				b.Fatal(err)
			}
			defer session.Close()
			best := time.Hour
			for b.Loop() {
				begin := time.Now()
				if _, err := session.Run(map[tf.Output]*tf.Tensor{x: feed}, results[1:], nil); err != nil {
					b.Fatal(err)
				}
				best = min(best, time.Since(begin))
			}
			b.ReportMetric(float64(best.Nanoseconds())/1e3/turns, "best-µs/iteration")
		})
	}
}
