package main

import (
	"fmt"

	tf "github.com/troupe-go/troupe"

	"github.com/troupe-go/troupe/graph/notation"
	"github.com/troupe-go/troupe/op"
)

// quadrantsText is a function that calls itself eight times.
const quadrantsText = `
product = Product(%s, %s)
func Product(a: double, b: double) -> (c: double) {
  shape = Shape(a) {T=DT_DOUBLE, out_type=DT_INT32}
  zero = Const() {dtype=DT_INT32, value=Tensor<type: int32 shape: [] values: 0>}
  n = GatherV2(shape:output:0, zero:output:0, zero:output:0) {Tparams=DT_INT32, Tindices=DT_INT32, Taxis=DT_INT32}
  size = Const() {dtype=DT_INT32, value=Tensor<type: int32 shape: [] values: 17>}
  small = Less(n:output:0, size:output:0) {T=DT_INT32}
  if = StatelessIf(small:z:0, a, b) {Tcond=DT_BOOL, Tin=[DT_DOUBLE, DT_DOUBLE], Tout=[DT_DOUBLE], then_branch=func ProductBlock, else_branch=func ProductParts}
  return c = if:output:0
}
func ProductBlock(a: double, b: double) -> (c: double) {
  c = MatMul(a, b) {T=DT_DOUBLE}
  return c = c:product:0
}
func ProductParts(a: double, b: double) -> (c: double) {
  zero = Const() {dtype=DT_INT32, value=Tensor<type: int32 shape: [] values: 0>}
  one = Const() {dtype=DT_INT32, value=Tensor<type: int32 shape: [] values: 1>}
  a12 = Split(zero:output:0, a) {T=DT_DOUBLE, num_split=2}
  a1 = Split(one:output:0, a12:output:0) {T=DT_DOUBLE, num_split=2}
  a2 = Split(one:output:0, a12:output:1) {T=DT_DOUBLE, num_split=2}
  b12 = Split(zero:output:0, b) {T=DT_DOUBLE, num_split=2}
  b1 = Split(one:output:0, b12:output:0) {T=DT_DOUBLE, num_split=2}
  b2 = Split(one:output:0, b12:output:1) {T=DT_DOUBLE, num_split=2}
  p1 = Product(a1:output:0, b1:output:0)
  p2 = Product(a1:output:1, b2:output:0)
  p3 = Product(a1:output:0, b1:output:1)
  p4 = Product(a1:output:1, b2:output:1)
  p5 = Product(a2:output:0, b1:output:0)
  p6 = Product(a2:output:1, b2:output:0)
  p7 = Product(a2:output:0, b1:output:1)
  p8 = Product(a2:output:1, b2:output:1)
  c1 = AddV2(p1:c:0, p2:c:0) {T=DT_DOUBLE}
  c2 = AddV2(p3:c:0, p4:c:0) {T=DT_DOUBLE}
  c3 = AddV2(p5:c:0, p6:c:0) {T=DT_DOUBLE}
  c4 = AddV2(p7:c:0, p8:c:0) {T=DT_DOUBLE}
  top = ConcatV2(c1:z:0, c2:z:0, one:output:0) {T=DT_DOUBLE, N=2, Tidx=DT_INT32}
  bottom = ConcatV2(c3:z:0, c4:z:0, one:output:0) {T=DT_DOUBLE, N=2, Tidx=DT_INT32}
  c = ConcatV2(top:output:0, bottom:output:0, zero:output:0) {T=DT_DOUBLE, N=2, Tidx=DT_INT32}
  return c = c:output:0
}
`

// A square is a part of a matrix of n rows.
type square struct {
	elements []float64
	n        int64 // rows of the matrix
	at       int64 // the first element
	size     int64
}

// part returns a quarter of a square.
func (q square) part(row, column int64) square {
	half := q.size / 2
	return square{q.elements, q.n, q.at + row*half*q.n + column*half, half}
}

// times multiplies squares of one block.
func (q square) times(r square) []float64 {
	c := make([]float64, q.size*q.size)
	for i := range q.size {
		to := c[i*q.size:][:q.size]
		for k := range q.size {
			x := q.elements[q.at+i*q.n+k]
			for j, y := range r.elements[r.at+k*r.n:][:q.size] {
				to[j] += x * y
			}
		}
	}
	return c
}

