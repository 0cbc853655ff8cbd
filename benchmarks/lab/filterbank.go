package main

import (
	tf "github.com/troupe-go/troupe"
	"github.com/troupe-go/troupe/op"
)

// Of filter bank: how many filters there are, and the modulus of samples.
const (
	bankFilters = 8
	bankModulo  = 1_000_003
)

// sample is what comes in.
func sample(i int64) int64 { return (i*i*31 + 7*i) % 1009 }

// filtered is what filter k makes of a sample and the three before it.
func filtered(k, a, b, c, d int64) int64 {
	return (a*(k+1) + b*(k+2)*2 + c*(k+3)*3 + d*(k+4)*4) % bankModulo
}

// In the graph all are loops, with a queue between two; the samples before are the loop's variables.
var filterBank = benchmark{
	name: "filter bank", unit: "sample",
	spec:  "A source sends n samples to each of 8 chains of two filters, each of which adds up a sample and the three before it, times factors of its own. A process adds up what comes from all chains, sample by sample, as a sum and as a sum of sums.",
	sizes: [3]int64{10, 100, 1_000},
	work:  plain,
	want: func(n int64) (total int64) {
		delayed := func(in []int64, k int64) (out []int64) {
			at := func(i int) int64 {
				if i < 0 {
					return 0
				}
				return in[i]
			}
			for i := range in {
				out = append(out, filtered(k, at(i), at(i-1), at(i-2), at(i-3)))
			}
			return out
		}
		var in []int64
		for i := range n {
			in = append(in, sample(i))
		}
		sums := make([]int64, n)
		for k := range int64(bankFilters) {
			for i, x := range delayed(delayed(in, k), k+1) {
				sums[i] += x
			}
		}
		for _, x := range sums {
			total = (3*total + x) % bankModulo
		}
		return total
	},

	graph: func(s *op.Scope, n tf.Output) tf.Output {
		first := queues(s, bankFilters)
		ends := []*tf.Operation{process(s, n, []tf.Output{number(s, 0)}, func(s *op.Scope, i tf.Output, _ []tf.Output) []tf.Output {
			x := op.AddV2(s, op.Mul(s, op.Mul(s, i, i), number(s, 31)), op.Mul(s, i, number(s, 7)))
			x = op.FloorMod(s, x, number(s, 1009))
			var sent []*tf.Operation
			for _, q := range first {
				sent = append(sent, put(s, q, x))
			}
			return []tf.Output{after(s, i, sent...)}
		})[0].Op}
		filter := func(k int64, from, to tf.Output) {
			zero := number(s, 0)
			ends = append(ends, process(s, n, []tf.Output{zero, zero, zero}, func(s *op.Scope, _ tf.Output, v []tf.Output) []tf.Output {
				x := take(s, from)
				factor := func(x tf.Output, f int64) tf.Output { return op.Mul(s, x, number(s, f)) }
				y := op.AddV2(s, op.AddV2(s, factor(x, k+1), factor(v[0], (k+2)*2)), op.AddV2(s, factor(v[1], (k+3)*3), factor(v[2], (k+4)*4)))
				sent := put(s, to, op.FloorMod(s, y, number(s, bankModulo)))
				return []tf.Output{after(s, x, sent), v[0], v[1]}
			})[0].Op)
		}
		second, last := queues(s, bankFilters), queues(s, bankFilters)
		for k := range int64(bankFilters) {
			filter(k, first[k], second[k])
			filter(k+1, second[k], last[k])
		}
		total := process(s, n, []tf.Output{number(s, 0)}, func(s *op.Scope, _ tf.Output, v []tf.Output) []tf.Output {
			sum := op.Mul(s, v[0], number(s, 3))
			for _, q := range last {
				sum = op.AddV2(s, sum, take(s, q))
			}
			return []tf.Output{op.FloorMod(s, sum, number(s, bankModulo))}
		})
		return after(s, total[0], ends...)
	},
	goroutines: func(n int64) (total int64) {
		const room = 64
		filter := func(k int64, in <-chan int64) <-chan int64 {
			out := make(chan int64, room)
			go func() {
				defer close(out)
				var b, c, d int64
				for x := range in {
					out <- filtered(k, x, b, c, d)
					b, c, d = x, b, c
				}
			}()
			return out
		}
		first, last := make([]chan int64, bankFilters), make([]<-chan int64, bankFilters)
		for k := range first {
			first[k] = make(chan int64, room)
			last[k] = filter(int64(k)+1, filter(int64(k), first[k]))
		}
		go func() {
			for i := range n {
				for _, q := range first {
					q <- sample(i)
				}
			}
			for _, q := range first {
				close(q)
			}
		}()
		for range n {
			total *= 3
			for _, q := range last {
				total += <-q
			}
			total %= bankModulo
		}
		return total
	},
	actors: func(s stage, n int64) int64 {
		type passed struct{ chain, value int64 }
		answer := make(chan int64, 1)
		waiting := make([][]int64, bankFilters)
		var total, seen int64
		adder := s.Spawn(func(_ turn, m any) {
			p := m.(passed)
			waiting[p.chain] = append(waiting[p.chain], p.value)
			for _, w := range waiting {
				if len(w) == 0 {
					return
				}
			}
			total *= 3
			for k, w := range waiting {
				total += w[0]
				waiting[k] = w[1:]
			}
			total %= bankModulo
			if seen++; seen == n {
				answer <- total
			}
		})
		filter := func(k int64, send func(c turn, y int64)) address {
			var b, c, d int64
			return s.Spawn(func(t turn, m any) {
				x := m.(int64)
				send(t, filtered(k, x, b, c, d))
				b, c, d = x, b, c
			})
		}
		var first []address
		for k := range int64(bankFilters) {
			second := filter(k+1, func(c turn, y int64) { c.Send(adder, passed{k, y}) })
			first = append(first, filter(k, func(c turn, y int64) { c.Send(second, y) }))
		}
		for i := range n {
			for _, f := range first {
				s.Send(f, sample(i))
			}
		}
		return <-answer
	},
}
