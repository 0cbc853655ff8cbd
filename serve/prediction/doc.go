// Package prediction serves the models of a [serve.Manager] over gRPC, as TensorFlow
// Serving does: PredictionService (Predict, Classify, Regress, MultiInference,
// GetModelMetadata) and ModelService (GetModelStatus).
//
//	server := grpc.NewServer(grpc.UnaryInterceptor(prediction.Recover))
//	prediction.Register(server, models)
//	err := server.Serve(listener)
//
// A call's deadline and its end are those of the run. Errors have the codes and words of
// TensorFlow Serving. Only programs that serve import this package, which links gRPC.
package prediction

//go:generate protoc --proto_path=messages --go_out=messages --go_opt=module=github.com/troupe-go/troupe/serve/prediction/messages messages.proto
