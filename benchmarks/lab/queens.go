package main

import (
	"math/bits"

	tf "github.com/troupe-go/troupe"

	"github.com/troupe-go/troupe/graph/notation"
	"github.com/troupe-go/troupe/op"
)

// queensText is a function that calls itself from a loop: all is the columns of the board as bits, and
// columns, left and right those that are attacked in the next row.
const queensText = `
one = Const() {dtype=DT_INT64, value=Tensor<type: int64 shape: [] values: 1>}
zero = Const() {dtype=DT_INT64, value=Tensor<type: int64 shape: [] values: 0>}
power = LeftShift(one, size/Placeholder)
all = Sub(power, one)
answer_of_queens = Queens(all, zero, zero, zero)
func Queens(all: int64, columns: int64, left: int64, right: int64) -> (count: int64) {
  done = Equal(columns, all) {T=DT_INT64}
  if = StatelessIf(done:z:0, all, columns, left, right) {Tcond=DT_BOOL, Tin=[DT_INT64, DT_INT64, DT_INT64, DT_INT64], Tout=[DT_INT64], then_branch=func QueensDone, else_branch=func QueensTry}
  return count = if:output:0
}
func QueensDone(all: int64, columns: int64, left: int64, right: int64) -> (count: int64) {
  one = Const() {dtype=DT_INT64, value=Tensor<type: int64 shape: [] values: 1>}
  return count = one:output:0
}
func QueensTry(all: int64, columns: int64, left: int64, right: int64) -> (count: int64) {
  zero = Const() {dtype=DT_INT64, value=Tensor<type: int64 shape: [] values: 0>}
  ab = BitwiseOr(columns, left) {T=DT_INT64}
  abc = BitwiseOr(ab:z:0, right) {T=DT_INT64}
  safe = Invert(abc:z:0) {T=DT_INT64}
  free = BitwiseAnd(safe:y:0, all) {T=DT_INT64}
  while = StatelessWhile(free:z:0, zero:output:0, all, columns, left, right) {T=[DT_INT64, DT_INT64, DT_INT64, DT_INT64, DT_INT64, DT_INT64], cond=func QueensFree, body=func QueensPut, parallel_iterations=10}
  return count = while:output:1
}
func QueensFree(free: int64, sum: int64, all: int64, columns: int64, left: int64, right: int64) -> (more: bool) {
  zero = Const() {dtype=DT_INT64, value=Tensor<type: int64 shape: [] values: 0>}
  more = NotEqual(free, zero:output:0) {T=DT_INT64}
  return more = more:z:0
}
func QueensPut(free: int64, sum: int64, all: int64, columns: int64, left: int64, right: int64) -> (free2: int64, sum2: int64, all2: int64, columns2: int64, left2: int64, right2: int64) {
  one = Const() {dtype=DT_INT64, value=Tensor<type: int64 shape: [] values: 1>}
  minus = Neg(free) {T=DT_INT64}
  bit = BitwiseAnd(free, minus:y:0) {T=DT_INT64}
  rest = BitwiseXor(free, bit:z:0) {T=DT_INT64}
  c = BitwiseOr(columns, bit:z:0) {T=DT_INT64}
  l = BitwiseOr(left, bit:z:0) {T=DT_INT64}
  l2 = LeftShift(l:z:0, one:output:0) {T=DT_INT64}
  r = BitwiseOr(right, bit:z:0) {T=DT_INT64}
  r2 = RightShift(r:z:0, one:output:0) {T=DT_INT64}
  call = Queens(all, c:z:0, l2:z:0, r2:z:0)
  total = AddV2(sum, call:count:0) {T=DT_INT64}
  return free2 = rest:z:0
  return sum2 = total:z:0
  return all2 = all
  return columns2 = columns
  return left2 = left
  return right2 = right
}
`

// A board has queens in its first rows: what they attack in the next row, as bits.
type board struct{ all, columns, left, right uint }

func (b board) done() bool { return b.columns == b.all }

// next calls yield with each board that has one queen more.
func (b board) next(yield func(board)) {
	for free := b.all &^ (b.columns | b.left | b.right); free != 0; free &= free - 1 {
		bit := uint(1) << bits.TrailingZeros(free)
		yield(board{b.all, b.columns | bit, (b.left | bit) << 1, (b.right | bit) >> 1})
	}
}

// placements counts boards, by trying all columns of each row.
func placements(n int64, columns []int64) (count int64) {
	count = 1
	for c := range n {
		safe := int64(len(columns)) < n
		for back, other := range columns {
			d := int64(len(columns) - back)
			safe = safe && c != other && c-other != d && other-c != d
		}
		if safe {
			count += placements(n, append(columns[:len(columns):len(columns)], c))
		}
	}
	return count
}

// In the graph a board is a call of a function, with a loop in it that calls the function for the
// boards that have one queen more: steps within the step.
var nQueens = benchmark{
	name: "n-queens", unit: "board",
	spec:  "In how many ways n queens stand on n rows, none attacking another: each board with queens in its first rows is a process, which begins one for each safe place in the next row and adds up what these answer.",
	sizes: [3]int64{4, 6, 8},
	work:  func(n int64) int64 { return placements(n, nil) },
	want:  func(n int64) int64 { return []int64{1, 1, 0, 0, 2, 10, 4, 40, 92, 352, 724}[n] }, // as is known

	graph: func(s *op.Scope, n tf.Output) tf.Output {
		g := n.Op.Graph()
		if err := notation.Add(g, queensText); err != nil {
			s.UpdateErr("Queens", err)
			return tf.Output{}
		}
		return g.Operation("answer_of_queens").Output(0)
	},
	goroutines: func(n int64) int64 {
		answer := make(chan int64, 1)
		go queensGoroutine(board{all: 1<<n - 1}, answer)
		return <-answer
	},
	actors: func(s stage, n int64) int64 {
		answer := make(chan int64, 1)
		var top address
		top = s.Spawn(func(c turn, m any) {
			if v, ok := m.(int64); ok {
				answer <- v
				return
			}
			c.Send(c.Spawn(queensActor(top)), board{all: 1<<n - 1})
		})
		s.Send(top, "go")
		return <-answer
	},
}

func queensGoroutine(b board, answer chan<- int64) {
	if b.done() {
		answer <- 1
		return
	}
	parts, open := make(chan int64, bits.Len(b.all)), 0
	b.next(func(next board) {
		open++
		go queensGoroutine(next, parts)
	})
	sum := int64(0)
	for range open {
		sum += <-parts
	}
	answer <- sum
}

// queensActor returns an actor for one board, and ends when it has answered.
func queensActor(parent address) behaviour {
	var sum int64
	open := 0
	return func(c turn, m any) {
		switch m := m.(type) {
		case board:
			if m.done() {
				sum = 1
				break
			}
			self := c.Self()
			m.next(func(next board) {
				open++
				c.Send(c.Spawn(queensActor(self)), next)
			})
		case int64:
			sum += m
			open--
		}
		if open == 0 {
			c.Send(parent, sum)
			c.Stop()
		}
	}
}
