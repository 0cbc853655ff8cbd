// Command topics trains a network to say from which package of Go's library a sentence of
// documentation is. The texts come from the sources of the Go that is installed.
//
//	go -C examples run ./topics -picture /tmp/topics.svg "Sum returns the hash of the data."
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
	"slices"

	"github.com/troupe-go/troupe/examples/curves"
	"github.com/troupe-go/troupe/layers"
	tf "github.com/troupe-go/troupe/session"
	"github.com/troupe-go/troupe/train"
)

// words is how many of a text are read.
const words = 40

// topics are parts of the library.
var topics = []string{"crypto", "encoding", "go", "image", "math", "net", "os", "time"}

func main() {
	picture := flag.String("picture", "", "draw loss and accuracy into this `file`")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if _, err := run(ctx, os.Stdout, *picture, flag.Args()...); err != nil {
		log.Fatal(err)
	}
}

// run trains the network, says what it thinks of texts, and returns how many of the texts
// held out it knows.
func run(ctx context.Context, w io.Writer, picture string, asked ...string) (accuracy float64, err error) {
	var texts []string
	var labels []int64
	for i, topic := range topics {
		found, err := sentences(topic)
		if err != nil {
			return 0, err
		}
		for _, text := range found {
			texts, labels = append(texts, text), append(labels, int64(i))
		}
	}
	r := rand.New(rand.NewPCG(1, 2))
	r.Shuffle(len(texts), func(i, j int) {
		texts[i], texts[j] = texts[j], texts[i]
		labels[i], labels[j] = labels[j], labels[i]
	})
	held := len(texts) / 10
	vocabulary := layers.NewVocabulary(slices.Values(texts[held:]), 4000) // of what is trained on
	y, err := tf.NewTensor(labels)
	if err != nil {
		return 0, err
	}
	all, err := layers.Examples(y, vocabulary.Texts(words, texts...))
	if err != nil {
		return 0, err
	}
	test, rest := all.Rows(0, held), all.Rows(held, all.Len())

	topic := layers.New(1).Input("words", tf.Int64, words).Then(
		&layers.Embedding{InputDim: int64(vocabulary.Len()), OutputDim: 32},
		&layers.Dropout{Rate: 0.3},
		&layers.Conv1D{Filters: 32, Kernel: 3, Padding: layers.Same, Activation: layers.ReLU},
		&layers.GlobalMaxPooling1D{},
		&layers.Dropout{Rate: 0.3},
		&layers.Dense{Units: int64(len(topics)), Activation: layers.Softmax})
	m, err := topic.Compile(ctx, layers.Config{
		Loss: layers.SparseCategoricalCrossentropy{}, Metrics: []layers.Metric{layers.Accuracy{}},
		Optimizer: train.Adam{Rate: train.Fixed(0.002)},
	})
	if err != nil {
		return 0, err
	}
	defer m.Close()
	fmt.Fprintf(w, "%d texts, of which %d are held out, and %d words\n", all.Len(), held, vocabulary.Len())
	history, err := m.Fit(ctx, layers.Prefetch(rest.Shuffled(64, 1), 2), layers.FitOptions{
		Epochs: 12, Validation: test.Batches(512), Progress: w,
		Callbacks: []layers.Callback{&curves.To{File: picture}, &layers.EarlyStopping{Patience: 2, RestoreBest: true}},
	})
	if err != nil {
		return 0, err
	}
	if len(asked) > 0 {
		out, err := m.Predict(ctx, vocabulary.Texts(words, asked...))
		if err != nil {
			return 0, err
		}
		for i, p := range out.Value().([][]float32) {
			best := slices.Index(p, slices.Max(p))
			fmt.Fprintf(w, "%s: %.0f%% (%s)\n", topics[best], 100*p[best], asked[i])
		}
	}
	return history[len(history)-1].Values["val_accuracy"], nil
}
