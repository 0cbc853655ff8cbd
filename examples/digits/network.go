package main

import (
	"context"

	"github.com/troupe-go/troupe/examples/handwritten"
	"github.com/troupe-go/troupe/model"
	"github.com/troupe-go/troupe/op"
	tf "github.com/troupe-go/troupe/session"
	"github.com/troupe-go/troupe/train"
)

// A network is two layers that say which digit an image shows.
type network struct {
	model          *train.Model
	images, labels tf.Output // a row of pixels, and a digit, for each example
	probabilities  tf.Output // of the ten digits
	digit          tf.Output // the most probable one
	correct        tf.Output // whether it is the label
	losses         tf.Output
	goal           *train.Goal
}

func newNetwork(hidden int64, rate train.Schedule) *network {
	m := train.NewModel(tf.NewGraph(), 1)
	s := m.Scope()
	n := &network{model: m}
	n.images = op.Placeholder(s.SubScope("images"), tf.Float, op.PlaceholderShape(tf.MakeShape(-1, handwritten.Pixels)))
	n.labels = op.Placeholder(s.SubScope("labels"), tf.Int64, op.PlaceholderShape(tf.MakeShape(-1)))

	layer := func(name string, x tf.Output, in, out int64, init train.Initializer) tf.Output {
		kernel := m.Variable(name+"/kernel", init, tf.Float, in, out)
		bias := m.Variable(name+"/bias", train.Zeros, tf.Float, out)
		return op.BiasAdd(s, op.MatMul(s, x, kernel.Value), bias.Value)
	}
	seen := op.Relu(s, layer("hidden", n.images, handwritten.Pixels, hidden, train.HeUniform))
	logits := layer("digits", seen, hidden, 10, train.GlorotUniform)

	n.probabilities = op.Softmax(s, logits)
	n.digit = op.ArgMax(s, logits, op.Const(s, int32(1)))
	n.correct = op.Equal(s, n.digit, n.labels)
	n.losses, _ = op.SparseSoftmaxCrossEntropyWithLogits(s, logits, n.labels)
	loss := op.Mean(s, n.losses, op.Const(s, int32(0)))
	n.goal = m.Minimize(loss, train.Adam{Rate: rate}, train.Options{})
	return n
}

// write writes the network as a SavedModel that is fed images.
func (n *network) write(ctx context.Context, t *train.Trainer, dir string) error {
	return t.Export(ctx, dir, map[string]model.ExportSignature{"serving_default": {
		Inputs:  map[string]tf.Output{"images": n.images},
		Outputs: map[string]tf.Output{"probabilities": n.probabilities, "digit": n.digit},
	}})
}
