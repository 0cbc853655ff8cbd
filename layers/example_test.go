package layers_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/troupe-go/troupe/layers"
	"github.com/troupe-go/troupe/model"
	tf "github.com/troupe-go/troupe/session"
	"github.com/troupe-go/troupe/train"
)

// Two dense layers learn exclusive or, and are exported as a SavedModel.
func Example() {
	ctx := context.Background()
	n := layers.New(1)
	output := n.Input("x", tf.Float, 2).Then(
		&layers.Dense{Units: 8, Activation: layers.Tanh},
		&layers.Dense{Units: 1, Activation: layers.Sigmoid})
	m, err := n.Compile(ctx, output, layers.Config{
		Loss:      layers.BinaryCrossentropy{},
		Optimizer: train.Adam{Rate: train.Fixed(0.05)},
		Metrics:   []layers.Metric{layers.Accuracy{}},
	})
	if err != nil {
		log.Fatal(err)
	}
	defer m.Close()
	fmt.Println("the output has shape", output.Shape())
	for _, v := range n.Variables() {
		fmt.Println(v.Name, v.Shape)
	}

	x, err := tf.NewTensor([][]float32{{0, 0}, {0, 1}, {1, 0}, {1, 1}})
	if err != nil {
		log.Fatal(err)
	}
	y, err := tf.NewTensor([][]float32{{0}, {1}, {1}, {0}})
	if err != nil {
		log.Fatal(err)
	}
	data, err := layers.Examples(y, x)
	if err != nil {
		log.Fatal(err)
	}
	history, err := m.Fit(ctx, data.Batches(4), layers.FitOptions{Epochs: 200})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("accuracy", history[len(history)-1].Values["accuracy"])

	dir, err := os.MkdirTemp("", "layers")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	if err := m.Export(ctx, filepath.Join(dir, "xor")); err != nil {
		log.Fatal(err)
	}
	saved, err := model.Load(filepath.Join(dir, "xor"), []string{"serve"}, nil)
	if err != nil {
		log.Fatal(err)
	}
	defer saved.Session.Close()
	out, err := saved.Run(ctx, "serving_default", map[string]*tf.Tensor{"x": x})
	if err != nil {
		log.Fatal(err)
	}
	for _, row := range out["output"].Value().([][]float32) {
		fmt.Printf("%.0f ", row[0])
	}
	// Output:
	// the output has shape [?, 1]
	// dense/kernel [2 8]
	// dense/bias [8]
	// dense_1/kernel [8 1]
	// dense_1/bias [1]
	// accuracy 1
	// 0 1 1 0
}
