// Command adding trains a recurrent network on the adding problem: of a sequence of
// random numbers two are marked, and the answer is their sum. The network has to
// remember the first while it reads on. Sequences have 10 to 30 numbers, those of a
// batch as many.
//
//	go -C examples run ./adding -loop frames
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"iter"
	"log"
	"math/rand/v2"
	"os"
	"os/signal"
	"time"

	tf "github.com/troupe-go/troupe/session"
	"github.com/troupe-go/troupe/train"
)

// A setup is what the command is told.
type setup struct {
	loop           string
	updates, batch int
	hidden         int
	shortest, more int // lengths are from shortest up to, but not including, shortest + more
	rate           float64
}

func main() {
	c := setup{shortest: 10, more: 21}
	flag.StringVar(&c.loop, "loop", "frames", "what the loop is made of: frames, as in TensorFlow 1, or functions, as in TensorFlow 2")
	flag.IntVar(&c.updates, "updates", 2000, "how many updates to make")
	flag.IntVar(&c.batch, "batch", 32, "sequences for an update")
	flag.IntVar(&c.hidden, "hidden", 32, "numbers that the network remembers")
	flag.Float64Var(&c.rate, "rate", 0.01, "learning rate at the beginning")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if _, err := run(ctx, os.Stdout, c); err != nil {
		log.Fatal(err)
	}
}

// run trains a network and returns its mean squared error on new sequences. Always
// answering 1 would have 1/6.
func run(ctx context.Context, w io.Writer, c setup) (mse float64, err error) {
	build, ok := loops[c.loop]
	if !ok {
		return 0, fmt.Errorf("a loop is made of frames or functions, not of %q", c.loop)
	}
	n := newNetwork(build, int64(c.hidden), train.CosineDecay(c.rate, 0, int64(c.updates)))
	session, err := tf.NewSession(n.model.Graph(), nil)
	if err != nil {
		return 0, err
	}
	defer session.Close()
	t, err := n.model.Start(ctx, session)
	if err != nil {
		return 0, err
	}
	const trainSeed, testSeed = 1, 2
	began := time.Now()
	batches := n.batches(c, trainSeed, c.updates)
	for _, err := range train.Progress(os.Stderr, int64(c.updates), t.Steps(ctx, n.goal, batches)) {
		if err != nil {
			return 0, err
		}
	}
	elapsed := time.Since(began)
	means, err := t.Evaluate(ctx, n.batches(c, testSeed, 20), n.errors)
	if err != nil {
		return 0, err
	}
	fmt.Fprintf(w, "%d updates, %.0f a second\n", c.updates, float64(c.updates)/elapsed.Seconds())
	fmt.Fprintf(w, "mean squared error %.5f on new sequences, where always answering 1 has %.5f\n", means[0], 1.0/6)
	return means[0], nil
}

// batches is some batches of sequences, which the seed decides.
func (n *network) batches(c setup, seed uint64, count int) iter.Seq[train.Batch] {
	return func(yield func(train.Batch) bool) {
		for i := range count {
			rng := rand.New(rand.NewPCG(seed, uint64(i)))
			length := c.shortest + rng.IntN(c.more)
			x := make([]float32, length*c.batch*2)
			sums := make([]float32, c.batch)
			for k := range c.batch {
				for t := range length {
					x[(t*c.batch+k)*2] = rng.Float32()
				}
				first := rng.IntN(length)
				second := (first + 1 + rng.IntN(length-1)) % length
				for _, t := range [...]int{first, second} {
					x[(t*c.batch+k)*2+1] = 1
					sums[k] += x[(t*c.batch+k)*2]
				}
			}
			numbers, err := tf.FromSlice(x, int64(length), int64(c.batch), 2)
			if err != nil {
				panic(err) // the sizes are those of above
			}
			answers, err := tf.FromSlice(sums, int64(c.batch))
			if err != nil {
				panic(err)
			}
			if !yield(train.Batch{n.x: numbers, n.sums: answers}) {
				return
			}
		}
	}
}
