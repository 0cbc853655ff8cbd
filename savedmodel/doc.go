// Package savedmodel writes models in the SavedModel format: a graph, the values of
// its variables, and signatures.
//
//	err := savedmodel.Write("model", savedmodel.Model{
//		Graph:     graph,
//		Variables: map[string]*tensor.Tensor{"w": w},
//		Signatures: map[string]savedmodel.Signature{"serving_default": {
//			Inputs:  map[string]graph.Output{"x": x},
//			Outputs: map[string]graph.Output{"y": y},
//		}},
//	})
//
// The result is a directory in TensorFlow's layout:
//
//	saved_model.pb            the graph, signatures, and nodes that restore variables
//	variables/variables.*     a checkpoint (package ops/io/bundle)
//	assets/                   files that the graph reads
//
// session.LoadSavedModel reads it, and so do TensorFlow's C API,
// tf.compat.v1.saved_model.load and tf.saved_model.load, which gives the signatures
// as functions, through which gradients flow, and variables by their names: "layer/w" is
// model.layer.w. For that, a model whose variables are all resources, and which has
// no tables, gets an object graph, and its checkpoint the keys of TensorFlow 2
// ("layer/w/.ATTRIBUTES/VARIABLE_VALUE"). Of the graph only what the signatures need is
// written, and the whole library of functions.
//
// Package train writes models that it has trained with [Write].
package savedmodel
