package main

import (
	"fmt"

	"github.com/troupe-go/troupe/examples/handwritten"
	"github.com/troupe-go/troupe/op"
	tf "github.com/troupe-go/troupe/session"
	"github.com/troupe-go/troupe/train"
)

// A network reads digits. Its variables are on the device of the session that comes first, the
// parameter server's; each of its towers computes gradients on a worker, from its share of the
// batch.
type network struct {
	model          *train.Model
	images, labels tf.Output
	correct        tf.Output // whether each digit is read right
	goal           *train.Goal
}

// newNetwork makes a network with a tower on each of these devices. The name tells apart what
// several networks with the same variables have of their own.
func newNetwork(name string, rate train.Schedule, workers ...string) *network {
	const hidden = 64
	m := train.NewModel(tf.NewGraph(), 1)
	s := m.Scope()
	n := &network{model: m}
	n.images = op.Placeholder(s.SubScope("images"), tf.Float, op.PlaceholderShape(tf.MakeShape(-1, handwritten.Pixels)))
	n.labels = op.Placeholder(s.SubScope("labels"), tf.Int64, op.PlaceholderShape(tf.MakeShape(-1)))

	w1 := m.Variable("hidden/kernel", train.HeUniform, tf.Float, handwritten.Pixels, hidden)
	b1 := m.Variable("hidden/bias", train.Zeros, tf.Float, hidden)
	w2 := m.Variable("digits/kernel", train.GlorotUniform, tf.Float, hidden, 10)
	b2 := m.Variable("digits/bias", train.Zeros, tf.Float, 10)
	logits := func(s *op.Scope, x tf.Output) tf.Output {
		seen := op.Relu(s, op.BiasAdd(s, op.MatMul(s, x, w1.Value), b1.Value))
		return op.BiasAdd(s, op.MatMul(s, seen, w2.Value), b2.Value)
	}

	images, labels := []tf.Output{n.images}, []tf.Output{n.labels}
	if k := len(workers); k > 1 {
		images = op.Split(s, op.Const(s, int32(0)), n.images, int64(k))
		labels = op.Split(s, op.Const(s, int32(0)), n.labels, int64(k))
	}
	var losses []tf.Output
	for i, worker := range workers {
		if s.Err() != nil {
			break // the trainer reports it
		}
		on := s.SubScope(fmt.Sprint("tower", i)).WithDevice(worker)
		loss, _ := op.SparseSoftmaxCrossEntropyWithLogits(on, logits(on, images[i]), labels[i])
		losses = append(losses, op.Mean(on, loss, op.Const(on, int32(0))))
	}
	loss := op.Mean(s, op.Pack(s, losses), op.Const(s, int32(0)))
	n.goal = m.Minimize(loss, train.SGD{Rate: rate}, train.Options{Name: name})

	judge := s.SubScope("judge").WithDevice(workers[0])
	digit := op.ArgMax(judge, logits(judge, n.images), op.Const(judge, int32(1)))
	n.correct = op.Equal(judge, digit, n.labels)
	return n
}
