// Package trees builds models over binary trees for tests and benchmarks of calls that run in
// batches: a TreeLSTM (Tai and others, Improved Semantic Representations From Tree-Structured Long
// Short-Term Memory Networks, 2015) as a function that calls itself for the children of a node.
package trees

import (
	"fmt"
	"math/rand/v2"

	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

// A Model is a graph with a TreeLSTM.
type Model struct {
	Graph *graph.Graph
	// Left and Right, int32 [nodes], are each node's children; Left is negative for a leaf. Words,
	// int32 [nodes], are the leaves'. Root, int32, is where the tree begins.
	Left, Right, Words, Root graph.Output
	// State and Cell, float [1, units], are those of the root; Logits, float [1, 5], its class.
	State, Cell, Logits graph.Output
}

// Feeds returns what a run feeds: Left, Right, Words, Root.
func (m *Model) Feeds() []graph.Output { return []graph.Output{m.Left, m.Right, m.Words, m.Root} }

// Fetches returns what a run fetches: State, Cell, Logits.
func (m *Model) Fetches() []graph.Output { return []graph.Output{m.State, m.Cell, m.Logits} }

// A Tree is what a run is fed.
type Tree struct {
	Left, Right, Words []int32
	Root               int32
}

// Args returns the tensors of Feeds.
func (t *Tree) Args() []*tensor.Tensor {
	var args []*tensor.Tensor
	for _, list := range [][]int32{t.Left, t.Right, t.Words} {
		a, err := tensor.FromSlice(list, int64(len(list)))
		if err != nil {
			panic(err) // the size is right
		}
		args = append(args, a)
	}
	return append(args, tensor.FromScalar(t.Root))
}

// Height returns how many nodes are above one another, without the root.
func (t *Tree) Height() int {
	var height func(i int32) int
	height = func(i int32) int {
		if t.Left[i] < 0 {
			return 0
		}
		return 1 + max(height(t.Left[i]), height(t.Right[i]))
	}
	return height(t.Root)
}

// Draw draws a tree with so many leaves.
func Draw(rng *rand.Rand, leaves, words int) *Tree {
	t := &Tree{}
	var draw func(n int) int32
	draw = func(n int) int32 {
		left, right, word := int32(-1), int32(-1), int32(-1)
		if n == 1 {
			word = rng.Int32N(int32(words))
		} else {
			k := 1 + rng.IntN(n-1)
			left, right = draw(k), draw(n-k)
		}
		t.Left, t.Right, t.Words = append(t.Left, left), append(t.Right, right), append(t.Words, word)
		return int32(len(t.Left) - 1)
	}
	t.Root = draw(leaves)
	return t
}

// New builds a model of so many units, over so many words.
func New(units, words int) (*Model, error) {
	m := &Model{Graph: graph.New()}
	b := graph.NewBuilder(m.Graph)
	rng := rand.New(rand.NewPCG(2, uint64(units)))
	weights := func(dims ...int64) graph.Output {
		n := int64(1)
		for _, d := range dims {
			n *= d
		}
		data := make([]float32, n)
		for i := range data {
			data[i] = float32(rng.NormFloat64()) / float32(dims[0]) * 4
		}
		t, err := tensor.FromSlice(data, dims...)
		if err != nil {
			b.Fail(err)
		}
		return b.Const(t)
	}
	u, w := int64(units), int64(words)
	consts := []graph.Output{weights(w, u), weights(u, 3*u), weights(3 * u), weights(2*u, 5*u), weights(5 * u)}
	out := weights(u, 5)

	// All functions take the node, left, right, words and the weights.
	types := []tensor.DType{tensor.Int32, tensor.Int32, tensor.Int32, tensor.Int32}
	for range consts {
		types = append(types, tensor.Float)
	}
	results := []tensor.DType{tensor.Float, tensor.Float}
	read := func(b *graph.Builder, list, at graph.Output) graph.Output {
		return b.Op("GatherV2", nil, list, at, b.Const(int32(0)))
	}
	tree := func(b *graph.Builder, v []graph.Output) []graph.Output {
		leaf := b.Op("Less", nil, read(b, v[1], v[0]), b.Const(int32(0)))
		return outputs(b.Add(graph.OpSpec{Type: "StatelessIf", Name: "kind", Input: []graph.Input{leaf, graph.OutputList(v)}, Attrs: graph.Attrs{
			"then_branch": &registry.Func{Name: "leaf"}, "else_branch": &registry.Func{Name: "inner"}, "Tout": results,
		}}))
	}
	sigmoid := func(b *graph.Builder, x graph.Output) graph.Output { return b.Op("Sigmoid", nil, x) }
	tanh := func(b *graph.Builder, x graph.Output) graph.Output { return b.Op("Tanh", nil, x) }
	mul := func(b *graph.Builder, x, y graph.Output) graph.Output { return b.Op("Mul", nil, x, y) }
	add := func(b *graph.Builder, x, y graph.Output) graph.Output { return b.Op("AddV2", nil, x, y) }
	gates := func(b *graph.Builder, x, w, bias graph.Output, n int) []graph.Output {
		sum := b.Op("BiasAdd", nil, b.Op("MatMul", nil, x, w), bias)
		return outputs(b.Add(graph.OpSpec{Type: "Split", Attrs: graph.Attrs{"num_split": int64(n)}, Input: []graph.Input{b.Const(int32(1)), sum}}))
	}
	leaf := func(b *graph.Builder, v []graph.Output) []graph.Output {
		x := b.Op("GatherV2", nil, v[4], read(b, v[3], v[0]), b.Const(int32(0)))
		g := gates(b, b.Op("Reshape", nil, x, b.Const([]int32{1, int32(units)})), v[5], v[6], 3)
		if b.Err() != nil {
			return v
		}
		c := mul(b, sigmoid(b, g[0]), tanh(b, g[1]))
		return []graph.Output{mul(b, sigmoid(b, g[2]), tanh(b, c)), c}
	}
	inner := func(b *graph.Builder, v []graph.Output) []graph.Output {
		var h, c []graph.Output
		for i, name := range []string{"left", "right"} {
			args := append([]graph.Output{read(b, v[1+i], v[0])}, v[1:]...)
			o := outputs(b.Add(graph.OpSpec{Type: "PartitionedCall", Name: name, Input: []graph.Input{graph.OutputList(args)},
				Attrs: graph.Attrs{"f": &registry.Func{Name: "tree"}, "Tout": results}}))
			if b.Err() != nil {
				return v
			}
			h, c = append(h, o[0]), append(c, o[1])
		}
		g := gates(b, b.Op("ConcatV2", nil, graph.OutputList(h), b.Const(int32(1))), v[7], v[8], 5)
		if b.Err() != nil {
			return v
		}
		cell := add(b, mul(b, sigmoid(b, g[0]), tanh(b, g[1])), add(b, mul(b, sigmoid(b, g[2]), c[0]), mul(b, sigmoid(b, g[3]), c[1])))
		return []graph.Output{mul(b, sigmoid(b, g[4]), tanh(b, cell)), cell}
	}
	for name, f := range map[string]func(*graph.Builder, []graph.Output) []graph.Output{"tree": tree, "leaf": leaf, "inner": inner} {
		if err := addFunction(m.Graph, name, types, f); err != nil {
			return nil, err
		}
	}

	list := graph.Attrs{"dtype": tensor.Int32, "shape": registry.ShapeAttr(registry.Shape{Dims: []int64{-1}})}
	m.Left, m.Right, m.Words = b.Op("Placeholder", list), b.Op("Placeholder", list), b.Op("Placeholder", list)
	m.Root = b.Op("Placeholder", graph.Attrs{"dtype": tensor.Int32, "shape": registry.ShapeAttr(registry.Shape{Dims: []int64{}})})
	args := append(graph.OutputList{m.Root, m.Left, m.Right, m.Words}, consts...)
	o := outputs(b.Add(graph.OpSpec{Type: "PartitionedCall", Name: "model", Input: []graph.Input{args},
		Attrs: graph.Attrs{"f": &registry.Func{Name: "tree"}, "Tout": results}}))
	if b.Err() != nil {
		return nil, b.Err()
	}
	m.State, m.Cell = o[0], o[1]
	m.Logits = b.Op("MatMul", nil, m.State, out)
	return m, b.Err()
}

// outputs returns those of a node; none of nil.
func outputs(n *graph.Node) (list []graph.Output) {
	if n != nil {
		for i := range n.NumOutputs() {
			list = append(list, n.Output(i))
		}
	}
	return list
}

// addFunction adds a function of arguments of these types to the library of a graph.
func addFunction(g *graph.Graph, name string, types []tensor.DType, f func(*graph.Builder, []graph.Output) []graph.Output) error {
	b := graph.NewBuilder(graph.New())
	spec := graph.FunctionSpec{Name: name}
	for i, t := range types {
		spec.Inputs = append(spec.Inputs, b.Op("Placeholder", graph.Attrs{"dtype": t}))
		spec.InputNames = append(spec.InputNames, fmt.Sprint("v", i))
	}
	spec.Outputs = f(b, spec.Inputs)
	if err := b.Err(); err != nil {
		return status.Within(err, "function '%s'", name)
	}
	made, err := b.Graph().MakeFunction(spec)
	if err != nil {
		return err
	}
	return g.AddFunction(made, nil)
}
