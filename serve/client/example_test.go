package client_test

import (
	"context"
	"fmt"
	"net/http/httptest"

	_ "github.com/troupe-go/troupe/ops/all"
	"github.com/troupe-go/troupe/serve"
	"github.com/troupe-go/troupe/serve/client"
	"github.com/troupe-go/troupe/tensor"
)

// A program runs a model that a server has.
func Example() {
	ctx := context.Background()
	models := serve.New(serve.Options{})
	defer models.Close(ctx)
	if err := models.Add(ctx, serve.Config{Name: "digits", Path: "../../examples/serve/digits"}); err != nil {
		fmt.Println(err)
		return
	}
	server := httptest.NewServer(serve.Handler(models, serve.HTTP{}))
	defer server.Close()

	digits, err := client.Open(ctx, server.URL+"/v2/models/digits", client.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer digits.Close()
	pixels := make([]float32, 64)
	image, err := tensor.FromSlice(pixels, 1, 8, 8, 1)
	if err != nil {
		fmt.Println(err)
		return
	}
	out, err := digits.Run(ctx, "serving_default", map[string]*tensor.Tensor{"image": image})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(out["output_0"].Dims())
	// Output: [1 10]
}
