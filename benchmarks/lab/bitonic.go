package main

import (
	"slices"

	tf "github.com/troupe-go/troupe"

	"github.com/troupe-go/troupe/graph/notation"
	"github.com/troupe-go/troupe/op"
)

const bitonicText = `
zero = Const() {dtype=DT_INT64, value=Tensor<type: int64 shape: [] values: 0>}
one = Const() {dtype=DT_INT64, value=Tensor<type: int64 shape: [] values: 1>}
up = Const() {dtype=DT_BOOL, value=Tensor<type: bool shape: [] values: true>}
factor = Const() {dtype=DT_INT64, value=Tensor<type: int64 shape: [] values: 7919>}
modulus = Const() {dtype=DT_INT64, value=Tensor<type: int64 shape: [] values: 1000003>}
axis = Const() {dtype=DT_INT32, value=Tensor<type: int32 shape: [1] values: 0>}
places = Range(zero, size/Placeholder, one)
square = Mul(places, places)
large = Mul(square, factor)
keys = FloorMod(large, modulus)
sorted = Bitonic(keys, up)
weighed = Mul(sorted, places)
answer_of_bitonic = Sum(weighed, axis)
func Bitonic(x: int64, up: bool) -> (y: int64) {
  n = Size(x) {T=DT_INT64}
  two = Const() {dtype=DT_INT32, value=Tensor<type: int32 shape: [] values: 2>}
  small = Less(n:output:0, two:output:0) {T=DT_INT32}
  if = StatelessIf(small:z:0, x, up) {Tcond=DT_BOOL, Tin=[DT_INT64, DT_BOOL], Tout=[DT_INT64], then_branch=func BitonicSame, else_branch=func BitonicHalves}
  return y = if:output:0
}
func BitonicSame(x: int64, up: bool) -> (y: int64) {
  return y = x
}
func BitonicHalves(x: int64, up: bool) -> (y: int64) {
  zero = Const() {dtype=DT_INT32, value=Tensor<type: int32 shape: [] values: 0>}
  rises = Const() {dtype=DT_BOOL, value=Tensor<type: bool shape: [] values: true>}
  falls = Const() {dtype=DT_BOOL, value=Tensor<type: bool shape: [] values: false>}
  halves = Split(zero:output:0, x) {T=DT_INT64, num_split=2}
  a = Bitonic(halves:output:0, rises:output:0)
  b = Bitonic(halves:output:1, falls:output:0)
  both = ConcatV2(a:y:0, b:y:0, zero:output:0) {T=DT_INT64, N=2, Tidx=DT_INT32}
  y = BitonicMerge(both:output:0, up)
  return y = y:y:0
}
func BitonicMerge(x: int64, up: bool) -> (y: int64) {
  n = Size(x) {T=DT_INT64}
  two = Const() {dtype=DT_INT32, value=Tensor<type: int32 shape: [] values: 2>}
  small = Less(n:output:0, two:output:0) {T=DT_INT32}
  if = StatelessIf(small:z:0, x, up) {Tcond=DT_BOOL, Tin=[DT_INT64, DT_BOOL], Tout=[DT_INT64], then_branch=func BitonicSame, else_branch=func BitonicCompare}
  return y = if:output:0
}
func BitonicCompare(x: int64, up: bool) -> (y: int64) {
  zero = Const() {dtype=DT_INT32, value=Tensor<type: int32 shape: [] values: 0>}
  halves = Split(zero:output:0, x) {T=DT_INT64, num_split=2}
  low = Minimum(halves:output:0, halves:output:1) {T=DT_INT64}
  high = Maximum(halves:output:0, halves:output:1) {T=DT_INT64}
  first = SelectV2(up, low:z:0, high:z:0) {T=DT_INT64}
  second = SelectV2(up, high:z:0, low:z:0) {T=DT_INT64}
  a = BitonicMerge(first:output:0, up)
  b = BitonicMerge(second:output:0, up)
  y = ConcatV2(a:y:0, b:y:0, zero:output:0) {T=DT_INT64, N=2, Tidx=DT_INT32}
  return y = y:output:0
}
`

