package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	tf "github.com/troupe-go/troupe"
	"github.com/troupe-go/troupe/examples/handwritten"
	"github.com/troupe-go/troupe/train"
)

func defaults() setup { return setup{epochs: 30, batch: 32, hidden: 64, rate: 0.003} }

// The network reads at least 97% of the images held out, the exported one the same,
// and training that is complete is not begun again.
func TestDigits(t *testing.T) {
	dir := t.TempDir()
	c := defaults()
	c.checkpoints, c.plot, c.export = filepath.Join(dir, "checkpoints"), filepath.Join(dir, "plot.svg"), filepath.Join(dir, "model")
	var told bytes.Buffer
	accuracy, err := run(t.Context(), &told, c)
	if err != nil {
		t.Fatal(err)
	}
	if accuracy < 0.97 {
		t.Errorf("%v of the images are read right", accuracy)
	}
	if !strings.Contains(told.String(), "% of 360 images") {
		t.Errorf("%s", &told)
	}
	if plot, err := os.ReadFile(c.plot); err != nil || !bytes.Contains(plot, []byte("held out")) {
		t.Errorf("the plot: %v", err)
	}

	if got := exported(t, c.export); got != accuracy {
		t.Errorf("the exported network reads %v right, the trained one %v", got, accuracy)
	}
	c.plot, c.export = "", ""
	told.Reset()
	if _, err := run(t.Context(), &told, c); err != nil {
		t.Error(err)
	}
	if strings.Contains(told.String(), "updates,") {
		t.Errorf("trained again: %s", &told)
	}
}

// exported returns how many of the images held out a SavedModel reads right.
func exported(t *testing.T, dir string) float64 {
	t.Helper()
	m, err := tf.LoadSavedModel(dir, []string{"serve"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer m.Session.Close()
	find := func(info tf.TensorInfo) tf.Output {
		o, err := m.Graph.Find(info.Name)
		if err != nil {
			t.Fatal(err)
		}
		return o
	}
	sig := m.Signatures["serving_default"]
	in, digit := find(sig.Inputs["images"]), find(sig.Outputs["digit"])
	images, labels, err := handwritten.Read()
	if err != nil {
		t.Fatal(err)
	}
	data, err := train.NewData(train.Batch{in: images, digit: labels}) // which is taken out again below
	if err != nil {
		t.Fatal(err)
	}
	test, _, err := data.Split(heldOut, splitSeed)
	if err != nil {
		t.Fatal(err)
	}
	right := 0
	for batch := range test.Batches(heldOut) {
		want := batch[digit].Value().([]int64)
		out, err := m.Session.Run(map[tf.Output]*tf.Tensor{in: batch[in]}, []tf.Output{digit}, nil)
		if err != nil {
			t.Fatal(err)
		}
		for i, d := range out[0].Value().([]int64) {
			if d == want[i] {
				right++
			}
		}
	}
	return float64(right) / heldOut
}

// BenchmarkUpdate is an update by 32 images, with putting the batch together: the
// mean, and the best sample of 20.
func BenchmarkUpdate(b *testing.B) {
	n := newNetwork(64, train.Fixed(0.003))
	images, labels, err := handwritten.Read()
	if err != nil {
		b.Fatal(err)
	}
	data, err := train.NewData(train.Batch{n.images: images, n.labels: labels})
	if err != nil {
		b.Fatal(err)
	}
	session, err := tf.NewSession(n.model.Graph(), nil)
	if err != nil {
		b.Fatal(err)
	}
	defer session.Close()
	t, err := n.model.Start(context.Background(), session)
	if err != nil {
		b.Fatal(err)
	}
	batches := func(yield func(train.Batch) bool) {
		for batch := range data.Shuffled(32, 1, 0, 1<<40) {
			if !b.Loop() || !yield(batch) {
				return
			}
		}
	}
	best, since := time.Hour, time.Now()
	for step, err := range t.Steps(context.Background(), n.goal, batches) {
		if err != nil {
			b.Fatal(err)
		}
		if step.N%20 == 0 {
			best, since = min(best, time.Since(since)/20), time.Now()
		}
	}
	b.ReportMetric(float64(best), "best-ns")
}
