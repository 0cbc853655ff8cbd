// Package client runs models that a server has, as package model runs those in a folder:
//
//	m, err := client.Open(ctx, "http://localhost:8501/v1/models/digits", client.Options{})
//	if err != nil { … }
//	defer m.Close()
//	out, err := m.Run(ctx, "serving_default", map[string]*tensor.Tensor{"image": image})
//
// A [Model] has the method Run of a model.SavedModel, so that code written for an interface
// with that method runs either; code that "troupe generate" writes is such code.
//
// The address selects the protocol:
//
//	http://HOST:PORT/v1/models/NAME[/versions/N|/labels/LABEL]  TensorFlow Serving, JSON
//	http://HOST:PORT/v2/models/NAME[/versions/N]                Open Inference Protocol, binary tensors
//	grpc://HOST:PORT/NAME[/versions/N|/labels/LABEL]            TensorFlow Serving, gRPC
//
// https and grpcs use TLS. Tensors are exact over all of them. JSON is the slowest, and has
// neither half nor bfloat16 nor complex numbers, nor the inner dimensions of a tensor without
// elements.
//
// Errors are *status.Error values with the server's code and message. The end of a context
// ends a call, also on the server if that understands deadlines. Nothing is repeated. Memory
// for a reply grows with what arrives, up to [Options.MaxReply]. A Model is safe for
// concurrent use.
package client