// compared returns the halves of keys, of which each element is less than, or not less than, that of
// the other at the same place.
func compared(keys []int64, up bool) (first, second []int64) {
	half := len(keys) / 2
	both := slices.Clone(keys)
	first, second = both[:half], both[half:]
	for i := range first {
		if first[i] > second[i] == up {
			first[i], second[i] = second[i], first[i]
		}
	}
	return first, second
}

// In the graph a process is a call of a function.
var bitonicSort = benchmark{
	name: "bitonic sort", unit: "number",
	spec:  "n numbers, a power of two, are sorted: a process has two others sort the halves of its list, one rising and one falling, and a third merge them, which exchanges what stands in the wrong half and has two others merge the halves.",
	sizes: [3]int64{16, 128, 1_024},
	work:  plain,
	want:  quicksort.want,

	graph: func(s *op.Scope, n tf.Output) tf.Output {
		g := n.Op.Graph()
		if err := notation.Add(g, bitonicText); err != nil {
			s.UpdateErr("Bitonic", err)
			return tf.Output{}
		}
		return g.Operation("answer_of_bitonic").Output(0)
	},
	goroutines: func(n int64) int64 {
		answer := make(chan []int64, 1)
		go bitonicGoroutine(sortKeys(n), true, false, answer)
		return weighed(<-answer)
	},
	actors: func(s stage, n int64) int64 {
		answer := make(chan []int64, 1)
		var top address
		top = s.Spawn(func(c turn, m any) {
			if v, ok := m.(sortedPart); ok {
				answer <- v.keys
				return
			}
			c.Send(c.Spawn(bitonicActor(top, 0)), bitonicList{sortKeys(n), true, false})
		})
		s.Send(top, "go")
		return weighed(<-answer)
	},
}

func bitonicGoroutine(keys []int64, up, merge bool, answer chan<- []int64) {
	half := len(keys) / 2
	if half == 0 {
		answer <- keys
		return
	}
	a, b := make(chan []int64, 1), make(chan []int64, 1)
	if merge {
		first, second := compared(keys, up)
		go bitonicGoroutine(first, up, true, a)
		go bitonicGoroutine(second, up, true, b)
		answer <- slices.Concat(<-a, <-b)
		return
	}
	go bitonicGoroutine(keys[:half], true, false, a)
	go bitonicGoroutine(keys[half:], false, false, b)
	go bitonicGoroutine(slices.Concat(<-a, <-b), up, true, answer)
}

// bitonicList requests an actor to sort or to merge; the reply is a sortedPart.
type bitonicList struct {
	keys      []int64
	up, merge bool
}

// bitonicActor returns an actor for one list, which stops after its reply.
func bitonicActor(parent address, part int) behaviour {
	var parts [2][]int64
	var list bitonicList
	open := 2
	return func(c turn, m any) {
		reply := func(keys []int64) {
			c.Send(parent, sortedPart{part, keys})
			c.Stop()
		}
		switch m := m.(type) {
		case bitonicList:
			list = m
			half := len(m.keys) / 2
			if half == 0 {
				reply(m.keys)
				return
			}
			self := c.Self()
			first, second, ups := m.keys[:half], m.keys[half:], [2]bool{true, false}
			if m.merge {
				first, second = compared(m.keys, m.up)
				ups = [2]bool{m.up, m.up}
			}
			c.Send(c.Spawn(bitonicActor(self, 0)), bitonicList{first, ups[0], m.merge})
			c.Send(c.Spawn(bitonicActor(self, 1)), bitonicList{second, ups[1], m.merge})
		case sortedPart:
			if m.part == 2 { // merged
				reply(m.keys)
				return
			}
			parts[m.part] = m.keys
			if open--; open > 0 {
				return
			}
			both := slices.Concat(parts[:]...)
			if list.merge {
				reply(both)
				return
			}
			c.Send(c.Spawn(bitonicActor(c.Self(), 2)), bitonicList{both, list.up, true})
		}
	}
}
