package main

import (
	tf "github.com/troupe-go/troupe"
	"github.com/troupe-go/troupe/op"
)

// In the graph the two are loops with an unbounded queue between them.
var counting = benchmark{
	name: "counting", unit: "message",
	spec:  "One process sends 1 to n, another adds them up: the cost of sending without waiting for an answer.",
	sizes: [3]int64{100, 2_000, 20_000},
	work:  plain,
	want:  func(n int64) int64 { return n * (n + 1) / 2 },

	graph: func(s *op.Scope, n tf.Output) tf.Output {
		q := queue(s, -1)
		producer := process(s, n, []tf.Output{number(s, 0)}, func(s *op.Scope, i tf.Output, _ []tf.Output) []tf.Output {
			x := op.AddV2(s, i, number(s, 1))
			return []tf.Output{after(s, x, put(s, q, x))}
		})
		counter := process(s, n, []tf.Output{number(s, 0)}, func(s *op.Scope, _ tf.Output, v []tf.Output) []tf.Output {
			return []tf.Output{op.AddV2(s, v[0], take(s, q))}
		})
		return after(s, counter[0], producer[0].Op)
	},
	goroutines: func(n int64) (sum int64) {
		q := make(chan int64, n)
		go func() {
			for i := range n {
				q <- i + 1
			}
		}()
		for range n {
			sum += <-q
		}
		return sum
	},
	actors: func(s stage, n int64) int64 {
		answer := make(chan int64, 1)
		var seen, sum int64
		counter := s.Spawn(func(_ turn, m any) {
			sum += m.(int64)
			if seen++; seen == n {
				answer <- sum
			}
		})
		producer := s.Spawn(func(c turn, _ any) {
			for i := range n {
				c.Send(counter, i+1)
			}
		})
		s.Send(producer, "go")
		return <-answer
	},
}
