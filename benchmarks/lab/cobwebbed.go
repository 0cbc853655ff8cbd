package main

import (
	tf "github.com/troupe-go/troupe"

	"github.com/troupe-go/troupe/graph/notation"
	"github.com/troupe-go/troupe/op"
)

// treeModulo is the modulus of the numbers of nodes.
const treeModulo = 1_000_003

// children returns the numbers of a node's children, and how deep they may be.
func children(x, depth int64) (a, da, b, db int64) {
	return (3*x + 1) % treeModulo, depth - 1 - x%3, (5*x + 2) % treeModulo, depth - 1 - x%2
}

// treeSize counts the nodes of a tree.
func treeSize(x, depth int64) int64 {
	if depth < 1 {
		return 1
	}
	a, da, b, db := children(x, depth)
	return 1 + treeSize(a, da) + treeSize(b, db)
}

const treeText = `
root = Const() {dtype=DT_INT64, value=Tensor<type: int64 shape: [] values: 1>}
answer_of_tree = TreeSize(root, size/Placeholder)
func TreeSize(x: int64, d: int64) -> (y: int64) {
  one = Const() {dtype=DT_INT64, value=Tensor<type: int64 shape: [] values: 1>}
  leaf = Less(d, one:output:0) {T=DT_INT64}
  if = StatelessIf(leaf:z:0, x, d) {Tcond=DT_BOOL, Tin=[DT_INT64, DT_INT64], Tout=[DT_INT64], then_branch=func TreeLeaf, else_branch=func TreeNode}
  return y = if:output:0
}
func TreeLeaf(x: int64, d: int64) -> (y: int64) {
  one = Const() {dtype=DT_INT64, value=Tensor<type: int64 shape: [] values: 1>}
  return y = one:output:0
}
func TreeNode(x: int64, d: int64) -> (y: int64) {
  one = Const() {dtype=DT_INT64, value=Tensor<type: int64 shape: [] values: 1>}
  two = Const() {dtype=DT_INT64, value=Tensor<type: int64 shape: [] values: 2>}
  three = Const() {dtype=DT_INT64, value=Tensor<type: int64 shape: [] values: 3>}
  five = Const() {dtype=DT_INT64, value=Tensor<type: int64 shape: [] values: 5>}
  modulus = Const() {dtype=DT_INT64, value=Tensor<type: int64 shape: [] values: 1000003>}
  x3 = Mul(x, three:output:0) {T=DT_INT64}
  x31 = AddV2(x3:z:0, one:output:0) {T=DT_INT64}
  a = FloorMod(x31:z:0, modulus:output:0) {T=DT_INT64}
  x5 = Mul(x, five:output:0) {T=DT_INT64}
  x52 = AddV2(x5:z:0, two:output:0) {T=DT_INT64}
  b = FloorMod(x52:z:0, modulus:output:0) {T=DT_INT64}
  less = Sub(d, one:output:0) {T=DT_INT64}
  rest3 = FloorMod(x, three:output:0) {T=DT_INT64}
  rest2 = FloorMod(x, two:output:0) {T=DT_INT64}
  da = Sub(less:z:0, rest3:z:0) {T=DT_INT64}
  db = Sub(less:z:0, rest2:z:0) {T=DT_INT64}
  na = TreeSize(a:z:0, da:z:0)
  nb = TreeSize(b:z:0, db:z:0)
  both = AddV2(na:y:0, nb:y:0) {T=DT_INT64}
  all = AddV2(both:z:0, one:output:0) {T=DT_INT64}
  return y = all:z:0
}
`

// In the graph a node is a call of a function.
var cobwebbedTree = benchmark{
	name: "unbalanced cobwebbed tree", unit: "node",
	spec:  "A tree is generated and its nodes are counted: each node is a process, which makes two children from its number, of which one is less deep or both are, and lives until it has added up what they report.",
	sizes: [3]int64{6, 12, 20},
	work:  func(n int64) int64 { return treeSize(1, n) },
	want:  func(n int64) int64 { return treeSize(1, n) },

	graph: func(s *op.Scope, n tf.Output) tf.Output {
		g := n.Op.Graph()
		if err := notation.Add(g, treeText); err != nil {
			s.UpdateErr("TreeSize", err)
			return tf.Output{}
		}
		return g.Operation("answer_of_tree").Output(0)
	},
	goroutines: func(n int64) int64 {
		answer := make(chan int64, 1)
		go treeGoroutine(1, n, answer)
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
			c.Send(c.Spawn(treeActor(top)), treeNode{1, n})
		})
		s.Send(top, "go")
		return <-answer
	},
}

func treeGoroutine(x, depth int64, answer chan<- int64) {
	if depth < 1 {
		answer <- 1
		return
	}
	a, da, b, db := children(x, depth)
	parts := make(chan int64, 2)
	go treeGoroutine(a, da, parts)
	go treeGoroutine(b, db, parts)
	answer <- 1 + <-parts + <-parts
}

// treeNode is what a node's actor begins with; the reply is an int64.
type treeNode struct{ x, depth int64 }

// treeActor returns an actor for one node, which stops after its reply.
func treeActor(parent address) behaviour {
	sum, open := int64(1), 2
	return func(c turn, m any) {
		switch m := m.(type) {
		case treeNode:
			if m.depth >= 1 {
				a, da, b, db := children(m.x, m.depth)
				self := c.Self()
				c.Send(c.Spawn(treeActor(self)), treeNode{a, da})
				c.Send(c.Spawn(treeActor(self)), treeNode{b, db})
				return
			}
			open = 0
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
