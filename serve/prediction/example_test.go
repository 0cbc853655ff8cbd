package prediction_test

import (
	"context"
	"fmt"

	"google.golang.org/grpc"

	_ "github.com/troupe-go/troupe/ops/all"
	"github.com/troupe-go/troupe/serve"
	"github.com/troupe-go/troupe/serve/prediction"
)

// A Go service adds TensorFlow Serving's services to its own gRPC server.
func Example() {
	ctx := context.Background()
	models := serve.New(serve.Options{})
	defer models.Close(ctx)
	if err := models.Add(ctx, serve.Config{Name: "digits", Path: "../../examples/serve/digits"}); err != nil {
		fmt.Println(err)
		return
	}
	server := grpc.NewServer(grpc.UnaryInterceptor(prediction.Recover))
	prediction.Register(server, models)
	defer server.Stop()
	for name, info := range server.GetServiceInfo() {
		fmt.Println(name, len(info.Methods))
	}
	// Unordered output:
	// tensorflow.serving.PredictionService 5
	// tensorflow.serving.ModelService 2
}
