package layers

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"iter"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	tf "github.com/troupe-go/troupe/session"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/train"
)

// The best checkpoint has the weights of the best epoch.
func TestCheckpoint(t *testing.T) {
	m, batches := line(t, func(n int64) float64 { return []float64{0.15, 1, 1}[min(n, 2)] })
	c := &train.Checkpoints{Dir: t.TempDir()}
	var first float32
	note := After(func(_ context.Context, e *Epoch) error {
		if e.N == 1 {
			first = weight(t, m)
		}
		return nil
	})
	if _, err := m.Fit(t.Context(), batches, FitOptions{Epochs: 3, Validation: batches, Callbacks: []Callback{note, &Checkpoint{Checkpoints: c, BestOnly: true}}}); err != nil {
		t.Fatal(err)
	}
	found, err := filepath.Glob(filepath.Join(c.Dir, "best", "*.index"))
	if err != nil || len(found) != 1 {
		t.Fatalf("the checkpoints are %v, %v", found, err)
	}
	if weight(t, m) == first {
		t.Fatal("the weight has not changed since the first epoch")
	}
	if err := m.LoadWeights(t.Context(), strings.TrimSuffix(found[0], ".index")); err != nil {
		t.Fatal(err)
	}
	if got := weight(t, m); got != first {
		t.Errorf("the best checkpoint has weight %v, but it was %v", got, first)
	}
}

// A score that is not a number is not the best one, and does not keep others from being it.
func TestCheckpointNaN(t *testing.T) {
	m, batches := line(t, train.Fixed(0.1))
	c := &Checkpoint{Checkpoints: &train.Checkpoints{Dir: t.TempDir()}, BestOnly: true, Monitor: "score"}
	scores := []float64{math.NaN(), 2, math.NaN(), 3}
	score := After(func(_ context.Context, e *Epoch) error { e.Values["score"] = scores[e.N-1]; return nil })
	if _, err := m.Fit(t.Context(), batches, FitOptions{Epochs: len(scores), Callbacks: []Callback{score, c}}); err != nil {
		t.Fatal(err)
	}
	if best, err := c.Checkpoints.Best(); err != nil || best != 3 {
		t.Errorf("the best score is %v, %v", best, err)
	}
}

// A training is a network with all that could keep training from being repeated: slots of an
// optimizer, a schedule, a rate that falls on plateaus, dropout, statistics of batches, batches
// in random order, early stopping.
type training struct {
	m         *Model
	initial   string // a checkpoint before the first update
	plateau   *ReduceOnPlateau
	callbacks []Callback
	saved     *Checkpoint
	examples  Batch
}

const trainedEpochs, trainedBatches = 7, 3

