package main

import (
	tf "github.com/troupe-go/troupe"
	"github.com/troupe-go/troupe/op"
)

// Of trapezoid: how many processes share the intervals, and the modulus of the function, so that
// areas are whole numbers.
const (
	strips       = 8
	heightModulo = 10_007
)

// height is the function whose area is approximated.
func height(x int64) int64 { return (x*x + 3*x + 1) % heightModulo }

// In the graph the processes are loops. They share nothing, so this is the cost of arithmetic.
var trapezoid = benchmark{
	name: "trapezoid", unit: "interval",
	spec:  "The area below a function over 8n intervals is approximated by trapezoids: each of 8 processes adds up those of every eighth interval, and the sums are added up.",
	sizes: [3]int64{20, 1_000, 10_000},
	work:  func(n int64) int64 { return n * strips },
	want: func(n int64) (area int64) {
		for x := range strips*n + 1 {
			area += 2 * height(x)
		}
		return area - height(0) - height(strips*n)
	},

	graph: func(s *op.Scope, n tf.Output) tf.Output {
		at := func(s *op.Scope, x tf.Output) tf.Output {
			y := op.AddV2(s, op.AddV2(s, op.Mul(s, x, x), op.Mul(s, x, number(s, 3))), number(s, 1))
			return op.Mod(s, y, number(s, heightModulo))
		}
		var sums []tf.Output
		for p := range int64(strips) {
			sums = append(sums, process(s, n, []tf.Output{number(s, 0)}, func(s *op.Scope, i tf.Output, v []tf.Output) []tf.Output {
				x := op.AddV2(s, op.Mul(s, i, number(s, strips)), number(s, p))
				both := op.AddV2(s, at(s, x), at(s, op.AddV2(s, x, number(s, 1))))
				return []tf.Output{op.AddV2(s, v[0], both)}
			})[0])
		}
		return op.AddN(s, sums)
	},
	goroutines: func(n int64) (area int64) {
		sums := make(chan int64, strips)
		for p := range int64(strips) {
			go func() { sums <- strip(p, n) }()
		}
		for range strips {
			area += <-sums
		}
		return area
	},
	actors: func(s stage, n int64) (area int64) {
		sums := make(chan int64, strips)
		for p := range int64(strips) {
			a := s.Spawn(func(_ turn, m any) { sums <- strip(p, m.(int64)) })
			s.Send(a, n)
		}
		for range strips {
			area += <-sums
		}
		return area
	},
}

// strip adds up every eighth interval from p on.
func strip(p, n int64) (area int64) {
	for i := range n {
		x := i*strips + p
		area += height(x) + height(x+1)
	}
	return area
}
