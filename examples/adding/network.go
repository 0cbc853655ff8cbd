package main

import (
	"fmt"

	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/op"
	"github.com/troupe-go/troupe/registry"
	tf "github.com/troupe-go/troupe/session"
	"github.com/troupe-go/troupe/train"
)

// A network reads sequences with a long short-term memory (Hochreiter and
// Schmidhuber, 1997) and answers with a number.
type network struct {
	model  *train.Model
	x      tf.Output // [time, sequence, 2]: numbers and marks
	sums   tf.Output // [sequence]
	answer tf.Output // [sequence]
	errors tf.Output // squared, [sequence]
	goal   *train.Goal
}

// newNetwork builds the network around a loop that readers makes, over as many steps
// as the sequences that it is fed have.
func newNetwork(loop loop, hidden int64, rate train.Schedule) *network {
	m := train.NewModel(tf.NewGraph(), 1)
	s := m.Scope()
	n := &network{model: m}
	n.x = op.Placeholder(s.SubScope("x"), tf.Float, op.PlaceholderShape(tf.MakeShape(-1, -1, 2)))
	n.sums = op.Placeholder(s.SubScope("sums"), tf.Float, op.PlaceholderShape(tf.MakeShape(-1)))
	kernel := m.Variable("lstm/kernel", train.GlorotUniform, tf.Float, 2+hidden, 4*hidden)
	bias := m.Variable("lstm/bias", train.Given(forgetLittle(hidden)), tf.Float, 4*hidden)
	out := m.Variable("out/kernel", train.GlorotUniform, tf.Float, hidden, 1)
	outBias := m.Variable("out/bias", train.Zeros, tf.Float, 1)

	shape := op.Shape(s, n.x)
	at := func(i int32) tf.Output { return op.Gather(s, shape, op.Const(s, i)) }
	zeros := op.Fill(s, op.Pack(s, []tf.Output{at(1), op.Const(s, int32(hidden))}), op.Const(s, float32(0)))
	state := loop(s, at(0), n.x, kernel.Value, bias.Value, zeros)

	n.answer = op.Reshape(s, op.BiasAdd(s, op.MatMul(s, state, out.Value), outBias.Value), op.Const(s, []int32{-1}))
	n.errors = op.SquaredDifference(s, n.answer, n.sums)
	loss := op.Mean(s, n.errors, op.Const(s, int32(0)))
	n.goal = m.Minimize(loss, train.Adam{Rate: rate}, train.Options{Clip: train.ClipByGlobalNorm(1)})
	return n
}

// forgetLittle is biases of 1 for the gates that say what is kept, 0 for others.
func forgetLittle(hidden int64) []float32 {
	b := make([]float32, 4*hidden)
	for i := hidden; i < 2*hidden; i++ {
		b[i] = 1
	}
	return b
}

// step returns one step of the memory: what it puts out and what it keeps.
func step(s *op.Scope, x, h, c, kernel, bias tf.Output) (tf.Output, tf.Output) {
	seen := op.ConcatV2(s, []tf.Output{x, h}, op.Const(s, int32(1)))
	gates := op.Split(s, op.Const(s, int32(1)), op.BiasAdd(s, op.MatMul(s, seen, kernel), bias), 4)
	if s.Err() != nil {
		return h, c
	}
	in, keep, value, out := op.Sigmoid(s, gates[0]), op.Sigmoid(s, gates[1]), op.Tanh(s, gates[2]), op.Sigmoid(s, gates[3])
	c = op.AddV2(s, op.Mul(s, keep, c), op.Mul(s, in, value))
	return op.Mul(s, out, op.Tanh(s, c)), c
}

// A loop adds n steps of the memory over x, which begins with zeros, and is the last
// output.
type loop func(s *op.Scope, n, x, kernel, bias, zeros tf.Output) tf.Output

var loops = map[string]loop{"frames": frames, "functions": functions}

// frames makes the loop of Enter, Merge, Switch, NextIteration and Exit nodes, as
// TensorFlow 1 did. What its body takes from outside is carried in.
func frames(s *op.Scope, n, x, kernel, bias, zeros tf.Output) tf.Output {
	results := op.While(s, []tf.Output{op.Const(s, int32(0)), zeros, zeros},
		func(s *op.Scope, v []tf.Output) tf.Output { return op.Less(s, v[0], n) },
		func(s *op.Scope, v []tf.Output) []tf.Output {
			i, h, c := v[0], v[1], v[2]
			now := op.GatherV2(s, x, i, op.Const(s, int32(0)))
			h, c = step(s, now, h, c, kernel, bias)
			return []tf.Output{op.AddV2(s, i, op.Const(s, int32(1))), h, c}
		})
	if s.Err() != nil {
		return tf.Output{}
	}
	return results[1]
}

// functions makes the loop of one While node, as TensorFlow 2 does, whose condition
// and body are functions that are given all they need.
func functions(s *op.Scope, n, x, kernel, bias, zeros tf.Output) tf.Output {
	if s.Err() != nil {
		return tf.Output{}
	}
	init := tf.OutputList{op.Const(s, int32(0)), zeros, zeros, n, x, kernel, bias}
	types := make([]tf.DataType, len(init))
	for k, o := range init {
		types[k] = o.DataType()
	}
	g := zeros.Op.Graph()
	cond, err := function(g, "another_step", types, func(s *op.Scope, v []tf.Output) []tf.Output {
		return []tf.Output{op.Less(s, v[0], v[3])}
	})
	if err != nil {
		s.UpdateErr("While", err)
		return tf.Output{}
	}
	body, err := function(g, "step", types, func(s *op.Scope, v []tf.Output) []tf.Output {
		now := op.GatherV2(s, v[4], v[0], op.Const(s, int32(0)))
		h, c := step(s, now, v[1], v[2], v[5], v[6])
		return append([]tf.Output{op.AddV2(s, v[0], op.Const(s, int32(1))), h, c}, v[3:]...)
	})
	if err != nil {
		s.UpdateErr("While", err)
		return tf.Output{}
	}
	return s.AddOperation(tf.OpSpec{
		Type: "StatelessWhile", Input: []tf.Input{init},
		Attrs: map[string]any{"cond": cond, "body": body},
	}).Output(1)
}

// function adds a function to the library of a graph: build gets its arguments and
// returns its results.
func function(g *tf.Graph, name string, types []tf.DataType, build func(s *op.Scope, v []tf.Output) []tf.Output) (*registry.Func, error) {
	s := op.NewScope().WithUniqueNames()
	args := make([]tf.Output, len(types))
	names := make([]string, len(types))
	for k, dt := range types {
		names[k] = fmt.Sprintf("v%d", k)
		args[k] = op.Placeholder(s, dt)
	}
	spec := graph.FunctionSpec{Name: name, Inputs: args, Outputs: build(s, args), InputNames: names}
	body, err := s.Finalize()
	if err != nil {
		return nil, err
	}
	f, err := body.MakeFunction(spec)
	if err != nil {
		return nil, err
	}
	return &registry.Func{Name: name}, g.AddFunction(f, nil)
}
