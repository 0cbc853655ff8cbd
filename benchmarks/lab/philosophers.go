package main

import (
	tf "github.com/troupe-go/troupe"
	"github.com/troupe-go/troupe/op"
)

// philosophers is how many sit at the table.
const philosophers = 5

// forks are those of philosopher p, in the order in which all of them take forks, so
// that they cannot wait for each other in a circle.
func forks(p int) (first, second int) {
	a, b := p, (p+1)%philosophers
	return min(a, b), max(a, b)
}

// In the graph philosophers are loops, and a fork is a queue with one number in it, or none
// while somebody has it.
var diningPhilosophers = benchmark{
	name: "dining philosophers", unit: "meal",
	spec:  "5 philosophers eat n times each, with the two forks beside them; a fork counts its meals, and the counts are added up.",
	sizes: [3]int64{10, 200, 2_000},
	work:  func(n int64) int64 { return n * philosophers },
	want:  func(n int64) int64 { return 2 * n * philosophers },

	graph: func(s *op.Scope, n tf.Output) tf.Output {
		var table []tf.Output
		var laid []*tf.Operation
		for range philosophers {
			q := queue(s, 1)
			table = append(table, q)
			laid = append(laid, put(s, q, number(s, 0)))
		}
		var ends []*tf.Operation
		for p := range philosophers {
			first, second := forks(p)
			ends = append(ends, process(s, n, []tf.Output{after(s, number(s, 0), laid...)}, func(s *op.Scope, i tf.Output, _ []tf.Output) []tf.Output {
				a := take(s, table[first])
				b := take(s, table[second], a.Op)
				one := number(s, 1)
				return []tf.Output{after(s, i,
					put(s.WithControlDependencies(b.Op), table[first], op.AddV2(s, a, one)),
					put(s, table[second], op.AddV2(s, b, one)))}
			})[0].Op)
		}
		var meals []tf.Output
		for _, q := range table {
			meals = append(meals, take(s, q, ends...))
		}
		return op.AddN(s, meals)
	},
	goroutines: func(n int64) (meals int64) {
		table := make([]chan int64, philosophers)
		for i := range table {
			table[i] = make(chan int64, 1)
			table[i] <- 0
		}
		done := make(chan struct{})
		for p := range philosophers {
			first, second := forks(p)
			go func() {
				for range n {
					a := <-table[first]
					b := <-table[second]
					table[first] <- a + 1
					table[second] <- b + 1
				}
				done <- struct{}{}
			}()
		}
		for range philosophers {
			<-done
		}
		for _, f := range table {
			meals += <-f
		}
		return meals
	},
	actors: func(s stage, n int64) (meals int64) {
		type take struct{ from address }
		type taken struct{}
		type put struct{}
		counts := make(chan int64, philosophers)
		table := make([]address, philosophers)
		for f := range table {
			var count int64
			var busy bool
			var waiting []address
			table[f] = s.Spawn(func(c turn, m any) {
				switch m := m.(type) {
				case take:
					if busy {
						waiting = append(waiting, m.from)
						return
					}
					busy = true
					c.Send(m.from, taken{})
				case put:
					if count++; count == 2*n {
						counts <- count
					}
					if busy = len(waiting) > 0; busy {
						c.Send(waiting[0], taken{})
						waiting = waiting[1:]
					}
				}
			})
		}
		for p := range philosophers {
			first, second := forks(p)
			var eaten int64
			var held int
			philosopher := s.Spawn(func(c turn, m any) {
				if _, ok := m.(taken); ok {
					if held++; held == 1 {
						c.Send(table[second], take{c.Self()})
						return
					}
					held = 0
					eaten++
					c.Send(table[first], put{})
					c.Send(table[second], put{})
				}
				if eaten < n {
					c.Send(table[first], take{c.Self()})
				}
			})
			s.Send(philosopher, "sit down")
		}
		for range philosophers {
			meals += <-counts
		}
		return meals
	},
}
