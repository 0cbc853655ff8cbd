// Package train trains models: it adds variables, gradients and updates to a graph
// under construction and runs them over batches.
//
//	m := train.NewModel(tf.NewGraph(), 1)
//	s := m.Scope()
//	x := op.Placeholder(s.SubScope("x"), tf.Float, op.PlaceholderShape(tf.MakeShape(-1, 4)))
//	y := op.Placeholder(s.SubScope("y"), tf.Float, op.PlaceholderShape(tf.MakeShape(-1, 1)))
//	w := m.Variable("w", train.GlorotUniform, tf.Float, 4, 1)
//	losses := op.SquaredDifference(s, op.MatMul(s, x, w.Value), y)
//	goal := m.Minimize(op.Mean(s, losses, op.Const(s, []int32{0, 1})), train.Adam{Rate: train.Fixed(0.01)}, train.Options{})
//
//	session, err := tf.NewSession(m.Graph(), nil)
//	…
//	t, err := m.Start(ctx, session)
//	…
//	for step, err := range t.Steps(ctx, goal, data.Shuffled(32, 1, 0, 1000)) {
//		…
//	}
//
// # Terms
//
// A [Model] is a graph and its variables. [Model.Minimize] makes a [Goal]: a loss,
// and the updates that lower it by the rule of an [Optimizer], whose learning rate
// follows a [Schedule]. An update is one application of that rule to all variables;
// what it keeps between updates, such as momentum, are variables too, called slots.
// A [Trainer] runs goals in a session. A [Batch] is what one step is fed. Errors
// made while the graph is built stay in the scope, as in package op, and
// [Model.Start] returns them.
//
// # Guarantees
//
// An update is atomic: it waits until all gradients, the loss and the Value of
// each variable have been computed. So a loss is always of the variables before the
// update, and so is a metric that is part of the loss or reads variables by their
// Value; compute one that reads them by operations of its own with [Trainer.Evaluate].
// Randomness depends only on the model's seed, names and the
// number of the update. Training that was interrupted, and goes on from a
// checkpoint with the batches that are left, produces the same bits as training that
// was not.
//
// An existing graph can be trained further: [Model.Adopt] takes its variables,
// resources as TensorFlow 2 has them or references as TensorFlow 1.
//
// Checkpoints are TensorFlow's: a session of its own, tf.train.load_checkpoint and
// package ops/io/bundle read them. [Trainer.Export] writes a SavedModel.
//
// Models, scopes and trainers are for one goroutine. Everything that runs a graph
// takes a context.
package train
