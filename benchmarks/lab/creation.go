package main

import (
	tf "github.com/troupe-go/troupe"
	"github.com/troupe-go/troupe/op"
)

// squares returns what a task computes: its number squared three times, each time modulo 10,007.
func squares(x int64) int64 {
	for range 3 {
		x = x * x % 10_007
	}
	return x
}

// In the graph a task is a frame of its own, a loop in an iteration of a loop of which 32
// may be under way at once.
var forkJoinCreation = benchmark{
	name: "fork-join creation", unit: "task",
	spec:  "n tasks are created; each squares its number three times modulo 10,007 and ends; the results are added up.",
	sizes: [3]int64{40, 500, 5_000},
	work:  plain,
	want: func(n int64) (sum int64) {
		for i := range n {
			sum += squares(i)
		}
		return sum
	},

	graph: func(s *op.Scope, n tf.Output) tf.Output {
		return op.While(s, []tf.Output{number(s, 0), number(s, 0)},
			func(s *op.Scope, v []tf.Output) tf.Output { return op.Less(s, v[0], n) },
			func(s *op.Scope, v []tf.Output) []tf.Output {
				task := process(s, number(s, 3), []tf.Output{v[0]}, func(s *op.Scope, _ tf.Output, x []tf.Output) []tf.Output {
					return []tf.Output{op.FloorMod(s, op.Mul(s, x[0], x[0]), number(s, 10_007))}
				})
				return []tf.Output{op.AddV2(s, v[0], number(s, 1)), op.AddV2(s, v[1], task[0])}
			}, op.WhileParallelIterations(32))[1]
	},
	goroutines: func(n int64) (sum int64) {
		results := make(chan int64, n)
		for i := range n {
			go func() { results <- squares(i) }()
		}
		for range n {
			sum += <-results
		}
		return sum
	},
	actors: func(s stage, n int64) int64 {
		answer := make(chan int64, 1)
		type begin struct{}
		var seen, sum int64
		master := s.Spawn(func(c turn, m any) {
			if v, ok := m.(int64); ok {
				sum += v
				if seen++; seen == n {
					answer <- sum
				}
				return
			}
			self := c.Self()
			for i := range n {
				task := c.Spawn(func(c turn, m any) {
					c.Send(self, squares(m.(int64)))
					c.Stop()
				})
				c.Send(task, i)
			}
		})
		s.Send(master, begin{})
		return <-answer
	},
}
