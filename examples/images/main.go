// Command images trains a convolutional network: go run ./images -picture images.svg
package main

import (
	"context"
	"flag"
	"log"
	"os"

	"github.com/troupe-go/troupe/examples/curves"
	"github.com/troupe-go/troupe/examples/handwritten"
	"github.com/troupe-go/troupe/layers"
	tf "github.com/troupe-go/troupe/session"
)

func main() {
	picture := flag.String("picture", "", "draw loss and accuracy into this `file`")
	flag.Parse()
	test, rest, err := handwritten.Examples()
	if err != nil {
		log.Fatal(err)
	}
	digit := layers.New(1).Input("image", tf.Float, 8, 8, 1).Then(
		&layers.Conv2D{Filters: 16, Kernel: layers.Square(3), Activation: layers.ReLU}, &layers.MaxPooling2D{}, &layers.BatchNormalization{},
		&layers.Flatten{}, &layers.Dropout{Rate: 0.2}, &layers.Dense{Units: 64, Activation: layers.ReLU}, &layers.Dense{Units: 10, Activation: layers.Softmax})
	m, err := digit.Compile(context.Background(), layers.Config{Loss: layers.SparseCategoricalCrossentropy{}, Metrics: []layers.Metric{layers.Accuracy{}}})
	if err != nil {
		log.Fatal(err)
	}
	defer m.Close()
	if _, err := m.Fit(context.Background(), rest.Shuffled(32, 1), layers.FitOptions{Epochs: 15, Validation: test.Batches(360),
		Progress: os.Stdout, Callbacks: []layers.Callback{&curves.To{File: *picture}}}); err != nil {
		log.Fatal(err)
	}
}
