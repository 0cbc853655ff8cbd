package main

import (
	tf "github.com/troupe-go/troupe"
	"github.com/troupe-go/troupe/op"
)

// filters is how many primes are sieved with: 2 to 29.
const filters = 10

// In the graph filters are loops with queues between them; a Switch keeps what a filter
// does not let pass from its queue.
var sieve = benchmark{
	name: "sieve", unit: "number",
	spec:  "2 to n+30 go through a chain of 10 filters, a 0 after them; a filter keeps the first number it sees and lets pass what that does not divide. Those that pass all are counted.",
	sizes: [3]int64{20, 200, 2_000},
	work:  plain,
	want: func(n int64) (count int64) {
	numbers:
		for x := int64(2); x <= n+30; x++ {
			for _, p := range []int64{2, 3, 5, 7, 11, 13, 17, 19, 23, 29} {
				if x%p == 0 {
					continue numbers
				}
			}
			count++
		}
		return count
	},

	graph: func(s *op.Scope, n tf.Output) tf.Output {
		// until is a loop that ends when its last variable is 0.
		until := func(vars []tf.Output, body func(s *op.Scope, v []tf.Output) []tf.Output) []tf.Output {
			return op.While(s, vars,
				func(s *op.Scope, v []tf.Output) tf.Output { return op.NotEqual(s, v[len(v)-1], number(s, 0)) },
				body, op.WhileParallelIterations(1))
		}
		first := queue(s, -1)
		sent := process(s, op.AddV2(s, n, number(s, 29)), []tf.Output{number(s, 0)}, func(s *op.Scope, i tf.Output, _ []tf.Output) []tf.Output {
			return []tf.Output{after(s, i, put(s, first, op.AddV2(s, i, number(s, 2))))}
		})
		ends := []*tf.Operation{put(s.WithControlDependencies(sent[0].Op), first, number(s, 0))}
		in := first
		for range filters {
			from, to := in, queue(s, -1)
			ends = append(ends, until([]tf.Output{number(s, 0), number(s, 1)}, func(s *op.Scope, v []tf.Output) []tf.Output {
				prime, x := v[0], take(s, from)
				zero, one := number(s, 0), number(s, 1)
				passes := op.LogicalOr(s, op.Equal(s, x, zero),
					op.NotEqual(s, op.FloorMod(s, x, op.Maximum(s, prime, one)), zero))
				kept, passed := op.Switch(s, x, passes)
				seen, _ := op.Merge(s, []tf.Output{kept, after(s, passed, put(s, to, passed))})
				return []tf.Output{op.SelectV2(s, op.Equal(s, prime, zero), x, prime), seen}
			})[0].Op)
			in = to
		}
		count := until([]tf.Output{number(s, -1), number(s, 1)}, func(s *op.Scope, v []tf.Output) []tf.Output {
			return []tf.Output{op.AddV2(s, v[0], number(s, 1)), take(s, in)}
		})
		return after(s, count[0], ends...)
	},
	goroutines: func(n int64) (count int64) {
		first := make(chan int64, 64)
		last := first
		for range filters {
			in, out := last, make(chan int64, 64)
			go func() {
				defer close(out)
				prime := <-in
				for x := range in {
					if x%prime != 0 {
						out <- x
					}
				}
			}()
			last = out
		}
		go func() {
			defer close(first)
			for x := int64(2); x <= n+30; x++ {
				first <- x
			}
		}()
		for range last {
			count++
		}
		return count
	},
	actors: func(s stage, n int64) int64 {
		answer := make(chan int64, 1)
		var count int64
		next := s.Spawn(func(_ turn, m any) {
			if m.(int64) == 0 {
				answer <- count
			}
			count++
		})
		for range filters {
			to, prime := next, int64(0)
			next = s.Spawn(func(c turn, m any) {
				switch x := m.(int64); {
				case prime == 0:
					prime = x
				case x == 0 || x%prime != 0:
					c.Send(to, x)
				}
			})
		}
		source := s.Spawn(func(c turn, _ any) {
			for x := int64(2); x <= n+30; x++ {
				c.Send(next, x)
			}
			c.Send(next, int64(0))
		})
		s.Send(source, "go")
		return <-answer
	},
}
