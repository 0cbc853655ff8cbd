package main

import (
	tf "github.com/troupe-go/troupe"
	"github.com/troupe-go/troupe/op"
)

// creatures is how many chameneos there are.
const creatures = 8

// met returns the colour that two chameneos take when they have met: their own if they have the
// same, else the third one. The sum of all colours stays the same modulo 3.
func met(a, b int64) int64 { return (6 - a - b) % 3 }

// In the graph the mall is a queue with one number in it: how many meetings are left, and
// the colour of the creature that waits there. The second one puts its own into another queue.
var chameneos = benchmark{
	name: "chameneos", unit: "meeting",
	spec:  "8 chameneos of three colours meet at a mall, two at a time, until there have been n meetings; both take the same colour, by a rule. Each counts its meetings; counts and colours are added up.",
	sizes: [3]int64{20, 300, 3_000},
	work:  plain,
	want: func(n int64) int64 {
		colours := int64(0)
		for c := range int64(creatures) {
			colours += c % 3
		}
		return 3*2*n + colours%3
	},

	graph: func(s *op.Scope, n tf.Output) tf.Output {
		mall, back := queue(s, 1), queue(s, 1)
		opened := put(s, mall, op.Mul(s, n, number(s, 4)))
		var counts, colours []tf.Output
		var ends []*tf.Operation
		for c := range int64(creatures) {
			v := op.While(s, []tf.Output{take(s, mall, opened), number(s, c%3), number(s, 0)},
				func(s *op.Scope, v []tf.Output) tf.Output { return op.GreaterEqual(s, v[0], number(s, 4)) },
				func(s *op.Scope, v []tf.Output) []tf.Output {
					waits := op.FloorMod(s, v[0], number(s, 4)) // the colour of the one that waits, and 1
					second := op.Greater(s, waits, number(s, 0))
					left, _ := op.Switch(s, v[0], second)
					first, last := op.Switch(s, v[1], second)
					_, other := op.Switch(s, waits, second)

					one := op.AddV2(s, first, number(s, 1))
					came := take(s, back, put(s, mall, op.AddV2(s, left, one)))
					came = after(s, came, put(s.WithControlDependencies(came.Op), mall, op.Sub(s, left, number(s, 4))))
					there := after(s, op.Sub(s, other, number(s, 1)), put(s, back, last))
					colour, _ := op.Merge(s, []tf.Output{came, there})

					sum := op.AddV2(s, v[1], colour)
					return []tf.Output{
						take(s, mall, colour.Op),
						op.FloorMod(s, op.Sub(s, number(s, 6), sum), number(s, 3)),
						op.AddV2(s, v[2], number(s, 1)),
					}
				}, op.WhileParallelIterations(1))
			ends = append(ends, put(s, mall, v[0]))
			colours, counts = append(colours, v[1]), append(counts, v[2])
		}
		closed := take(s, mall, ends...)
		sum := op.Mul(s, op.AddN(s, counts), number(s, 3))
		return after(s, op.AddV2(s, sum, op.FloorMod(s, op.AddN(s, colours), number(s, 3))), closed.Op)
	},
	goroutines: func(n int64) int64 {
		type visit struct {
			colour int64
			other  chan int64
		}
		mall, ends := make(chan visit), make(chan [2]int64)
		for c := range int64(creatures) {
			go func() {
				colour, count, other := c%3, int64(0), make(chan int64, 1)
				for {
					mall <- visit{colour, other}
					o, open := <-other
					if !open {
						break
					}
					colour = met(colour, o)
					count++
				}
				ends <- [2]int64{count, colour}
			}()
		}
		for range n {
			a, b := <-mall, <-mall
			a.other <- b.colour
			b.other <- a.colour
		}
		for range creatures {
			close((<-mall).other)
		}
		var count, colours int64
		for range creatures {
			e := <-ends
			count, colours = count+e[0], colours+e[1]
		}
		return 3*count + colours%3
	},
	actors: func(s stage, n int64) int64 {
		type visit struct {
			colour int64
			from   address
		}
		type meet int64
		type leave struct{}
		ends := make(chan [2]int64, creatures)
		var first *visit
		var meetings int64
		mall := s.Spawn(func(c turn, m any) {
			v := m.(visit)
			switch {
			case meetings == n:
				c.Send(v.from, leave{})
			case first == nil:
				first = &v
			default:
				c.Send(first.from, meet(v.colour))
				c.Send(v.from, meet(first.colour))
				first = nil
				meetings++
			}
		})
		for i := range int64(creatures) {
			colour, count := i%3, int64(0)
			creature := s.Spawn(func(c turn, m any) {
				switch m := m.(type) {
				case meet:
					colour = met(colour, int64(m))
					count++
				case leave:
					ends <- [2]int64{count, colour}
					return
				}
				c.Send(mall, visit{colour, c.Self()})
			})
			s.Send(creature, "go")
		}
		var count, colours int64
		for range creatures {
			e := <-ends
			count, colours = count+e[0], colours+e[1]
		}
		return 3*count + colours%3
	},
}
