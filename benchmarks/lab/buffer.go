package main

import (
	"sync"

	tf "github.com/troupe-go/troupe"
	"github.com/troupe-go/troupe/op"
)

// Of boundedBuffer: how many produce, and how many consume; what the buffer holds.
const (
	producers  = 4
	bufferSize = 16
)

// In the graph all are loops and the buffer is one queue. Actors have no bounded mailboxes,
// so there the buffer is an actor from which producers request permission.
var boundedBuffer = benchmark{
	name: "bounded buffer", unit: "item",
	spec:  "4 producers put n numbers each into a buffer of 16 places, 4 consumers take n each and add them up; who finds the buffer full or empty waits.",
	sizes: [3]int64{20, 300, 3_000},
	work:  func(n int64) int64 { return n * producers },
	want:  func(n int64) int64 { return producers*(n*(n-1)/2) + n*(producers*(producers-1)/2) },

	graph: func(s *op.Scope, n tf.Output) tf.Output {
		q := queue(s, bufferSize)
		var made []*tf.Operation
		var sums []tf.Output
		for p := range int64(producers) {
			made = append(made, process(s, n, []tf.Output{number(s, 0)}, func(s *op.Scope, i tf.Output, _ []tf.Output) []tf.Output {
				x := op.AddV2(s, i, number(s, p))
				return []tf.Output{after(s, x, put(s, q, x))}
			})[0].Op)
			sums = append(sums, process(s, n, []tf.Output{number(s, 0)}, func(s *op.Scope, _ tf.Output, v []tf.Output) []tf.Output {
				return []tf.Output{op.AddV2(s, v[0], take(s, q))}
			})[0])
		}
		return after(s, op.AddN(s, sums), made...)
	},
	goroutines: func(n int64) (sum int64) {
		q, sums := make(chan int64, bufferSize), make(chan int64, producers)
		var made sync.WaitGroup
		for p := range int64(producers) {
			made.Go(func() {
				for i := range n {
					q <- i + p
				}
			})
			go func() {
				var own int64
				for range n {
					own += <-q
				}
				sums <- own
			}()
		}
		made.Wait()
		for range producers {
			sum += <-sums
		}
		return sum
	},
	actors: func(s stage, n int64) (sum int64) {
		type offer struct {
			value int64
			from  address
		}
		type request struct{ from address }
		type more struct{}
		sums := make(chan int64, producers)

		var items []int64
		var full []offer     // producers that wait, with what they offer
		var hungry []address // consumers that wait
		accept := func(c turn, o offer) {
			items = append(items, o.value)
			c.Send(o.from, more{})
		}
		buffer := s.Spawn(func(c turn, m any) {
			switch m := m.(type) {
			case offer:
				if len(items) == bufferSize {
					full = append(full, m)
					return
				}
				accept(c, m)
			case request:
				hungry = append(hungry, m.from)
			}
			for len(hungry) > 0 && len(items) > 0 {
				c.Send(hungry[0], items[0])
				hungry, items = hungry[1:], items[1:]
				if len(full) > 0 {
					accept(c, full[0])
					full = full[1:]
				}
			}
		})
		for p := range int64(producers) {
			var i int64
			producer := s.Spawn(func(c turn, _ any) {
				if i < n {
					c.Send(buffer, offer{i + p, c.Self()})
					i++
				}
			})
			var seen, own int64
			consumer := s.Spawn(func(c turn, m any) {
				if v, ok := m.(int64); ok {
					own += v
					seen++
				}
				if seen == n {
					sums <- own
					return
				}
				c.Send(buffer, request{c.Self()})
			})
			s.Send(producer, more{})
			s.Send(consumer, more{})
		}
		for range producers {
			sum += <-sums
		}
		return sum
	},
}
