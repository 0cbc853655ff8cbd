package main

import (
	tf "github.com/troupe-go/troupe"
	"github.com/troupe-go/troupe/op"
)

// askers is how many there are in big.
const askers = 8

// told returns what asker t answers to v.
func told(t, v int64) int64 { return (3*v + t) % 1009 }

// In the graph who asks and who answers are two loops, and there are two queues between any
// two: nothing sends to one of several queues by a number that it has been sent.
var big = benchmark{
	name: "big", unit: "question",
	spec:  "8 processes ask each of the others in turn, n times, and wait for each answer, which follows from the question and from who is asked; meanwhile they answer. What they know in the end is added up.",
	sizes: [3]int64{3, 20, 200},
	work:  func(n int64) int64 { return n * askers * (askers - 1) },
	want: func(n int64) (sum int64) {
		for a := range int64(askers) {
			v := a
			for range n {
				for t := int64(1); t < askers; t++ {
					v = told((a+t)%askers, v)
				}
			}
			sum += v
		}
		return sum
	},

	graph: func(s *op.Scope, n tf.Output) tf.Output {
		var ask, answer [askers][askers]tf.Output
		for a := range askers {
			for t := range askers {
				if a != t {
					ask[a][t], answer[a][t] = queue(s, -1), queue(s, -1)
				}
			}
		}
		var known []tf.Output
		var ends []*tf.Operation
		for a := range askers {
			known = append(known, process(s, n, []tf.Output{number(s, int64(a))}, func(s *op.Scope, _ tf.Output, v []tf.Output) []tf.Output {
				x := v[0]
				for k := 1; k < askers; k++ {
					t := (a + k) % askers
					x = take(s, answer[a][t], put(s, ask[a][t], x))
				}
				return []tf.Output{x}
			})[0])
			for t := range askers {
				if t == a {
					continue
				}
				ends = append(ends, process(s, n, []tf.Output{number(s, 0)}, func(s *op.Scope, i tf.Output, _ []tf.Output) []tf.Output {
					x := op.AddV2(s, op.Mul(s, take(s, ask[a][t]), number(s, 3)), number(s, int64(t)))
					return []tf.Output{after(s, i, put(s, answer[a][t], op.FloorMod(s, x, number(s, 1009))))}
				})[0].Op)
			}
		}
		return after(s, op.AddN(s, known), ends...)
	},
	goroutines: func(n int64) (sum int64) {
		type question struct{ value, from int64 }
		var inboxes [askers]chan question
		var answers [askers]chan int64
		for a := range askers {
			inboxes[a], answers[a] = make(chan question, askers), make(chan int64, 1)
		}
		known := make(chan int64, askers)
		for a := range int64(askers) {
			go func() {
				v, asked := a, int64(0)
				ask := func() {
					t := (a + 1 + asked%(askers-1)) % askers
					asked++
					inboxes[t] <- question{v, a}
				}
				ask()
				for left := n * (askers - 1); ; {
					select {
					case v = <-answers[a]:
						if left--; left > 0 {
							ask()
						} else {
							known <- v
						}
					case q, open := <-inboxes[a]:
						if !open {
							return
						}
						answers[q.from] <- told(a, q.value)
					}
				}
			}()
		}
		for range askers {
			sum += <-known
		}
		for _, in := range inboxes {
			close(in)
		}
		return sum
	},
	actors: func(s stage, n int64) (sum int64) {
		type question struct {
			value int64
			from  address
		}
		type answer int64
		known := make(chan int64, askers)
		all := make([]address, askers)
		for a := range int64(askers) {
			v, asked := a, int64(0)
			all[a] = s.Spawn(func(c turn, m any) {
				switch m := m.(type) {
				case question:
					c.Send(m.from, answer(told(a, m.value)))
					return
				case answer:
					v = int64(m)
				}
				if asked == n*(askers-1) {
					known <- v
					return
				}
				t := (a + 1 + asked%(askers-1)) % askers
				asked++
				c.Send(all[t], question{v, c.Self()})
			})
		}
		for _, a := range all {
			s.Send(a, "go")
		}
		for range askers {
			sum += <-known
		}
		return sum
	},
}
