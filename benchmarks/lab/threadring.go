package main

import (
	tf "github.com/troupe-go/troupe"
	"github.com/troupe-go/troupe/op"
)

// members is how many there are in the ring.
const members = 100

// turned returns what member m makes of the token.
func turned(m, token int64) int64 {
	if m%2 == 0 {
		return m - token
	}
	return token ^ m
}

// In the graph a member is a node, the ring is an iteration of a loop, and the token is a token.
var threadRing = benchmark{
	name: "thread ring", unit: "hop",
	spec:  "A token goes n times round a ring of 100 members; each changes it in its own way and hands it on.",
	sizes: [3]int64{3, 100, 1_000},
	work:  func(n int64) int64 { return n * members },
	want: func(n int64) (token int64) {
		for range n {
			for m := range int64(members) {
				token = turned(m, token)
			}
		}
		return token
	},

	graph: func(s *op.Scope, n tf.Output) tf.Output {
		return process(s, n, []tf.Output{number(s, 0)}, func(s *op.Scope, _ tf.Output, v []tf.Output) []tf.Output {
			token := v[0]
			for m := range int64(members) {
				if m%2 == 0 {
					token = op.Sub(s, number(s, m), token)
				} else {
					token = op.BitwiseXor(s, token, number(s, m))
				}
			}
			return []tf.Output{token}
		})[0]
	},
	goroutines: func(n int64) (token int64) {
		first := make(chan int64)
		last := first
		for m := range int64(members) {
			in, out := last, make(chan int64)
			go func() {
				defer close(out)
				for token := range in {
					out <- turned(m, token)
				}
			}()
			last = out
		}
		for range n {
			first <- token
			token = <-last
		}
		close(first)
		<-last // closed when all members have ended
		return token
	},
	actors: func(s stage, n int64) int64 {
		answer := make(chan int64, 1)
		ring, rounds := make([]address, members), int64(0)
		for m := range int64(members) {
			next := (m + 1) % members
			ring[m] = s.Spawn(func(c turn, message any) {
				token := message.(int64)
				if m == 0 {
					if rounds++; rounds > n {
						answer <- token
						return
					}
				}
				c.Send(ring[next], turned(m, token))
			})
		}
		s.Send(ring[0], int64(0))
		return <-answer
	},
}
