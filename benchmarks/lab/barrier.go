package main

import (
	tf "github.com/troupe-go/troupe"
	"github.com/troupe-go/troupe/op"
)

// parties is how many meet at the barrier.
const parties = 8

// contribution returns what party p brings to the round after one whose contributions added up to sum.
func contribution(p, sum int64) int64 { return (sum*(p+2) + p) % 1_000_003 }

// In the graph a party is two or three nodes in the body of a loop, and the barrier is the node
// that adds up what they bring: a node acts when all its inputs have come.
var barrier = benchmark{
	name: "barrier", unit: "arrival",
	spec:  "8 parties meet n times; each brings a number that follows from the sum of those of the round before.",
	sizes: [3]int64{20, 500, 5_000},
	work:  func(n int64) int64 { return n * parties },
	want: func(n int64) (sum int64) {
		for range n {
			var next int64
			for p := range int64(parties) {
				next += contribution(p, sum)
			}
			sum = next
		}
		return sum
	},

	graph: func(s *op.Scope, n tf.Output) tf.Output {
		return process(s, n, []tf.Output{number(s, 0)}, func(s *op.Scope, _ tf.Output, v []tf.Output) []tf.Output {
			var brought []tf.Output
			for p := range int64(parties) {
				x := op.AddV2(s, op.Mul(s, v[0], number(s, p+2)), number(s, p))
				brought = append(brought, op.FloorMod(s, x, number(s, 1_000_003)))
			}
			return []tf.Output{op.AddN(s, brought)}
		})[0]
	},
	goroutines: func(n int64) (sum int64) {
		arrivals, releases := make(chan int64, parties), make([]chan int64, parties)
		for p := range int64(parties) {
			release := make(chan int64, 1)
			releases[p] = release
			go func() {
				for sum := range release {
					arrivals <- contribution(p, sum)
				}
			}()
		}
		for range n {
			for _, r := range releases {
				r <- sum
			}
			sum = 0
			for range parties {
				sum += <-arrivals
			}
		}
		for _, r := range releases {
			close(r)
		}
		return sum
	},
	actors: func(s stage, n int64) int64 {
		type arrival int64
		type release int64
		answer := make(chan int64, 1)
		all := make([]address, parties)
		var rounds, sum int64
		open := 0
		meeting := s.Spawn(func(c turn, m any) {
			if v, ok := m.(arrival); ok {
				sum += int64(v)
				if open--; open > 0 {
					return
				}
			}
			if rounds++; rounds > n {
				answer <- sum
				return
			}
			last := sum
			sum, open = 0, parties
			for _, a := range all {
				c.Send(a, release(last))
			}
		})
		for p := range all {
			all[p] = s.Spawn(func(c turn, m any) {
				c.Send(meeting, arrival(contribution(int64(p), int64(m.(release)))))
			})
		}
		s.Send(meeting, "open")
		return <-answer
	},
}