// quarter adds two products to a quarter of one of size columns.
func quarter(c, x, y []float64, size, row, column int64) {
	half := size / 2
	for i := range half {
		to := c[(row*half+i)*size+column*half:][:half]
		for j := range to {
			to[j] = x[i*half+int64(j)] + y[i*half+int64(j)]
		}
	}
}

// weightOf adds up a product's elements, each times its weight.
func weightOf(c, weights []float64) int64 {
	sum := 0.0
	for i, w := range weights {
		sum += w * c[i]
	}
	return int64(sum)
}

// In the graph a process is a call of a function. Sizes are powers of two.
var recursiveMatrices = benchmark{
	name: "recursive matrix multiplication", unit: "block",
	spec:  "Two matrices of n rows and columns are multiplied: a process divides each into quarters, gives the eight products of quarters to processes of their own, and adds them up; matrices of 16 rows are multiplied at once. The elements of the product, each times a weight, are added up. The unit is the product of two blocks.",
	sizes: [3]int64{32, 64, 256},
	work:  matrixMultiplication.work,
	want:  matrixMultiplication.want,

	graph: func(s *op.Scope, n tf.Output) tf.Output {
		g := n.Op.Graph()
		a, b, weights := planes(s, n)
		if s.Err() != nil {
			return tf.Output{}
		}
		if err := notation.Add(g, fmt.Sprintf(quadrantsText, a.Op.Name(), b.Op.Name())); err != nil {
			s.UpdateErr("Product", err)
			return tf.Output{}
		}
		c := op.Mul(s, g.Operation("product").Output(0), weights)
		return op.Cast(s, op.Sum(s, c, op.Const(s, []int32{0, 1})), tf.Int64)
	},
	goroutines: func(n int64) int64 {
		a, b, weights := matrices(n)
		answer := make(chan []float64, 1)
		go productGoroutine(square{a, n, 0, n}, square{b, n, 0, n}, answer)
		return weightOf(<-answer, weights)
	},
	actors: func(s stage, n int64) int64 {
		a, b, weights := matrices(n)
		answer := make(chan int64, 1)
		var top address
		top = s.Spawn(func(c turn, m any) {
			if p, ok := m.(productPart); ok {
				answer <- weightOf(p.elements, weights)
				return
			}
			c.Send(c.Spawn(productActor(top, 0)), toMultiply{square{a, n, 0, n}, square{b, n, 0, n}})
		})
		s.Send(top, "go")
		return <-answer
	},
}

func productGoroutine(a, b square, answer chan<- []float64) {
	if a.size <= blockSize {
		answer <- a.times(b)
		return
	}
	var parts [8]chan []float64
	for k := range parts {
		i, j, l := int64(k)/4, int64(k)/2%2, int64(k)%2
		parts[k] = make(chan []float64, 1)
		go productGoroutine(a.part(i, l), b.part(l, j), parts[k])
	}
	c := make([]float64, a.size*a.size)
	for k := 0; k < 8; k += 2 {
		quarter(c, <-parts[k], <-parts[k+1], a.size, int64(k)/4, int64(k)/2%2)
	}
	answer <- c
}

// toMultiply requests a product from an actor; the reply is a productPart.
type toMultiply struct{ a, b square }

type productPart struct {
	part     int
	elements []float64
}

// productActor returns an actor for one product, which stops after its reply.
func productActor(parent address, part int) behaviour {
	var parts [8][]float64
	var size int64
	open := 8
	return func(c turn, m any) {
		switch m := m.(type) {
		case toMultiply:
			if size = m.a.size; size <= blockSize {
				c.Send(parent, productPart{part, m.a.times(m.b)})
				c.Stop()
				return
			}
			self := c.Self()
			for k := range parts {
				i, j, l := int64(k)/4, int64(k)/2%2, int64(k)%2
				c.Send(c.Spawn(productActor(self, k)), toMultiply{m.a.part(i, l), m.b.part(l, j)})
			}
		case productPart:
			parts[m.part] = m.elements
			if open--; open > 0 {
				return
			}
			all := make([]float64, size*size)
			for k := 0; k < 8; k += 2 {
				quarter(all, parts[k], parts[k+1], size, int64(k)/4, int64(k)/2%2)
			}
			c.Send(parent, productPart{part, all})
			c.Stop()
		}
	}
}
