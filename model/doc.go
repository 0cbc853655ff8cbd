// Package model loads and writes models in TensorFlow's SavedModel format: a graph, the
// values of its variables, and signatures, which name the inputs and outputs of its uses.
//
//	m, err := model.LoadContext(ctx, "my_model", []string{"serve"}, nil)
//	if err != nil { … }
//	defer m.Session.Close()
//	out, err := m.Run(ctx, "serving_default", map[string]*session.Tensor{"x": x})
//
// A loaded [SavedModel] is a session over its graph, in the state that was saved, and its
// signatures. [Read], [Graphs] and [GraphDef] look at a model without loading it. The
// operations of the graph must be linked: see package session.
//
// [Write] creates a model from a graph:
//
//	err := model.Write("model", model.Export{
//		Graph:     graph,
//		Variables: map[string]*tensor.Tensor{"w": w},
//		Signatures: map[string]model.ExportSignature{"serving_default": {
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
// [Load] reads it, and so do TensorFlow's C API,
// tf.compat.v1.saved_model.load and tf.saved_model.load, which gives the signatures
// as functions, through which gradients flow, and variables by their names: "layer/w" is
// model.layer.w. For that, a model whose variables are all resources, and which has
// no tables, gets an object graph, and its checkpoint the keys of TensorFlow 2
// ("layer/w/.ATTRIBUTES/VARIABLE_VALUE"). Of the graph only what the signatures need is
// written, and the whole library of functions.
//
// Package train writes models that it has trained with [Write]. Loading waits for files
// and for steps of the model's own, and ends with its context; nothing here starts a
// goroutine apart from the session's.
package model
