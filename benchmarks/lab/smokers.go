package main

import (
	tf "github.com/troupe-go/troupe"
	"github.com/troupe-go/troupe/op"
)

// Of the cigarette smokers: how many there are, and the modulus of their numbers.
const (
	smokers      = 8
	smokerModulo = 1_000_003
)

// lit is what a smoker with number k makes of the arbiter's number.
func lit(k, x int64) int64 { return (x*(k+2) + k) % smokerModulo }

// In the graph the arbiter and the smokers are loops. The arbiter puts ingredients into the queue of
// the one that it chooses.
var cigaretteSmokers = benchmark{
	name: "cigarette smokers", unit: "cigarette",
	spec:  "An arbiter chooses one of 8 smokers n times, by a number that the one before has made, gives it the ingredients, and waits until it smokes. The smoker makes the next number of the arbiter's and of its own.",
	sizes: [3]int64{20, 500, 5_000},
	work:  plain,
	want: func(n int64) int64 {
		x := int64(1)
		for range n {
			x = lit(x%smokers, x)
		}
		return x
	},

	graph: func(s *op.Scope, n tf.Output) tf.Output {
		tables, smoking := queues(s, smokers), queue(s, -1)
		x := process(s, n, []tf.Output{number(s, 1)}, func(s *op.Scope, _ tf.Output, v []tf.Output) []tf.Output {
			return []tf.Output{take(s, smoking, route(s, v[0], op.FloorMod(s, v[0], number(s, smokers)), tables).Op)}
		})[0]
		var ends []*tf.Operation
		for k := range int64(smokers) {
			ends = append(ends, put(s.WithControlDependencies(x.Op), tables[k], number(s, -1)))
			ends = append(ends, server(s, tables[k], []tf.Output{number(s, 0)}, func(s *op.Scope, x tf.Output, v []tf.Output) []tf.Output {
				y := op.AddV2(s, op.Mul(s, x, number(s, k+2)), number(s, k))
				smokes := op.GreaterEqual(s, x, number(s, 0))
				end, next := op.Switch(s, op.FloorMod(s, y, number(s, smokerModulo)), smokes)
				out, _ := op.Merge(s, []tf.Output{after(s, next, put(s, smoking, next)), end})
				return []tf.Output{out}
			})[0].Op)
		}
		return after(s, x, ends...)
	},
	goroutines: func(n int64) int64 {
		tables, smoking := make([]chan int64, smokers), make(chan int64)
		for k := range tables {
			tables[k] = make(chan int64)
			go func() {
				for x := range tables[k] {
					smoking <- lit(int64(k), x)
				}
			}()
		}
		x := int64(1)
		for range n {
			tables[x%smokers] <- x
			x = <-smoking
		}
		for _, t := range tables {
			close(t)
		}
		return x
	},
	actors: func(s stage, n int64) int64 {
		type ingredients struct {
			x       int64
			arbiter address
		}
		answer := make(chan int64, 1)
		all := make([]address, smokers)
		for k := range all {
			all[k] = s.Spawn(func(c turn, m any) {
				i := m.(ingredients)
				c.Send(i.arbiter, lit(int64(k), i.x))
			})
		}
		var rounds int64
		arbiter := s.Spawn(func(c turn, m any) {
			x := m.(int64)
			if rounds == n {
				answer <- x
				return
			}
			rounds++
			c.Send(all[x%smokers], ingredients{x, c.Self()})
		})
		s.Send(arbiter, int64(1))
		return <-answer
	},
}
