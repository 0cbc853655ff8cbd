package main

import (
	tf "github.com/troupe-go/troupe"
	"github.com/troupe-go/troupe/op"
)

// build makes the graph of a benchmark: what is fed with the size, and what is fetched.
func (b *benchmark) build() (g *tf.Graph, n, answer tf.Output, err error) {
	s := op.NewScope()
	n = op.Placeholder(s.SubScope("size"), tf.Int64, op.PlaceholderShape(tf.ScalarShape()))
	answer = op.Identity(s.SubScope("answer"), b.graph(s.WithUniqueNames(), n))
	g, err = s.Finalize()
	return g, n, answer, err
}

// process returns a loop of n iterations, one after the other, in which vars get new values: the
// counterpart of a goroutine that serves channels. The body is given the iteration's number.
func process(s *op.Scope, n tf.Output, vars []tf.Output, body func(s *op.Scope, i tf.Output, v []tf.Output) []tf.Output) []tf.Output {
	return op.While(s, append([]tf.Output{number(s, 0)}, vars...),
		func(s *op.Scope, v []tf.Output) tf.Output { return op.Less(s, v[0], n) },
		func(s *op.Scope, v []tf.Output) []tf.Output {
			return append([]tf.Output{op.AddV2(s, v[0], number(s, 1))}, body(s, v[0], v[1:])...)
		}, op.WhileParallelIterations(1))[1:]
}

func number(s *op.Scope, v int64) tf.Output { return op.Const(s, v) }

// queue returns one of numbers, empty between runs; -1 is no limit.
func queue(s *op.Scope, capacity int64) tf.Output {
	return op.FIFOQueueV2(s, []tf.DataType{tf.Int64}, op.FIFOQueueV2Capacity(capacity))
}

func put(s *op.Scope, q, v tf.Output) *tf.Operation {
	return op.QueueEnqueueV2(s, q, []tf.Output{v})
}

// take takes a number from a queue when others have acted.
func take(s *op.Scope, q tf.Output, others ...*tf.Operation) tf.Output {
	out := op.QueueDequeueV2(s.WithControlDependencies(others...), q, []tf.DataType{tf.Int64})
	if len(out) == 0 {
		return tf.Output{} // the scope has the error
	}
	return out[0]
}

// after is v when others have acted.
func after(s *op.Scope, v tf.Output, others ...*tf.Operation) tf.Output {
	return op.Identity(s.WithControlDependencies(others...), v)
}