func newTraining(t *testing.T) *training {
	t.Helper()
	plateau := &ReduceOnPlateau{}
	cosine := train.CosineDecay(1, 0.1, trainedEpochs*trainedBatches)
	n := New(3)
	x := n.Input("x", tf.Float, 3).Then(&Dense{Units: 5, Activation: ReLU}, &BatchNormalization{}, &Dropout{Rate: 0.25}, &Dense{Units: 1})
	m, err := n.Compile(t.Context(), x, Config{
		Loss:      MeanSquaredError{},
		Optimizer: train.Adam{Rate: func(n int64) float64 { return plateau.Schedule(n) * cosine(n) }},
		Options:   train.Options{Clip: train.ClipByGlobalNorm(1), Average: 0.9},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { m.Close() })
	var xs, ys []float32
	for i := range 12 {
		xs = append(xs, float32(i%5), float32(i%3), float32(i%2))
		ys = append(ys, float32(i%5*(i%3))-2)
	}
	examples, err := Examples(tensorOf(t, ys, 12, 1), tensorOf(t, xs, 12, 3))
	if err != nil {
		t.Fatal(err)
	}
	initial := filepath.Join(t.TempDir(), "initial")
	if err := m.Trainer().Save(t.Context(), initial); err != nil {
		t.Fatal(err)
	}
	return &training{m: m, initial: initial, plateau: plateau, examples: examples}
}

// begin is as if the process had begun now.
func (r *training) begin(t *testing.T, dir string) {
	t.Helper()
	if err := r.m.Trainer().Restore(t.Context(), r.initial); err != nil {
		t.Fatal(err)
	}
	*r.plateau = ReduceOnPlateau{Rate: 0.02, Factor: 0.5, Monitor: "loss", Patience: 1, MinDelta: 0.02}
	r.saved = &Checkpoint{Checkpoints: &train.Checkpoints{Dir: dir}, Monitor: "loss"}
	stopping := &EarlyStopping{Monitor: "loss", Patience: 3, MinDelta: 0.3, RestoreBest: true}
	r.callbacks = []Callback{r.plateau, stopping, r.saved}
}

// fit goes on with the training, with further callbacks and changed batches.
func (r *training) fit(ctx context.Context, change func(iter.Seq[Batch]) iter.Seq[Batch], more ...Callback) (history []*Epoch, err error) {
	o := FitOptions{Epochs: trainedEpochs, Callbacks: append(slices.Clone(r.callbacks), more...)}
	if o.Completed, err = r.saved.Restore(ctx, r.m, r.callbacks...); err != nil {
		return nil, err
	}
	return r.m.Fit(ctx, change(r.examples.ShuffledFrom(12/trainedBatches, 5, o.Completed)), o)
}

func unchanged(b iter.Seq[Batch]) iter.Seq[Batch] { return b }

// values are the bits of all variables, those of the optimizer too.
func (r *training) values(t *testing.T) map[string][]uint64 {
	t.Helper()
	all := map[string][]uint64{}
	for _, v := range r.m.net.model.Variables() {
		out, err := r.m.session.Run(nil, []tf.Output{v.Value}, nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, x := range numbers(out[0]) {
			all[v.Name] = append(all[v.Name], math.Float64bits(x))
		}
	}
	return all
}

// described are the epochs of a history.
func described(history []*Epoch) []string {
	lines := []string{}
	for _, e := range history {
		lines = append(lines, fmt.Sprintf("%v rate %x loss %x updates %d", e, e.Rate, e.Values["loss"], e.Updates))
	}
	return lines
}

var everyUpdate = flag.Bool("everyupdate", false, "TestResume interrupts training at every update in every way, not in each way at one")

// Training that is interrupted, at any update and in any way, goes on from the last checkpoint in
// a new network as if it had not been.
func TestResume(t *testing.T) {
	whole := newTraining(t)
	whole.begin(t, t.TempDir())
	history, err := whole.fit(t.Context(), unchanged)
	if err != nil {
		t.Fatal(err)
	}
	rates := map[float64]bool{}
	for _, e := range history {
		rates[e.Rate] = true
	}
	scale := whole.plateau.scale
	if len(history) != trainedEpochs-1 || scale > 0.25 || scale < 0.01 {
		t.Fatalf("the training has no early end or no plateaus: %d epochs, scale %v\n%s", len(history), scale, strings.Join(described(history), "\n"))
	}
	want, lines := whole.values(t), described(history)

	broken := errors.New("broken")
	first, second := newTraining(t), newTraining(t)
	for i, way := range []string{"cancelled", "callback", "panic", "batch", "batches panic", "epoch", "epoch panics", "end"} {
		if testing.Short() && i%3 > 0 {
			continue // files are slow
		}
		last := trainedBatches*(len(history)-1) - 1
		at := 2 * i // updates before the interruption
		switch {
		case way == "end": // of the last epoch, which is saved
			last += trainedBatches
			at = last
		case *everyUpdate:
			at = 0
		}
		for ; at <= last; at++ {
			dir := t.TempDir()
			first.begin(t, dir)
			ctx, cancel := context.WithCancel(t.Context())
			made := 0
			stop := &stepper{step: func() error {
				if made++; made <= at {
					return nil
				}
				switch way {
				case "cancelled":
					cancel()
				case "callback":
					return broken
				case "panic":
					panic(broken)
				}
				return nil
			}, epoch: func() error {
				if made <= at {
					return nil
				}
				switch way {
				case "epoch", "end":
					return broken
				case "epoch panics":
					panic(broken)
				}
				return nil
			}}
			change := func(b iter.Seq[Batch]) iter.Seq[Batch] {
				return func(yield func(Batch) bool) {
					for x := range b {
						if made > at {
							switch way {
							case "batch":
								x = Batch{Err: broken}
							case "batches panic":
								panic(broken)
							}
						}
						if !yield(x) {
							return
						}
					}
				}
			}
			before, err := caught(func() ([]*Epoch, error) { return first.fit(ctx, change, stop) })
			cancel()
			if !errors.Is(err, broken) && status.CodeOf(err) != status.Canceled {
				t.Fatalf("%s after update %d: %v", way, at, err)
			}
			second.begin(t, dir)
			after, err := second.fit(t.Context(), unchanged)
			if err != nil {
				t.Fatalf("%s after update %d: %v", way, at, err)
			}
			if diff := cmp.Diff(lines[len(lines)-len(after):], described(after)); diff != "" {
				t.Fatalf("%s after update %d: epochs differ (-whole +resumed):\n%s", way, at, diff)
			}
			if len(after) < len(lines)-at/trainedBatches-1 || before != nil && len(before)+len(after) < len(lines) {
				t.Fatalf("%s after update %d: %d and %d epochs of %d", way, at, len(before), len(after), len(lines))
			}
			if diff := cmp.Diff(want, second.values(t)); diff != "" {
				t.Fatalf("%s after update %d: variables differ (-whole +resumed):\n%s", way, at, diff)
			}
			if !*everyUpdate {
				break
			}
		}
	}
}

// Training that was interrupted when all epochs had been made has the best epoch's variables when
// it is resumed, as it would have had then.
func TestResumeAtEnd(t *testing.T) {
	r, dir := newTraining(t), t.TempDir()
	fit := func() []*Epoch {
		t.Helper()
		r.begin(t, dir)
		r.callbacks[1] = &EarlyStopping{Monitor: "loss", Patience: 100, MinDelta: 0.3, RestoreBest: true}
		history, err := r.fit(t.Context(), unchanged)
		if err != nil {
			t.Fatal(err)
		}
		return history
	}
	if n := len(fit()); n != trainedEpochs {
		t.Fatalf("%d epochs", n)
	}
	want := r.values(t)
	if history := fit(); history != nil {
		t.Errorf("epochs beyond the last one: %v", history)
	}
	if diff := cmp.Diff(want, r.values(t)); diff != "" {
		t.Errorf("variables differ (-whole +resumed):\n%s", diff)
	}
}

// A stepper is a callback of functions.
type stepper struct{ step, epoch func() error }

func (s *stepper) Step(context.Context, train.Step) error { return s.step() }
func (s *stepper) Epoch(context.Context, *Epoch) error    { return s.epoch() }

// caught returns a panic with an error as that error.
func caught(f func() ([]*Epoch, error)) (history []*Epoch, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = p.(error)
		}
	}()
	return f()
}

