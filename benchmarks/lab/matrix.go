package main

import (
	tf "github.com/troupe-go/troupe"
	"github.com/troupe-go/troupe/op"
)

// blockSize is how many rows and columns a block of a matrix has.
const blockSize = 16

// factors are the matrices that are multiplied, by row and column, and the weights of what
// comes of it.
func factors(i, j int64) (a, b, weight float64) {
	return float64((3*i + j) % 10), float64((i + 2*j) % 10), float64((i+5*j)%7 + 1)
}

// matrices makes them.
func matrices(n int64) (a, b, weights []float64) {
	for i := range n {
		for j := range n {
			x, y, w := factors(i, j)
			a, b, weights = append(a, x), append(b, y), append(weights, w)
		}
	}
	return a, b, weights
}

// planes are the matrices in a graph.
func planes(s *op.Scope, n tf.Output) (a, b, weights tf.Output) {
	count := op.Range(s, number(s, 0), n, number(s, 1))
	rows, columns := op.ExpandDims(s, count, op.Const(s, int32(1))), op.ExpandDims(s, count, op.Const(s, int32(0)))
	plane := func(ki, kj, modulus, plus int64) tf.Output {
		x := op.AddV2(s, op.Mul(s, rows, number(s, ki)), op.Mul(s, columns, number(s, kj)))
		return op.Cast(s, op.AddV2(s, op.FloorMod(s, x, number(s, modulus)), number(s, plus)), tf.Double)
	}
	return plane(3, 1, 10, 0), plane(1, 2, 10, 0), plane(1, 5, 7, 1)
}

// block computes the block of the product that begins at row and column, and weighs it.
func block(a, b, weights []float64, n, row, column int64) (sum float64) {
	var c [blockSize][blockSize]float64
	for i := range int64(blockSize) {
		for k := range n {
			x, line := a[(row+i)*n+k], b[k*n+column:][:blockSize]
			for j, y := range line {
				c[i][j] += x * y
			}
		}
		for j, w := range weights[(row+i)*n+column:][:blockSize] {
			sum += w * c[i][j]
		}
	}
	return sum
}

// In the graph the blocks are iterations of a loop, ten at a time, and the matrices are made by
// broadcasting.
var matrixMultiplication = benchmark{
	name: "matrix multiplication", unit: "block",
	spec:  "Two matrices of n rows and columns are multiplied; each block of the product, of 16 rows and columns, is computed by a process of its own, which adds up its elements, each times a weight; these sums are added up. The unit is the product of two blocks.",
	sizes: [3]int64{32, 64, 160},
	work:  func(n int64) int64 { m := n / blockSize; return m * m * m },
	want: func(n int64) (sum int64) {
		for i := range n {
			for j := range n {
				var c, w float64
				_, _, w = factors(i, j)
				for k := range n {
					a, _, _ := factors(i, k)
					_, b, _ := factors(k, j)
					c += a * b
				}
				sum += int64(w * c)
			}
		}
		return sum
	},

	graph: func(s *op.Scope, n tf.Output) tf.Output {
		a, b, weights := planes(s, n)
		side := op.FloorDiv(s, n, number(s, blockSize))
		v := op.While(s, []tf.Output{number(s, 0), op.Const(s, 0.0)},
			func(s *op.Scope, v []tf.Output) tf.Output { return op.Less(s, v[0], op.Mul(s, side, side)) },
			func(s *op.Scope, v []tf.Output) []tf.Output {
				zero, size := number(s, 0), number(s, blockSize)
				row, column := op.Mul(s, op.FloorDiv(s, v[0], side), size), op.Mul(s, op.FloorMod(s, v[0], side), size)
				pair := func(x, y tf.Output) tf.Output { return op.Pack(s, []tf.Output{x, y}) }
				c := op.MatMul(s, op.Slice(s, a, pair(row, zero), pair(size, n)), op.Slice(s, b, pair(zero, column), pair(n, size)))
				c = op.Mul(s, c, op.Slice(s, weights, pair(row, column), pair(size, size)))
				return []tf.Output{op.AddV2(s, v[0], number(s, 1)), op.AddV2(s, v[1], op.Sum(s, c, op.Const(s, []int32{0, 1})))}
			})
		return op.Cast(s, v[1], tf.Int64)
	},
	goroutines: func(n int64) int64 {
		a, b, weights := matrices(n)
		sums := make(chan float64, n/blockSize)
		for row := int64(0); row < n; row += blockSize {
			for column := int64(0); column < n; column += blockSize {
				go func() { sums <- block(a, b, weights, n, row, column) }()
			}
		}
		sum := 0.0
		for range n / blockSize * (n / blockSize) {
			sum += <-sums
		}
		return int64(sum)
	},
	actors: func(s stage, n int64) int64 {
		type place struct{ row, column int64 }
		a, b, weights := matrices(n)
		answer := make(chan int64, 1)
		sum, open := 0.0, n/blockSize*(n/blockSize)
		var adder address
		adder = s.Spawn(func(c turn, m any) {
			if v, ok := m.(float64); ok {
				sum += v
				if open--; open == 0 {
					answer <- int64(sum)
				}
				return
			}
			for row := int64(0); row < n; row += blockSize {
				for column := int64(0); column < n; column += blockSize {
					c.Send(c.Spawn(func(c turn, m any) {
						p := m.(place)
						c.Send(adder, block(a, b, weights, n, p.row, p.column))
						c.Stop()
					}), place{row, column})
				}
			}
		})
		s.Send(adder, "go")
		return <-answer
	},
}
