package layers

import (
	"math"
	"testing"

	tf "github.com/troupe-go/troupe/session"
	"github.com/troupe-go/troupe/train"
)

// Losses and metrics are means of the steps that count, also of those of each batch.
func TestMaskedMeasures(t *testing.T) {
	n := New(1)
	// The logits of word 1 say class 0 and those of word 2 class 1, by log 3: with
	// probability 3/4.
	log3 := float32(math.Log(3))
	words := &Embedding{InputDim: 3, OutputDim: 2, MaskZero: true, EmbeddingsInitializer: train.Given([][]float32{{9, 0}, {log3, 0}, {0, log3}})}
	m, err := n.Input("x", tf.Int64, -1).Then(words).Compile(t.Context(), Config{
		Loss: SparseCategoricalCrossentropy{FromLogits: true}, Metrics: []Metric{Accuracy{}, TopK{K: 1}}, Optimizer: train.SGD{Rate: train.Fixed(0)},
	})
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	batch := Batch{
		X: []*tf.Tensor{tensorOf(t, []int64{1, 2, 0, 0, 2, 0, 0, 0}, 2, 4)},
		Y: tensorOf(t, []int64{0, 0, 1, 1, 1, 1, 1, 1}, 2, 4),
	}
	want := map[string]float64{"loss": (2*math.Log(4.0/3) + math.Log(4)) / 3, "accuracy": 2.0 / 3, "top_1": 2.0 / 3}
	got, err := m.Evaluate(t.Context(), one(batch))
	if err != nil {
		t.Fatal(err)
	}
	history, err := m.Fit(t.Context(), one(batch), FitOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for name, x := range want {
		if math.Abs(got[name]-x) > 1e-6 || math.Abs(history[0].Values[name]-x) > 1e-6 {
			t.Errorf("%s is %v in inference and %v in training, but should be %v", name, got[name], history[0].Values[name], x)
		}
	}
	batch.X = []*tf.Tensor{tensorOf(t, make([]int64, 8), 2, 4)}
	if got, err = m.Evaluate(t.Context(), one(batch)); err != nil || got["loss"] != 0 {
		t.Errorf("where no step counts the loss is %v: %v", got["loss"], err)
	}
}

func one(b Batch) func(yield func(Batch) bool) { return func(yield func(Batch) bool) { yield(b) } }
