// Package decoders builds decoders for tests and benchmarks of batched loops: a recurrent cell
// that reads its own last word, in a StatelessWhile whose iterations write the words to a
// TensorList, as TensorFlow's front end writes them.
package decoders

import (
	"fmt"
	"math/rand/v2"

	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

// A Decoder is a graph with a decoder: greedy, or with beams.
type Decoder struct {
	Graph *graph.Graph
	// Word, int32 [1], is the first word; Length, int32, how many follow. Scale, float, multiplies
	// the state in each iteration.
	Word, Length, Scale graph.Output
	// Words, int32 [length, 1], are those that follow; State, float [1, units], is the state after
	// them. With beams there are as many of each; words have the beam that they continue as well,
	// times the number of words.
	Words, State graph.Output
}

// Feeds returns what a run feeds: Word, Length, Scale.
func (d *Decoder) Feeds() []graph.Output { return []graph.Output{d.Word, d.Length, d.Scale} }

// Fetches returns what a run fetches: Words, State.
func (d *Decoder) Fetches() []graph.Output { return []graph.Output{d.Words, d.State} }

// Args returns the tensors of Feeds.
func Args(word, length int32, scale float32) []*tensor.Tensor {
	w, err := tensor.FromSlice([]int32{word}, 1)
	if err != nil {
		panic(err) // the size is right
	}
	return []*tensor.Tensor{w, tensor.FromScalar(length), tensor.FromScalar(scale)}
}

// Cells are the names of the cells; beam is a GRU whose decoder keeps the best of so many beams.
var Cells = []string{"gru", "lstm", "beam"}

// Beams is how many beams the decoder with beams has.
const Beams = 4

// New builds a decoder with one of the cells.
func New(cell string, units, words int) (*Decoder, error) {
	if cell == "beam" {
		return NewRows(cell, units, words, Beams)
	}
	return NewRows(cell, units, words, 1)
}

// NewRows is New for a decoder of several rows at a time, of one length: Word is then [rows].
func NewRows(cell string, units, words, rows int) (*Decoder, error) {
	d := &Decoder{Graph: graph.New()}
	b := graph.NewBuilder(d.Graph)
	rng := rand.New(rand.NewPCG(1, uint64(units)))
	weights := func(dims ...int64) *tensor.Tensor {
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
		return t
	}
	u, w := int64(units), int64(words)
	states, gates := 1, int64(3)
	switch cell {
	case "lstm":
		states, gates = 2, 4
	case "beam": // the second is the beams' scores
		states = 2
	}
	consts := []*tensor.Tensor{weights(w, u), weights(2*u, (gates-1)*u), weights(2*u, u), weights(u, w), weights(w)}
	if cell == "lstm" {
		consts[1], consts[2] = weights(2*u, gates*u), weights(gates*u)
	}
	types := []tensor.DType{tensor.Int32, tensor.Int32, tensor.Float, tensor.Int32}
	for range states {
		types = append(types, tensor.Float)
	}
	types = append(types, tensor.Variant)
	for range consts {
		types = append(types, tensor.Float)
	}

	body := func(b *graph.Builder, v []graph.Output) []graph.Output {
		i, length, scale, word := v[0], v[1], v[2], v[3]
		state, list, weights := v[4:4+states], v[4+states], v[5+states:]
		axis := b.Const(int32(1))
		x := b.Op("GatherV2", nil, weights[0], word, b.Const(int32(0)))
		h := state[0]
		in := b.Op("ConcatV2", nil, graph.OutputList{x, h}, axis)
		mul := func(x, y graph.Output) graph.Output { return b.Op("Mul", nil, x, y) }
		add := func(x, y graph.Output) graph.Output { return b.Op("AddV2", nil, x, y) }
		var next []graph.Output
		switch cell {
		case "gru", "beam":
			g := b.Op("Sigmoid", nil, b.Op("MatMul", nil, in, weights[1]))
			s := b.Add(graph.OpSpec{Type: "Split", Attrs: graph.Attrs{"num_split": int64(2)}, Input: []graph.Input{axis, g}})
			if s == nil {
				return v
			}
			r, z := s.Output(0), s.Output(1)
			c := b.Op("Tanh", nil, b.Op("MatMul", nil, b.Op("ConcatV2", nil, graph.OutputList{x, mul(r, h)}, axis), weights[2]))
			next = []graph.Output{add(mul(z, h), mul(b.Op("Sub", nil, b.Const(float32(1)), z), c))}
		default:
			g := b.Op("BiasAdd", nil, b.Op("MatMul", nil, in, weights[1]), weights[2])
			s := b.Add(graph.OpSpec{Type: "Split", Attrs: graph.Attrs{"num_split": int64(4)}, Input: []graph.Input{axis, g}})
			if s == nil {
				return v
			}
			c := add(mul(b.Op("Sigmoid", nil, s.Output(0)), state[1]), mul(b.Op("Sigmoid", nil, s.Output(1)), b.Op("Tanh", nil, s.Output(2))))
			next = []graph.Output{mul(b.Op("Sigmoid", nil, s.Output(3)), b.Op("Tanh", nil, c)), c}
		}
		next[0] = mul(next[0], scale)
		logits := b.Op("BiasAdd", nil, b.Op("MatMul", nil, next[0], weights[3]), weights[4])
		var best graph.Output
		if cell == "beam" {
			score := add(b.Op("LogSoftmax", nil, logits), b.Op("ExpandDims", nil, state[1], axis))
			top := b.Add(graph.OpSpec{Type: "TopKV2", Input: []graph.Input{b.Op("Reshape", nil, score, b.Const([]int32{int32(rows * words)})), b.Const(int32(rows))}})
			if top == nil {
				return v
			}
			at, all := top.Output(1), b.Const(int32(words))
			list = b.Op("TensorListSetItem", nil, list, i, at)
			best = b.Op("FloorMod", nil, at, all)
			next = []graph.Output{b.Op("GatherV2", nil, next[0], b.Op("FloorDiv", nil, at, all), b.Const(int32(0))), top.Output(0)}
		} else {
			best = b.Op("ArgMax", graph.Attrs{"output_type": tensor.Int32}, logits, axis)
			list = b.Op("TensorListSetItem", nil, list, i, best)
		}
		out := append([]graph.Output{add(i, b.Const(int32(1))), length, scale, best}, next...)
		return append(append(out, list), weights...)
	}
	cond := func(b *graph.Builder, v []graph.Output) []graph.Output {
		return []graph.Output{b.Op("Less", nil, v[0], v[1])}
	}
	for name, f := range map[string]func(*graph.Builder, []graph.Output) []graph.Output{"decode_body": body, "decode_cond": cond} {
		if err := addFunction(d.Graph, name, types, f); err != nil {
			return nil, err
		}
	}

	any := func(dims ...int64) registry.AttrValue { return registry.ShapeAttr(registry.Shape{Dims: dims}) }
	first := rows
	if cell == "beam" {
		first = 1
	}
	d.Word = b.Op("Placeholder", graph.Attrs{"dtype": tensor.Int32, "shape": any(int64(first))})
	d.Length = b.Op("Placeholder", graph.Attrs{"dtype": tensor.Int32, "shape": any()})
	d.Scale = b.Op("Placeholder", graph.Attrs{"dtype": tensor.Float, "shape": any()})
	zero := b.Op("Fill", nil, b.Const([]int32{int32(rows), int32(units)}), b.Const(float32(0)))
	list := b.Op("TensorListReserve", graph.Attrs{"element_dtype": tensor.Int32}, b.Const([]int32{int32(rows)}), d.Length)
	word := d.Word
	if cell == "beam" {
		word = b.Op("BroadcastTo", nil, word, b.Const([]int32{int32(rows)}))
	}
	init := graph.OutputList{b.Const(int32(0)), d.Length, d.Scale, word}
	for range states {
		init = append(init, zero)
	}
	if cell == "beam" { // one to begin with
		scores := make([]float32, rows)
		for i := 1; i < rows; i++ {
			scores[i] = -1e9
		}
		init[5] = b.Const(scores)
	}
	init = append(init, list)
	for _, t := range consts {
		init = append(init, b.Const(t))
	}
	loop := b.Add(graph.OpSpec{Type: "StatelessWhile", Name: "decode", Input: []graph.Input{init}, Attrs: graph.Attrs{
		"cond": &registry.Func{Name: "decode_cond"}, "body": &registry.Func{Name: "decode_body"}, "parallel_iterations": int64(1),
	}})
	if b.Err() != nil {
		return nil, b.Err()
	}
	d.State = loop.Output(4)
	d.Words = b.Op("TensorListStack", graph.Attrs{"element_dtype": tensor.Int32}, loop.Output(4+states), b.Const([]int32{int32(rows)}))
	return d, b.Err()
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
