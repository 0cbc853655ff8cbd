// Command digits trains a small network to read handwritten digits, and says of how
// many of 360 images that it has not seen it reads the digit right.
//
//	go -C examples run ./digits -plot digits.svg -export /tmp/digits
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log"
	"os"
	"os/signal"
	"time"

	"github.com/troupe-go/troupe/examples/handwritten"
	tf "github.com/troupe-go/troupe/session"
	"github.com/troupe-go/troupe/train"
)

// A setup is what the command is told.
type setup struct {
	epochs, batch, hidden int
	rate                  float64
	checkpoints           string // where to keep them; "" for nowhere
	plot, export          string // where to write; "" for nowhere
}

func main() {
	var c setup
	flag.IntVar(&c.epochs, "epochs", 30, "how often to go through the examples")
	flag.IntVar(&c.batch, "batch", 32, "examples for an update")
	flag.IntVar(&c.hidden, "hidden", 64, "units in the hidden layer")
	flag.Float64Var(&c.rate, "rate", 0.003, "learning rate at the beginning")
	flag.StringVar(&c.checkpoints, "checkpoints", "", "go on from the last checkpoint in this `directory`, and keep new ones there")
	flag.StringVar(&c.plot, "plot", "", "write a plot of loss and accuracy to this `file`: .svg, .png or .pdf")
	flag.StringVar(&c.export, "export", "", "write the trained network into this `directory`, as a SavedModel")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if _, err := run(ctx, os.Stdout, c); err != nil {
		log.Fatal(err)
	}
}

// The images held out, and the order of the others, are always the same.
const (
	heldOut   = 360
	splitSeed = 20
	orderSeed = 1
)

// run trains the network and returns its accuracy on the images held out.
func run(ctx context.Context, w io.Writer, c setup) (accuracy float64, err error) {
	images, labels, err := handwritten.Read()
	if err != nil {
		return 0, err
	}
	updates := int64(images.Dims()[0]-heldOut) / int64(c.batch) * int64(c.epochs)
	n := newNetwork(int64(c.hidden), train.CosineDecay(c.rate, 0, updates))
	data, err := train.NewData(train.Batch{n.images: images, n.labels: labels})
	if err != nil {
		return 0, err
	}
	test, rest, err := data.Split(heldOut, splitSeed)
	if err != nil {
		return 0, err
	}
	session, err := tf.NewSession(n.model.Graph(), nil)
	if err != nil {
		return 0, err
	}
	defer session.Close()
	t, err := n.model.Start(ctx, session)
	if err != nil {
		return 0, err
	}
	kept := &train.Checkpoints{Dir: c.checkpoints}
	if c.checkpoints != "" {
		if _, err := kept.Restore(ctx, t); err != nil {
			return 0, err
		}
	}
	done, err := t.Updates(ctx, n.goal)
	if err != nil {
		return 0, err
	}

	var h history
	epoch := max(updates/int64(c.epochs), 1)
	began := time.Now()
	var evaluating time.Duration
	batches := rest.Shuffled(c.batch, orderSeed, done, updates)
	for step, err := range train.Progress(os.Stderr, updates, t.Steps(ctx, n.goal, batches, n.correct)) {
		if err != nil {
			if c.checkpoints != "" && ctx.Err() != nil { // interrupted: the next call goes on from here
				err = errors.Join(err, kept.Save(context.WithoutCancel(ctx), t, n.goal))
			}
			return 0, err
		}
		h.train(step)
		if step.N%epoch != 0 && step.N != updates {
			continue
		}
		since := time.Now()
		means, err := t.Evaluate(ctx, test.Batches(heldOut), n.losses, n.correct)
		if err != nil {
			return 0, err
		}
		h.test(step, means[0], means[1])
		accuracy = means[1]
		if c.checkpoints != "" {
			if err := kept.Save(ctx, t, n.goal); err != nil {
				return 0, err
			}
			if _, err := kept.SaveBest(ctx, t, n.goal, accuracy); err != nil {
				return 0, err
			}
		}
		evaluating += time.Since(since)
	}
	if elapsed := time.Since(began) - evaluating; updates > done {
		fmt.Fprintf(w, "%d updates, %.0f a second\n", updates-done, float64(updates-done)/elapsed.Seconds())
	}
	fmt.Fprintf(w, "%.1f%% of %d images that it has not seen are read right\n", 100*accuracy, heldOut)
	if c.plot != "" {
		if err := h.write(c.plot); err != nil {
			return 0, err
		}
	}
	if c.export != "" {
		if err := n.write(ctx, t, c.export); err != nil {
			return 0, err
		}
	}
	return accuracy, nil
}
