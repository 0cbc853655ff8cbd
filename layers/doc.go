// Package layers builds networks of layers, by the names and defaults of Keras, and
// trains them.
//
//	n := layers.New(1)
//	logits := n.Input("image", tf.Float, 8, 8, 1).Then(
//		&layers.Conv2D{Filters: 16, Kernel: layers.Square(3), Activation: layers.ReLU},
//		&layers.MaxPooling2D{},
//		&layers.Flatten{},
//		&layers.Dense{Units: 10})
//	m, err := n.Compile(ctx, logits, layers.Config{
//		Loss:    layers.SparseCategoricalCrossentropy{FromLogits: true},
//		Metrics: []layers.Metric{layers.Accuracy{}},
//	})
//	…
//	defer m.Close()
//	history, err := m.Fit(ctx, train.Shuffled(32, 1), layers.FitOptions{Epochs: 8, Validation: test.Batches(360)})
//
// # Terms
//
// A [Network] is a graph of layers under construction, a [Tensor] an input or result of a
// layer in it. A [Layer] is a pointer to a struct: fields are Keras's arguments, and a zero
// field is Keras's default; where that default is true, the field has the opposite name,
// as NoBias. A layer applied twice shares its variables. Layers of one's own implement
// [Layer]. [Network.Compile] makes a [Model], which is fed a [Batch] at a time: tensors
// whose first dimension counts examples; [Network.CompileOutputs] is for networks of several
// results, each with a loss and metrics. [Model.Fit] goes through a sequence of batches
// once for each [Epoch], and calls each [Callback] afterwards.
//
// [RandomFlip] and the other layers that begin with Random change images in training and
// pass them on otherwise; [Standardize] makes a [Normalization] of data.
//
// Shapes are inferred; mistakes of the construction, with the name of the layer, are
// returned by Compile.
//
// # Series of different lengths
//
// An [Embedding] with MaskZero, or a [Masking], says which steps of a series count. Layers
// that treat each step by itself pass this mask on; recurrent layers and attentions pass
// over the other steps, and [GlobalAveragePooling1D], losses and metrics leave them out.
//
// # Names of variables
//
// Variables have the paths of Keras 3: "dense_1/kernel", "bidirectional/forward_lstm/
// lstm_cell/bias". A layer without a name gets one when it is applied, so layers without
// names must be applied in the order in which Keras's are constructed. Variables of a
// Sequential model have the prefix "sequential": set [Network.Prefix]. So weights go from
// a checkpoint of tf.train.Checkpoint(model=…) to Go ([Model.LoadWeights]), and back
// ([Model.SaveWeights]).
//
// # Differences from Keras
//
// Arguments of a call are fields: [MultiHeadAttention] has Causal. All metrics leave out
// steps that a mask leaves out, not only those that are means.
// Recurrent layers have no state between batches, and a single kind of dropout. Adam
// adds the gradients of the rows of an [Embedding] whose number occurs several times in a
// batch before it squares them, where Keras squares them one by one, and AdamW shrinks
// kernels only, as Keras does after exclude_from_weight_decay. Losses that layers add, as
// regularizers do, are part of what is minimized, but not of the "loss" of [Model.Evaluate].
//
// Networks and models are for one goroutine.
package layers
