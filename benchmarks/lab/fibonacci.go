package main

import (
	tf "github.com/troupe-go/troupe"

	"github.com/troupe-go/troupe/graph/notation"
	"github.com/troupe-go/troupe/op"
)

// recursive is a function that calls itself.
const recursive = `
answer_of_fib = Fib(size/Placeholder)
func Fib(n: int64) -> (y: int64) {
  two = Const() {dtype=DT_INT64, value=Tensor<type: int64 shape: [] values: 2>}
  small = Less(n, two:output:0) {T=DT_INT64}
  if = StatelessIf(small:z:0, n) {Tcond=DT_BOOL, Tin=[DT_INT64], Tout=[DT_INT64], then_branch=func FibSame, else_branch=func FibSum}
  return y = if:output:0
}
func FibSame(n: int64) -> (y: int64) {
  return y = n
}
func FibSum(n: int64) -> (y: int64) {
  one = Const() {dtype=DT_INT64, value=Tensor<type: int64 shape: [] values: 1>}
  two = Const() {dtype=DT_INT64, value=Tensor<type: int64 shape: [] values: 2>}
  less1 = Sub(n, one:output:0) {T=DT_INT64}
  less2 = Sub(n, two:output:0) {T=DT_INT64}
  a = Fib(less1:z:0)
  b = Fib(less2:z:0)
  sum = AddV2(a:y:0, b:y:0) {T=DT_INT64}
  return y = sum:z:0
}
`

// fib returns the Fibonacci number of n.
func fib(n int64) int64 {
	a, b := int64(0), int64(1)
	for range n {
		a, b = b, a+b
	}
	return a
}

// In the graph a call is a call of a function: a step within the step.
var fibonacci = benchmark{
	name: "Fibonacci", unit: "call",
	spec:  "The n-th Fibonacci number by two recursive calls side by side; each call is a process that lives until it has answered.",
	sizes: [3]int64{8, 12, 17},
	work:  func(n int64) int64 { return 2*fib(n+1) - 1 },
	want:  fib,

	graph: func(s *op.Scope, n tf.Output) tf.Output {
		g := n.Op.Graph()
		if err := notation.Add(g, recursive); err != nil {
			s.UpdateErr("Fib", err)
			return tf.Output{}
		}
		return g.Operation("answer_of_fib").Output(0)
	},
	goroutines: func(n int64) int64 {
		answer := make(chan int64, 1)
		go fibGoroutine(n, answer)
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
			c.Send(c.Spawn(fibActor(top)), fibOf(n))
		})
		s.Send(top, "go")
		return <-answer
	},
}

func fibGoroutine(n int64, answer chan<- int64) {
	if n < 2 {
		answer <- n
		return
	}
	parts := make(chan int64, 2)
	go fibGoroutine(n-1, parts)
	go fibGoroutine(n-2, parts)
	answer <- <-parts + <-parts
}

// fibOf requests a Fibonacci number from an actor; the reply is an int64.
type fibOf int64

// fibActor returns an actor for one call, which stops after its reply.
func fibActor(parent address) behaviour {
	var sum int64
	open := 2
	return func(c turn, m any) {
		switch m := m.(type) {
		case fibOf:
			if m >= 2 {
				self := c.Self()
				c.Send(c.Spawn(fibActor(self)), m-1)
				c.Send(c.Spawn(fibActor(self)), m-2)
				return
			}
			sum, open = int64(m), 0
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
