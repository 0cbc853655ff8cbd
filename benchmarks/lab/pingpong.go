package main

import (
	tf "github.com/troupe-go/troupe"
	"github.com/troupe-go/troupe/op"
)

// In the graph the two are loops and their mailboxes queues.
var pingPong = benchmark{
	name: "ping-pong", unit: "message",
	spec:  "Two processes send a number to and fro, n times; each adds one to it.",
	sizes: [3]int64{50, 1_000, 10_000},
	work:  func(n int64) int64 { return 2 * n },
	want:  func(n int64) int64 { return 2 * n },

	graph: func(s *op.Scope, n tf.Output) tf.Output {
		there, back := queue(s, 1), queue(s, 1)
		ping := process(s, n, []tf.Output{number(s, 0)}, func(s *op.Scope, _ tf.Output, v []tf.Output) []tf.Output {
			sent := put(s, there, op.AddV2(s, v[0], number(s, 1)))
			return []tf.Output{take(s, back, sent)}
		})
		pong := process(s, n, []tf.Output{number(s, 0)}, func(s *op.Scope, _ tf.Output, v []tf.Output) []tf.Output {
			x := op.AddV2(s, take(s, there), number(s, 1))
			return []tf.Output{after(s, x, put(s, back, x))}
		})
		return after(s, ping[0], pong[0].Op)
	},
	goroutines: func(n int64) (v int64) {
		there, back := make(chan int64), make(chan int64)
		go func() {
			for range n {
				back <- <-there + 1
			}
		}()
		for range n {
			there <- v + 1
			v = <-back
		}
		return v
	},
	actors: func(s stage, n int64) int64 {
		answer := make(chan int64, 1)
		var ping, pong address
		pong = s.Spawn(func(c turn, m any) { c.Send(ping, m.(int64)+1) })
		ping = s.Spawn(func(c turn, m any) {
			if v := m.(int64); v < 2*n {
				c.Send(pong, v+1)
			} else {
				answer <- v
			}
		})
		s.Send(ping, int64(0))
		return <-answer
	},
}
