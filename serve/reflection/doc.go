// Package reflection lets clients such as grpcurl ask a gRPC server for the services of
// packages [serve/prediction] and [serve/inference] and for their messages.
//
//	prediction.Register(server, models)
//	inference.Register(server, models)
//	reflection.Register(server)
//
// Messages are described by the names that TensorFlow Serving and the Open Inference
// Protocol have for them, although this module registers its own under other names, so that
// a program can also contain TensorFlow's. Services of the same server that are registered
// with descriptors of their own are described as usual.
//
// [serve/prediction]: https://pkg.go.dev/github.com/troupe-go/troupe/serve/prediction
// [serve/inference]: https://pkg.go.dev/github.com/troupe-go/troupe/serve/inference
package reflection
