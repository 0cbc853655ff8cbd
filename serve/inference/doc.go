// Package inference serves the models of a [serve.Manager] over the gRPC interface of the
// Open Inference Protocol (KServe's version 2, as Triton has it): GRPCInferenceService with
// health, metadata, ModelInfer, ModelStreamInfer, statistics, and the index of the repository,
// whose models clients may load and unload with [AllowControl].
//
//	server := grpc.NewServer(grpc.UnaryInterceptor(prediction.Recover))
//	inference.Register(server, models)
//	err := server.Serve(listener)
//
// Tensors come as raw contents, which become the tensors' memory without a copy, or as
// typed contents; results are always raw, as those of other servers. The request parameter
// signature_name names a signature; without it serving_default runs. [serve.Handler] has
// the protocol's REST interface. Only programs that serve import this package, which links
// gRPC.
package inference

//go:generate protoc --proto_path=messages --go_out=messages --go_opt=module=github.com/troupe-go/troupe/serve/inference/messages troupe/inference/inference.proto
