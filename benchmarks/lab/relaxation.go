package main

import (
	tf "github.com/troupe-go/troupe"
	"github.com/troupe-go/troupe/op"
)

// Of successive over-relaxation: how many strips there are, red cells of a strip, as many as black
// ones, the modulus of cells, and what is beside the first and the last.
const (
	relaxStrips = 4
	redCells    = 8
	relaxModulo = 10_007
	leftEdge    = 1
	rightEdge   = 2
)

// relaxed is a cell after it was relaxed, by its neighbours: over-relaxed with 3/2, times 2.
func relaxed(cell, left, right int64) int64 {
	return (3*(left+right) + (relaxModulo-2)*cell) % relaxModulo
}

// cells returns the red and the black cells of a strip, which alternate, before the first iteration.
func cells(strip int64) (red, black [redCells]int64) {
	for i := range int64(redCells) {
		red[i], black[i] = (strip*31+i*7)%100, (strip*17+i*3)%100
	}
	return red, black
}

// relaxReds relaxes the red cells of a strip: left is the black cell before the first.
func relaxReds(red, black *[redCells]int64, left int64) {
	for i := range red {
		red[i] = relaxed(red[i], left, black[i])
		left = black[i]
	}
}

// relaxBlacks relaxes the black cells of a strip: right is the red cell behind the last.
func relaxBlacks(red, black *[redCells]int64, right int64) {
	for i := range black {
		next := right
		if i+1 < redCells {
			next = red[i+1]
		}
		black[i] = relaxed(black[i], red[i], next)
	}
}

// sumOf adds up cells, each times its place in the strip.
func sumOf(red, black *[redCells]int64) (sum int64) {
	for i := range int64(redCells) {
		sum += (2*i+1)*red[i] + (2*i+2)*black[i]
	}
	return sum
}

