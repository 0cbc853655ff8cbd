package main

import (
	tf "github.com/troupe-go/troupe"
	"github.com/troupe-go/troupe/op"
)

// Of logistic map: how many series there are, and the modulus in which they are computed, so that
// terms are whole numbers.
const (
	series    = 8
	mapModulo = 1_000_003
)

// mapped is the next term of a series with a rate.
func mapped(rate, x int64) int64 { return rate * x % mapModulo * (mapModulo - x) % mapModulo }

// In the graph managers and computers are loops, with a queue for each direction.
var logisticMap = benchmark{
	name: "logistic map", unit: "term",
	spec:  "8 series x' = r x (1 - x), modulo a prime, have n terms each. The manager of a series sends each term to the computer of its rate and waits for the next; the last terms are added up.",
	sizes: [3]int64{10, 200, 1_000},
	work:  func(n int64) int64 { return n * series },
	want: func(n int64) (sum int64) {
		for k := range int64(series) {
			x := k + 1
			for range n {
				x = mapped(k+2, x)
			}
			sum += x
		}
		return sum
	},

	graph: func(s *op.Scope, n tf.Output) tf.Output {
		var last []tf.Output
		var computers []*tf.Operation
		for k := range int64(series) {
			there, back := queue(s, -1), queue(s, -1)
			computers = append(computers, process(s, n, []tf.Output{number(s, 0)}, func(s *op.Scope, i tf.Output, _ []tf.Output) []tf.Output {
				x, modulo := take(s, there), number(s, mapModulo)
				y := op.Mod(s, op.Mul(s, number(s, k+2), x), modulo)
				y = op.Mod(s, op.Mul(s, y, op.Sub(s, modulo, x)), modulo)
				return []tf.Output{after(s, i, put(s, back, y))}
			})[0].Op)
			last = append(last, process(s, n, []tf.Output{number(s, k+1)}, func(s *op.Scope, _ tf.Output, v []tf.Output) []tf.Output {
				return []tf.Output{take(s, back, put(s, there, v[0]))}
			})[0])
		}
		return after(s, op.AddN(s, last), computers...)
	},
	goroutines: func(n int64) (sum int64) {
		last := make(chan int64, series)
		for k := range int64(series) {
			there, back := make(chan int64), make(chan int64)
			go func() {
				for x := range there {
					back <- mapped(k+2, x)
				}
			}()
			go func() {
				x := k + 1
				for range n {
					there <- x
					x = <-back
				}
				close(there)
				last <- x
			}()
		}
		for range series {
			sum += <-last
		}
		return sum
	},
	actors: func(s stage, n int64) (sum int64) {
		type request struct {
			x    int64
			from address
		}
		last := make(chan int64, series)
		for k := range int64(series) {
			computer := s.Spawn(func(c turn, m any) {
				r := m.(request)
				c.Send(r.from, mapped(k+2, r.x))
			})
			var terms int64
			manager := s.Spawn(func(c turn, m any) {
				x := m.(int64)
				if terms == n {
					last <- x
					return
				}
				terms++
				c.Send(computer, request{x, c.Self()})
			})
			s.Send(manager, k+1)
		}
		for range series {
			sum += <-last
		}
		return sum
	},
}
