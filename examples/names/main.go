// Command names trains a small transformer on the names of the functions and types that
// Go's library exports, letter by letter, and has it write new ones.
//
//	go -C examples run ./names -picture /tmp/names.svg
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"log"
	"math/rand/v2"
	"os"
	"os/signal"
	"strings"

	"github.com/troupe-go/troupe/examples/curves"
	"github.com/troupe-go/troupe/layers"
	tf "github.com/troupe-go/troupe/session"
	"github.com/troupe-go/troupe/train"
)

const (
	letters = "\n" + "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_" // names begin and end with \n
	length  = 16                                                                       // letters of a name, at most
	width   = 48                                                                       // numbers for each letter
)

func main() {
	picture := flag.String("picture", "", "draw the loss into this `file`")
	epochs := flag.Int("epochs", 12, "how often to go through the names")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if _, err := run(ctx, os.Stdout, *picture, *epochs, 20); err != nil {
		log.Fatal(err)
	}
}

// transformer has two blocks of attention to the letters before, and dense layers.
func transformer(n *layers.Network) *layers.Tensor {
	x, at := n.Input("letters", tf.Int64, length), n.Input("places", tf.Int64, length)
	h := n.Apply(&layers.Add{},
		x.Then(&layers.Embedding{InputDim: int64(len(letters)), OutputDim: width}),
		at.Then(&layers.Embedding{InputDim: length, OutputDim: width}))
	for range 2 {
		h = h.Residual(&layers.LayerNormalization{}, &layers.MultiHeadAttention{NumHeads: 4, KeyDim: width / 4, Causal: true})
		h = h.Residual(&layers.LayerNormalization{}, &layers.Dense{Units: 2 * width, Activation: layers.GELU}, &layers.Dense{Units: width})
	}
	return h.Then(&layers.LayerNormalization{}, &layers.Dense{Units: int64(len(letters))})
}

// run trains the network and returns names that it writes.
func run(ctx context.Context, w io.Writer, picture string, epochs, count int) (written []string, err error) {
	names, err := exported()
	if err != nil {
		return nil, err
	}
	all, err := examples(names)
	if err != nil {
		return nil, err
	}
	test, rest, err := all.Split(all.Len()/10, 1)
	if err != nil {
		return nil, err
	}
	fmt.Fprintf(w, "%d names, of which %d are held out\n", all.Len(), test.Len())
	updates := int64(epochs * (rest.Len()/64 + 1))
	m, err := transformer(layers.New(1)).Compile(ctx, layers.Config{
		Loss:      layers.SparseCategoricalCrossentropy{FromLogits: true},
		Metrics:   []layers.Metric{layers.Accuracy{}},
		Optimizer: train.Adam{Rate: train.CosineDecay(0.004, 0, updates)},
	})
	if err != nil {
		return nil, err
	}
	defer m.Close()
	if _, err := m.Fit(ctx, rest.Shuffled(64, 1), layers.FitOptions{
		Epochs: epochs, Validation: test.Batches(512), Progress: w, Callbacks: []layers.Callback{&curves.To{File: picture}},
	}); err != nil {
		return nil, err
	}
	known := map[string]bool{}
	for _, name := range names {
		known[name] = true
	}
	written, err = write(ctx, m, count)
	for _, name := range written {
		if known[name] {
			name += " (exists)"
		}
		fmt.Fprintln(w, name)
	}
	return written, err
}

// examples are names: inputs are \n and the letters but the last, labels the letters that
// follow.
func examples(names []string) (layers.Batch, error) {
	var x, y, at []int64
	for _, name := range names {
		before := int64(0)
		for i := range length {
			next := int64(0)
			if i < len(name) {
				next = int64(strings.IndexByte(letters, name[i]))
			}
			x, y, at = append(x, before), append(y, next), append(at, int64(i))
			before = next
		}
	}
	var tensors []*tf.Tensor
	for _, list := range [][]int64{x, at, y} {
		t, err := tf.FromSlice(list, int64(len(names)), length)
		if err != nil {
			return layers.Batch{}, err
		}
		tensors = append(tensors, t)
	}
	return layers.Examples(tensors[2], tensors[:2]...)
}

// write draws names letter by letter, all at once.
func write(ctx context.Context, m *layers.Model, count int) ([]string, error) {
	names := make([]string, count)
	done := make([]bool, count)
	r := rand.New(rand.NewPCG(1, 3))
	for i := range length {
		b, err := examples(names)
		if err != nil {
			return nil, err
		}
		out, err := m.Predict(ctx, b.X...)
		if err != nil {
			return nil, err
		}
		for k, rows := range out.Value().([][][]float32) {
			next := draw(r, rows[i], 0.7)
			if done[k] = done[k] || next == 0; !done[k] {
				names[k] += letters[next : next+1]
			}
		}
	}
	return names, nil
}