// In the graph a strip is a loop with its cells as two vectors, and there is a queue for each
// direction between neighbours.
var overRelaxation = benchmark{
	name: "successive over-relaxation", unit: "strip's iteration",
	spec:  "64 cells in a line, red and black in turn, are 4 strips. In each of n iterations a strip sends its last black cell to the strip on its right, relaxes its red cells by their neighbours, sends its first red cell to the strip on its left, and relaxes its black cells. The cells, each times its place in the strip, are added up.",
	sizes: [3]int64{20, 300, 3_000},
	work:  func(n int64) int64 { return n * relaxStrips },
	want: func(n int64) (sum int64) {
		var line [relaxStrips * 2 * redCells]int64
		for k := range int64(relaxStrips) {
			red, black := cells(k)
			for i := range redCells {
				line[int(k)*2*redCells+2*i], line[int(k)*2*redCells+2*i+1] = red[i], black[i]
			}
		}
		at := func(i int) int64 {
			switch {
			case i < 0:
				return leftEdge
			case i == len(line):
				return rightEdge
			}
			return line[i]
		}
		for range n {
			for colour := range 2 {
				for i := colour; i < len(line); i += 2 {
					line[i] = relaxed(line[i], at(i-1), at(i+1))
				}
			}
		}
		for i, c := range line {
			sum += int64(i%(2*redCells)+1) * c
		}
		return sum
	},

	graph: func(s *op.Scope, n tf.Output) tf.Output {
		toRight, toLeft := queues(s, relaxStrips), queues(s, relaxStrips) // by who takes
		axis := op.Const(s, int32(0))
		var sums []tf.Output
		for k := range relaxStrips {
			red, black := cells(int64(k))
			v := process(s, n, []tf.Output{op.Const(s, red[:]), op.Const(s, black[:])}, func(s *op.Scope, _ tf.Output, v []tf.Output) []tf.Output {
				red, black := v[0], v[1]
				one := func(x tf.Output) tf.Output { return op.Reshape(s, x, op.Const(s, []int32{1})) }
				slice := func(x tf.Output, at, n int32) tf.Output {
					return op.Slice(s, x, op.Const(s, []int32{at}), op.Const(s, []int32{n}))
				}
				scalar := func(x tf.Output) tf.Output { return op.Reshape(s, x, op.Const(s, []int32{})) }
				relax := func(cell, left, right tf.Output) tf.Output {
					x := op.Mul(s, op.AddV2(s, left, right), number(s, 3))
					return op.FloorMod(s, op.AddV2(s, x, op.Mul(s, cell, number(s, relaxModulo-2))), number(s, relaxModulo))
				}
				var sent []*tf.Operation
				if k+1 < relaxStrips {
					sent = append(sent, put(s, toRight[k+1], scalar(slice(black, redCells-1, 1))))
				}
				left := number(s, leftEdge)
				if k > 0 {
					left = take(s, toRight[k], sent...)
				}
				red = relax(red, op.ConcatV2(s, []tf.Output{one(left), slice(black, 0, redCells-1)}, axis), black)
				if k > 0 {
					sent = append(sent, put(s, toLeft[k-1], scalar(slice(red, 0, 1))))
				}
				behind := number(s, rightEdge)
				if k+1 < relaxStrips {
					behind = take(s, toLeft[k], sent...)
				}
				black = relax(black, red, op.ConcatV2(s, []tf.Output{slice(red, 1, redCells-1), one(behind)}, axis))
				return []tf.Output{after(s, red, sent...), black}
			})
			places := op.Range(s, number(s, 1), number(s, 2*redCells+1), number(s, 2))
			sum := op.AddV2(s, op.Mul(s, v[0], places), op.Mul(s, v[1], op.AddV2(s, places, number(s, 1))))
			sums = append(sums, op.Sum(s, sum, axis))
		}
		return op.AddN(s, sums)
	},
	goroutines: func(n int64) (sum int64) {
		var toRight, toLeft [relaxStrips]chan int64 // by who takes
		for k := range toRight {
			toRight[k], toLeft[k] = make(chan int64, 1), make(chan int64, 1)
		}
		sums := make(chan int64, relaxStrips)
		for k := range relaxStrips {
			go func() {
				red, black := cells(int64(k))
				for range n {
					before, behind := int64(leftEdge), int64(rightEdge)
					if k+1 < relaxStrips {
						toRight[k+1] <- black[redCells-1]
					}
					if k > 0 {
						before = <-toRight[k]
					}
					relaxReds(&red, &black, before)
					if k > 0 {
						toLeft[k-1] <- red[0]
					}
					if k+1 < relaxStrips {
						behind = <-toLeft[k]
					}
					relaxBlacks(&red, &black, behind)
				}
				sums <- sumOf(&red, &black)
			}()
		}
		for range relaxStrips {
			sum += <-sums
		}
		return sum
	},
	actors: func(s stage, n int64) (sum int64) {
		type black int64 // from the left
		type red int64   // from the right
		type begin struct{}
		sums := make(chan int64, relaxStrips)
		var all [relaxStrips]address
		for k := range relaxStrips {
			reds, blacks := cells(int64(k))
			var before, behind []int64 // that have come
			var done int64
			half := false // the reds of this iteration are relaxed
			send := func(c turn) {
				if k+1 < relaxStrips && done < n {
					c.Send(all[k+1], black(blacks[redCells-1]))
				}
			}
			next := func(list *[]int64, is bool, edge int64) (x int64, ok bool) {
				if is {
					return edge, true
				}
				if len(*list) == 0 {
					return 0, false
				}
				x, *list = (*list)[0], (*list)[1:]
				return x, true
			}
			all[k] = s.Spawn(func(c turn, m any) {
				switch m := m.(type) {
				case black:
					before = append(before, int64(m))
				case red:
					behind = append(behind, int64(m))
				case begin:
					send(c)
					if n == 0 {
						sums <- sumOf(&reds, &blacks)
					}
				}
				for done < n {
					if !half {
						x, ok := next(&before, k == 0, leftEdge)
						if !ok {
							return
						}
						relaxReds(&reds, &blacks, x)
						if half = true; k > 0 {
							c.Send(all[k-1], red(reds[0]))
						}
					}
					x, ok := next(&behind, k+1 == relaxStrips, rightEdge)
					if !ok {
						return
					}
					relaxBlacks(&reds, &blacks, x)
					half = false
					done++
					if send(c); done == n {
						sums <- sumOf(&reds, &blacks)
					}
				}
			})
		}
		for _, a := range all {
			s.Send(a, begin{})
		}
		for range relaxStrips {
			sum += <-sums
		}
		return sum
	},
}
