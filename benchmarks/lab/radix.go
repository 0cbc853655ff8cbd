package main

import (
	"slices"

	tf "github.com/troupe-go/troupe"
	"github.com/troupe-go/troupe/op"
)

// digits is how many bits the numbers of radix sort have.
const digits = 8

// smallKeys are the numbers to be sorted.
func smallKeys(n int64) []int64 {
	keys := sortKeys(n)
	for i := range keys {
		keys[i] %= 1 << digits
	}
	return keys
}

// In the graph the sorters are loops; each has a queue for what it keeps, and one from the sorter
// before it.
var radixSort = benchmark{
	name: "radix sort", unit: "number",
	spec:  "n numbers of 8 bits go through a chain of 8 sorters, one for each bit from the lowest. A sorter lets numbers pass at once in which its bit is 0, keeps the others, and lets them pass after the last. The sorted numbers, each times its place, are added up.",
	sizes: [3]int64{20, 200, 2_000},
	work:  plain,
	want: func(n int64) int64 {
		keys := smallKeys(n)
		slices.Sort(keys)
		return weighed(keys)
	},

	graph: func(s *op.Scope, n tf.Output) tf.Output {
		in := queue(s, -1)
		ends := []*tf.Operation{process(s, n, []tf.Output{number(s, 0)}, func(s *op.Scope, i tf.Output, _ []tf.Output) []tf.Output {
			key := op.FloorMod(s, op.Mul(s, op.Mul(s, i, i), number(s, 7919)), number(s, 1_000_003))
			return []tf.Output{after(s, i, put(s, in, op.FloorMod(s, key, number(s, 1<<digits))))}
		})[0].Op}
		for bit := range digits {
			from, own, to := in, queue(s, -1), queue(s, -1)
			kept := process(s, n, []tf.Output{number(s, 0)}, func(s *op.Scope, _ tf.Output, v []tf.Output) []tf.Output {
				x := take(s, from)
				one := op.FloorMod(s, op.FloorDiv(s, x, number(s, 1<<bit)), number(s, 2))
				sent := route(s, x, one, []tf.Output{to, own})
				return []tf.Output{after(s, op.AddV2(s, v[0], one), sent.Op)}
			})[0]
			ends = append(ends, process(s, kept, []tf.Output{number(s, 0)}, func(s *op.Scope, i tf.Output, _ []tf.Output) []tf.Output {
				return []tf.Output{after(s, i, put(s, to, take(s, own)))}
			})[0].Op)
			in = to
		}
		sum := process(s, n, []tf.Output{number(s, 0)}, func(s *op.Scope, i tf.Output, v []tf.Output) []tf.Output {
			return []tf.Output{op.AddV2(s, v[0], op.Mul(s, i, take(s, in)))}
		})[0]
		return after(s, sum, ends...)
	},
	goroutines: func(n int64) (sum int64) {
		first := make(chan int64, 64)
		last := first
		for bit := range digits {
			in, out := last, make(chan int64, 64)
			go func() {
				defer close(out)
				var kept []int64
				for x := range in {
					if x>>bit&1 == 0 {
						out <- x
					} else {
						kept = append(kept, x)
					}
				}
				for _, x := range kept {
					out <- x
				}
			}()
			last = out
		}
		go func() {
			for _, x := range smallKeys(n) {
				first <- x
			}
			close(first)
		}()
		i := int64(0)
		for x := range last {
			sum += i * x
			i++
		}
		return sum
	},
	actors: func(s stage, n int64) int64 {
		type end struct{}
		answer := make(chan int64, 1)
		var sum, i int64
		to := s.Spawn(func(_ turn, m any) {
			if x, ok := m.(int64); ok {
				sum += i * x
				i++
				return
			}
			answer <- sum
		})
		for bit := digits - 1; bit >= 0; bit-- {
			next := to
			var kept []int64
			to = s.Spawn(func(c turn, m any) {
				x, ok := m.(int64)
				switch {
				case !ok:
					for _, x := range kept {
						c.Send(next, x)
					}
					c.Send(next, end{})
				case x>>bit&1 == 0:
					c.Send(next, x)
				default:
					kept = append(kept, x)
				}
			})
		}
		for _, x := range smallKeys(n) {
			s.Send(to, x)
		}
		s.Send(to, end{})
		return <-answer
	},
}