// Restoring without a checkpoint begins at the first epoch, after all epochs nothing is left to
// do, and a checkpoint of other callbacks or of package train is refused.
func TestResumeMistakes(t *testing.T) {
	r := newTraining(t)
	r.begin(t, t.TempDir())
	if n, err := r.saved.Restore(t.Context(), r.m, r.callbacks...); n != 0 || err != nil {
		t.Errorf("without a checkpoint: %d, %v", n, err)
	}
	if _, err := r.fit(t.Context(), unchanged); err != nil {
		t.Fatal(err)
	}
	if n, err := r.saved.Restore(t.Context(), r.m); n != trainedEpochs-1 || err != nil {
		t.Errorf("after all epochs: %d, %v", n, err)
	}
	if history, err := r.m.Fit(t.Context(), r.examples.Batches(4), FitOptions{Epochs: 3, Completed: 3, Callbacks: r.callbacks}); history != nil || err != nil {
		t.Errorf("no epoch is left: %v, %v", history, err)
	}
	if _, err := r.saved.Restore(t.Context(), r.m, r.saved, r.callbacks[0]); status.CodeOf(err) != status.NotFound || !strings.Contains(err.Error(), "callback 2") {
		t.Errorf("other callbacks: %v", err)
	}
	if err := r.saved.Checkpoints.Save(t.Context(), r.m.Trainer(), r.m.Goal()); err != nil {
		t.Fatal(err)
	}
	if _, err := r.saved.Restore(t.Context(), r.m); status.CodeOf(err) != status.NotFound {
		t.Errorf("a checkpoint without epochs: %v", err)
	}
}
