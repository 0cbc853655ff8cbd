// Command transfer trains a network to read digits, exports it, and loads it. A new layer
// on what the loaded network sees learns from 30 images whether a digit is odd; a network
// that begins anew with these images is worse.
//
//	go -C examples run ./transfer -picture /tmp/transfer.svg
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"log"
	"os"
	"os/signal"
	"path/filepath"

	"github.com/troupe-go/troupe/examples/curves"
	"github.com/troupe-go/troupe/examples/handwritten"
	"github.com/troupe-go/troupe/layers"
	"github.com/troupe-go/troupe/model"
	tf "github.com/troupe-go/troupe/session"
	"github.com/troupe-go/troupe/train"
)

func main() {
	picture := flag.String("picture", "", "draw loss and accuracy of the new layers into this `file`")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if _, _, err := run(ctx, os.Stdout, *picture); err != nil {
		log.Fatal(err)
	}
}

// features are the layers that see what is in an image.
func features() []layers.Layer {
	return []layers.Layer{
		&layers.Conv2D{Filters: 16, Kernel: layers.Square(3), Activation: layers.ReLU},
		&layers.Conv2D{Filters: 32, Kernel: layers.Square(3), Activation: layers.ReLU},
		&layers.MaxPooling2D{},
		&layers.Flatten{},
		&layers.Dense{Units: 64, Activation: layers.ReLU},
	}
}

// run returns how many of the images held out are read right with the loaded network, and
// by one that begins anew.
func run(ctx context.Context, w io.Writer, picture string) (loaded, anew float64, err error) {
	test, rest, err := handwritten.Examples()
	if err != nil {
		return 0, 0, err
	}
	few, err := odd(first(rest, 3))
	if err != nil {
		return 0, 0, err
	}
	testOdd, err := odd(test)
	if err != nil {
		return 0, 0, err
	}
	dir, err := os.MkdirTemp("", "transfer")
	if err != nil {
		return 0, 0, err
	}
	defer os.RemoveAll(dir)
	saved := filepath.Join(dir, "digits")

	fmt.Fprintln(w, "which digit:")
	seen := layers.New(1).Input("image", tf.Float, 8, 8, 1).Then(features()...)
	if _, err := fit(ctx, w, seen, 10, rest, test, 10, "", saved); err != nil {
		return 0, 0, err
	}

	fmt.Fprintln(w, "whether it is odd, by what the loaded network sees:")
	m, err := model.LoadContext(ctx, saved, []string{"serve"}, nil)
	if err != nil {
		return 0, 0, err
	}
	defer m.Session.Close()
	n := layers.Extend(m.Graph, m.Session, 2)
	n.Tensor(m.Graph.Operation("image").Output(0)) // the input
	old := n.Tensor(m.Graph.Operation(seen.Output().Op.Name()).Output(0))
	if loaded, err = fit(ctx, w, old, 2, few, testOdd, 150, picture, ""); err != nil {
		return 0, 0, err
	}

	fmt.Fprintln(w, "whether it is odd, begun anew:")
	seen = layers.New(1).Input("image", tf.Float, 8, 8, 1).Then(features()...)
	anew, err = fit(ctx, w, seen, 2, few, testOdd, 150, "", "")
	return loaded, anew, err
}

// fit trains a last layer, and those below it that are not loaded, and returns how many of
// the test's images are read right in the end. With a directory, it exports the network.
func fit(ctx context.Context, w io.Writer, seen *layers.Tensor, classes int64, data, test layers.Batch, epochs int, picture, dir string) (float64, error) {
	m, err := seen.Then(&layers.Dense{Units: classes}).Compile(ctx, layers.Config{
		Loss: layers.SparseCategoricalCrossentropy{FromLogits: true}, Metrics: []layers.Metric{layers.Accuracy{}},
		Optimizer: train.Adam{Rate: train.Fixed(0.003)},
	})
	if err != nil {
		return 0, err
	}
	defer m.Close()
	history, err := m.Fit(ctx, data.Shuffled(10, 1), layers.FitOptions{
		Epochs: epochs, Validation: test.Batches(360), Callbacks: []layers.Callback{&curves.To{File: picture}},
	})
	if err != nil {
		return 0, err
	}
	last := history[len(history)-1]
	fmt.Fprintln(w, last)
	if dir != "" {
		err = m.Export(ctx, dir)
	}
	return last.Values["val_accuracy"], err
}

// first is some examples of each digit.
func first(b layers.Batch, some int) layers.Batch {
	found := map[int64]int{}
	var at []int
	for i, digit := range b.Y.Value().([]int64) {
		if found[digit] < some {
			found[digit]++
			at = append(at, i)
		}
	}
	return b.Select(at)
}

// odd is the examples with labels that say whether the digit is odd.
func odd(b layers.Batch) (layers.Batch, error) {
	var labels []int64
	for _, digit := range b.Y.Value().([]int64) {
		labels = append(labels, digit%2)
	}
	y, err := tf.NewTensor(labels)
	if err != nil {
		return layers.Batch{}, err
	}
	return layers.Examples(y, b.X...)
}
