package main

import (
	"slices"

	tf "github.com/troupe-go/troupe"

	"github.com/troupe-go/troupe/graph/notation"
	"github.com/troupe-go/troupe/op"
)

// sortText is a function that calls itself twice. In the graph it sorts keys and returns their
// sum, each times its position.
const sortText = `
zero = Const() {dtype=DT_INT64, value=Tensor<type: int64 shape: [] values: 0>}
one = Const() {dtype=DT_INT64, value=Tensor<type: int64 shape: [] values: 1>}
factor = Const() {dtype=DT_INT64, value=Tensor<type: int64 shape: [] values: 7919>}
modulus = Const() {dtype=DT_INT64, value=Tensor<type: int64 shape: [] values: 1000003>}
axis = Const() {dtype=DT_INT32, value=Tensor<type: int32 shape: [1] values: 0>}
places = Range(zero, size/Placeholder, one)
square = Mul(places, places)
large = Mul(square, factor)
keys = FloorMod(large, modulus)
sorted = Sort(keys)
weighed = Mul(sorted, places)
answer_of_sort = Sum(weighed, axis)
func Sort(x: int64) -> (y: int64) {
  n = Size(x) {T=DT_INT64}
  two = Const() {dtype=DT_INT32, value=Tensor<type: int32 shape: [] values: 2>}
  small = Less(n:output:0, two:output:0) {T=DT_INT32}
  if = StatelessIf(small:z:0, x) {Tcond=DT_BOOL, Tin=[DT_INT64], Tout=[DT_INT64], then_branch=func SortSame, else_branch=func SortParts}
  return y = if:output:0
}
func SortSame(x: int64) -> (y: int64) {
  return y = x
}
func SortParts(x: int64) -> (y: int64) {
  zero = Const() {dtype=DT_INT32, value=Tensor<type: int32 shape: [] values: 0>}
  one = Const() {dtype=DT_INT32, value=Tensor<type: int32 shape: [] values: 1>}
  pivot = GatherV2(x, zero:output:0, zero:output:0) {Tparams=DT_INT64, Tindices=DT_INT32, Taxis=DT_INT32}
  d = Sub(x, pivot:output:0) {T=DT_INT64}
  sign = Sign(d:z:0) {T=DT_INT64}
  s = Cast(sign:y:0) {SrcT=DT_INT64, DstT=DT_INT32}
  part = AddV2(s:y:0, one:output:0) {T=DT_INT32}
  split = DynamicPartition(x, part:z:0) {T=DT_INT64, num_partitions=3}
  a = Sort(split:outputs:0)
  b = Sort(split:outputs:2)
  sorted = ConcatV2(a:y:0, split:outputs:1, b:y:0, zero:output:0) {T=DT_INT64, N=3, Tidx=DT_INT32}
  return y = sorted:output:0
}
`

// sortKeys are the numbers to be sorted.
func sortKeys(n int64) []int64 {
	keys := make([]int64, n)
	for i := range n {
		keys[i] = i * i * 7919 % 1_000_003
	}
	return keys
}

// weighed returns the sum of keys times their places.
func weighed(keys []int64) (sum int64) {
	for i, k := range keys {
		sum += int64(i) * k
	}
	return sum
}

// threeWays splits keys at the first of them.
func threeWays(keys []int64) (less, same, more []int64) {
	for _, k := range keys {
		switch p := keys[0]; {
		case k < p:
			less = append(less, k)
		case k == p:
			same = append(same, k)
		default:
			more = append(more, k)
		}
	}
	return less, same, more
}

var quicksort = benchmark{
	name: "quicksort", unit: "number",
	spec:  "n numbers are sorted: a process splits its list at the first number into less, equal and more, gives the first and the last to processes of their own, and puts together what these answer. A list of one number is sorted.",
	sizes: [3]int64{20, 200, 2_000},
	work:  plain,
	want: func(n int64) int64 {
		keys := sortKeys(n)
		slices.Sort(keys)
		return weighed(keys)
	},

	graph: func(s *op.Scope, n tf.Output) tf.Output {
		g := n.Op.Graph()
		if err := notation.Add(g, sortText); err != nil {
			s.UpdateErr("Sort", err)
			return tf.Output{}
		}
		return g.Operation("answer_of_sort").Output(0)
	},
	goroutines: func(n int64) int64 {
		answer := make(chan []int64, 1)
		go sortGoroutine(sortKeys(n), answer)
		return weighed(<-answer)
	},
	actors: func(s stage, n int64) int64 {
		type begin struct{}
		answer := make(chan []int64, 1)
		var top address
		top = s.Spawn(func(c turn, m any) {
			if v, ok := m.(sortedPart); ok {
				answer <- v.keys
				return
			}
			c.Send(c.Spawn(sortActor(top, 0)), toSort(sortKeys(n)))
		})
		s.Send(top, begin{})
		return weighed(<-answer)
	},
}

func sortGoroutine(keys []int64, answer chan<- []int64) {
	if len(keys) < 2 {
		answer <- keys
		return
	}
	less, same, more := threeWays(keys)
	a, b := make(chan []int64, 1), make(chan []int64, 1)
	go sortGoroutine(less, a)
	go sortGoroutine(more, b)
	answer <- slices.Concat(<-a, same, <-b)
}

// toSort requests an actor to sort; the reply is a sortedPart.
type toSort []int64

type sortedPart struct {
	part int // 0: what was less; 2: what was more
	keys []int64
}

// sortActor returns an actor for one list, which stops after its reply.
func sortActor(parent address, part int) behaviour {
	var parts [3][]int64
	open := 0
	return func(c turn, m any) {
		switch m := m.(type) {
		case toSort:
			if len(m) < 2 {
				parts[1] = m
				break
			}
			open = 2
			less, same, more := threeWays(m)
			parts[1] = same
			self := c.Self()
			c.Send(c.Spawn(sortActor(self, 0)), toSort(less))
			c.Send(c.Spawn(sortActor(self, 2)), toSort(more))
		case sortedPart:
			parts[m.part] = m.keys
			open--
		}
		if open == 0 {
			c.Send(parent, sortedPart{part, slices.Concat(parts[:]...)})
			c.Stop()
		}
	}
}
