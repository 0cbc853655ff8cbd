package main

import (
	tf "github.com/troupe-go/troupe"
	"github.com/troupe-go/troupe/op"
)

// workers is how many share the messages of fork-join throughput.
const workers = 16

// In the graph all are loops, and each worker has a queue.
var forkJoinThroughput = benchmark{
	name: "fork-join throughput", unit: "message",
	spec:  "One process sends 0 to n-1 to each of 16 workers; worker w adds them up, w more for each, and the sums are joined.",
	sizes: [3]int64{5, 100, 1_000},
	work:  func(n int64) int64 { return n * workers },
	want: func(n int64) (sum int64) {
		for w := range int64(workers) {
			sum += n*(n-1)/2 + w*n
		}
		return sum
	},

	graph: func(s *op.Scope, n tf.Output) tf.Output {
		var queues, sums []tf.Output
		for w := range int64(workers) {
			q := queue(s, -1)
			queues = append(queues, q)
			sums = append(sums, process(s, n, []tf.Output{number(s, 0)}, func(s *op.Scope, _ tf.Output, v []tf.Output) []tf.Output {
				return []tf.Output{op.AddV2(s, v[0], op.AddV2(s, take(s, q), number(s, w)))}
			})[0])
		}
		master := process(s, n, []tf.Output{number(s, 0)}, func(s *op.Scope, i tf.Output, _ []tf.Output) []tf.Output {
			var sent []*tf.Operation
			for _, q := range queues {
				sent = append(sent, put(s, q, i))
			}
			return []tf.Output{after(s, i, sent...)}
		})
		return after(s, op.AddN(s, sums), master[0].Op)
	},
	goroutines: func(n int64) (sum int64) {
		sums, queues := make(chan int64, workers), make([]chan int64, workers)
		for w := range int64(workers) {
			q := make(chan int64, n)
			queues[w] = q
			go func() {
				var own int64
				for i := range q {
					own += i + w
				}
				sums <- own
			}()
		}
		for i := range n {
			for _, q := range queues {
				q <- i
			}
		}
		for _, q := range queues {
			close(q)
		}
		for range workers {
			sum += <-sums
		}
		return sum
	},
	actors: func(s stage, n int64) (sum int64) {
		sums := make(chan int64, workers)
		all := make([]address, workers)
		for w := range int64(workers) {
			var seen, own int64
			all[w] = s.Spawn(func(_ turn, m any) {
				own += m.(int64) + w
				if seen++; seen == n {
					sums <- own
				}
			})
		}
		master := s.Spawn(func(c turn, _ any) {
			for i := range n {
				for _, a := range all {
					c.Send(a, i)
				}
			}
		})
		s.Send(master, "go")
		for range workers {
			sum += <-sums
		}
		return sum
	},
}
