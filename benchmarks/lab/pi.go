package main

import (
	tf "github.com/troupe-go/troupe"
	"github.com/troupe-go/troupe/op"
)

// Of pi: how many workers there are, and what stands for 1.
const (
	piWorkers = 8
	piScale   = 4_000_000_000_000_000
)

// piTerm is a term of Leibniz's series for pi, in units of piScale/4.
func piTerm(i int64) int64 {
	if i%2 == 1 {
		return -(piScale / (2*i + 1))
	}
	return piScale / (2*i + 1)
}

// In the graph the manager and the workers are loops. Workers take indices from one queue, so that
// whoever is idle has the next, and return terms by another.
var precisePi = benchmark{
	name: "precise pi", unit: "term",
	spec:  "n terms of Leibniz's series for pi, in numbers of 15 digits: a manager hands the index of the next term to whichever of 8 workers is idle, and adds up the terms that they return.",
	sizes: [3]int64{20, 500, 5_000},
	work:  plain,
	want: func(n int64) (sum int64) {
		for i := range n {
			sum += piTerm(i)
		}
		return sum
	},

	graph: func(s *op.Scope, n tf.Output) tf.Output {
		work, terms := queue(s, -1), queue(s, -1)
		var ends []*tf.Operation
		for range piWorkers {
			ends = append(ends, server(s, work, []tf.Output{number(s, 0)}, func(s *op.Scope, i tf.Output, v []tf.Output) []tf.Output {
				one, two := number(s, 1), number(s, 2)
				term := op.FloorDiv(s, number(s, piScale), op.AddV2(s, op.Mul(s, i, two), one))
				sign := op.Sub(s, one, op.Mul(s, two, op.FloorMod(s, i, two)))
				return []tf.Output{after(s, v[0], put(s, terms, unless(s, i, op.Mul(s, sign, term))))}
			})[0].Op)
		}
		sent := process(s, n, []tf.Output{number(s, 0)}, func(s *op.Scope, i tf.Output, _ []tf.Output) []tf.Output {
			return []tf.Output{after(s, i, put(s, work, i))}
		})
		for range piWorkers {
			ends = append(ends, put(s.WithControlDependencies(sent[0].Op), work, number(s, -1)))
		}
		sum := process(s, op.AddV2(s, n, number(s, piWorkers)), []tf.Output{number(s, 0)}, func(s *op.Scope, _ tf.Output, v []tf.Output) []tf.Output {
			return []tf.Output{op.AddV2(s, v[0], take(s, terms))}
		})
		return after(s, sum[0], ends...)
	},
	goroutines: func(n int64) (sum int64) {
		work, terms := make(chan int64), make(chan int64)
		for range piWorkers {
			go func() {
				for i := range work {
					terms <- piTerm(i)
				}
			}()
		}
		go func() {
			for i := range n {
				work <- i
			}
			close(work)
		}()
		for range n {
			sum += <-terms
		}
		return sum
	},
	actors: func(s stage, n int64) int64 {
		type term struct {
			value int64
			from  address // who is idle now
		}
		type index struct {
			i    int64
			from address
		}
		answer := make(chan int64, 1)
		var next, seen, sum int64
		manager := s.Spawn(func(c turn, m any) {
			switch m := m.(type) {
			case term:
				sum += m.value
				if seen++; seen == n {
					answer <- sum
				}
				if next < n {
					c.Send(m.from, index{next, c.Self()})
					next++
				}
			case address: // a worker, when it begins
				if next < n {
					c.Send(m, index{next, c.Self()})
					next++
				}
			}
		})
		if n == 0 {
			return 0
		}
		for range piWorkers {
			s.Send(manager, s.Spawn(func(c turn, m any) {
				i := m.(index)
				c.Send(i.from, term{piTerm(i.i), c.Self()})
			}))
		}
		return <-answer
	},
}
