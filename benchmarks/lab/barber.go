package main

import (
	tf "github.com/troupe-go/troupe"
	"github.com/troupe-go/troupe/op"
)

// Of the sleeping barber: how many customers there are, and chairs in the waiting room.
const (
	customers = 8
	chairs    = 4
)

// In the graph the barber and the customers are loops, and the waiting room is a queue of so many
// places; each customer has a queue for the bill.
var sleepingBarber = benchmark{
	name: "sleeping barber", unit: "haircut",
	spec:  "8 customers go to the barber n times each. The waiting room has 4 chairs; who finds it full waits outside. The barber cuts one customer's hair at a time, sleeps while nobody waits, and bills each with the number of haircuts so far; customers add up their bills, and the sums are added up.",
	sizes: [3]int64{10, 100, 1_000},
	work:  func(n int64) int64 { return n * customers },
	want:  func(n int64) int64 { n *= customers; return n * (n + 1) / 2 },

	graph: func(s *op.Scope, n tf.Output) tf.Output {
		room, bills := queue(s, chairs), queues(s, customers)
		barber := process(s, op.Mul(s, n, number(s, customers)), []tf.Output{number(s, 0)}, func(s *op.Scope, i tf.Output, _ []tf.Output) []tf.Output {
			return []tf.Output{route(s, op.AddV2(s, i, number(s, 1)), take(s, room), bills)}
		})
		var sums []tf.Output
		for c := range int64(customers) {
			sums = append(sums, process(s, n, []tf.Output{number(s, 0)}, func(s *op.Scope, _ tf.Output, v []tf.Output) []tf.Output {
				return []tf.Output{op.AddV2(s, v[0], take(s, bills[c], put(s, room, number(s, c))))}
			})[0])
		}
		return after(s, op.AddN(s, sums), barber[0].Op)
	},
	goroutines: func(n int64) (sum int64) {
		room, sums := make(chan chan int64, chairs), make(chan int64, customers)
		go func() {
			for i := range n * customers {
				customer := <-room
				customer <- i + 1
			}
		}()
		for range customers {
			go func() {
				bill := make(chan int64, 1)
				var own int64
				for range n {
					room <- bill
					own += <-bill
				}
				sums <- own
			}()
		}
		for range customers {
			sum += <-sums
		}
		return sum
	},
	actors: func(s stage, n int64) (sum int64) {
		type enter struct{ from address }
		type next struct{}
		type cut struct{ customer, room address }
		sums := make(chan int64, customers)
		var cuts int64
		barber := s.Spawn(func(c turn, m any) {
			w := m.(cut)
			cuts++
			c.Send(w.customer, cuts)
			c.Send(w.room, next{})
		})
		// The room has those on chairs, and those outside, who sit down when a chair is free.
		var sitting, outside []address
		busy := false
		room := s.Spawn(func(c turn, m any) {
			switch m := m.(type) {
			case enter:
				if len(sitting) == chairs {
					outside = append(outside, m.from)
					return
				}
				sitting = append(sitting, m.from)
			case next:
				busy = false
			}
			if !busy && len(sitting) > 0 {
				busy = true
				c.Send(barber, cut{sitting[0], c.Self()})
				if sitting = sitting[1:]; len(outside) > 0 {
					sitting, outside = append(sitting, outside[0]), outside[1:]
				}
			}
		})
		for range customers {
			var own, seen int64
			customer := s.Spawn(func(c turn, m any) {
				if bill, ok := m.(int64); ok {
					own += bill
					seen++
				}
				if seen == n {
					sums <- own
					return
				}
				c.Send(room, enter{c.Self()})
			})
			s.Send(customer, next{})
		}
		for range customers {
			sum += <-sums
		}
		return sum
	},
}
