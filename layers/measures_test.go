package layers

import (
	"math"
	"testing"

	tf "github.com/troupe-go/troupe/session"
	"github.com/troupe-go/troupe/train"
)

var losses = map[string]Loss{
	"sparse_logits":      SparseCategoricalCrossentropy{FromLogits: true},
	"sparse_sequence":    SparseCategoricalCrossentropy{FromLogits: true},
	"sparse":             SparseCategoricalCrossentropy{},
	"categorical_logits": CategoricalCrossentropy{FromLogits: true, LabelSmoothing: 0.1},
	"categorical":        CategoricalCrossentropy{},
	"binary_logits":      BinaryCrossentropy{FromLogits: true, LabelSmoothing: 0.2},
	"binary":             BinaryCrossentropy{},
	"mse":                MeanSquaredError{},
	"mae":                MeanAbsoluteError{},
	"huber":              Huber{},
	"huber_delta":        Huber{Delta: 0.5},

	"binary_focal":             BinaryFocalCrossentropy{},
	"binary_focal_balanced":    BinaryFocalCrossentropy{Balanced: true, Gamma: 1.5, FromLogits: true, LabelSmoothing: 0.1},
	"categorical_focal":        CategoricalFocalCrossentropy{},
	"categorical_focal_logits": CategoricalFocalCrossentropy{Alpha: 0.5, Gamma: 3, FromLogits: true},
	"kl":                       KLDivergence{},
	"log_cosh":                 LogCosh{},
	"percentage":               MeanAbsolutePercentageError{},
	"logarithmic":              MeanSquaredLogarithmicError{},
	"poisson":                  Poisson{},
	"cosine":                   CosineSimilarity{},
	"hinge":                    Hinge{},
	"hinge_signs":              Hinge{},
	"squared_hinge":            SquaredHinge{},
	"categorical_hinge":        CategoricalHinge{},
}

var metrics = map[string]Metric{
	"sparse_accuracy": Accuracy{},
	"accuracy":        Accuracy{},
	"binary_accuracy": Accuracy{},
	"top_2":           TopK{K: 2},
	"top_3_one_hot":   TopK{K: 3},
	"auc":             AUC{},
	"auc_50":          AUC{Thresholds: 50},
	"auc_logits":      AUC{FromLogits: true},
	"precision":       Precision{},
	"recall":          Recall{Threshold: 0.7},
	"f1":              F1Score{},
	"f1_micro":        F1Score{Threshold: 0.3, Micro: true},
	"mean_iou":        MeanIoU{},
	"root":            RootMeanSquaredError{},
}

// evaluated is what a model that returns its input makes of recorded labels and outputs.
func evaluated(t *testing.T, r recorded, folder string, loss Loss, metrics []Metric, weighted bool) map[string]float64 {
	t.Helper()
	y, p := r.tensor(t, folder+"y"), r.tensor(t, folder+"p")
	n := New(1)
	columns := p.Dims()[len(p.Dims())-1]
	same := make([][]float32, columns)
	for i := range same {
		same[i] = make([]float32, columns)
		same[i][i] = 1
	}
	out := n.Input("p", tf.Float, p.Dims()[1:]...).Then(&Dense{Units: columns, NoBias: true, KernelInitializer: train.Given(same)})
	if loss == nil {
		loss = MeanSquaredError{}
		if y.DType() == tf.Int64 {
			loss = SparseCategoricalCrossentropy{FromLogits: true}
		}
	}
	m, err := n.Compile(t.Context(), out, Config{Loss: loss, Metrics: metrics})
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	b, err := Examples(y, p)
	if err != nil {
		t.Fatal(err)
	}
	if weighted {
		b.Weights = r.tensor(t, folder+"w")
	}
	values, err := m.Evaluate(t.Context(), b.Batches(b.Len()))
	if err != nil {
		t.Fatal(err)
	}
	return values
}

// Losses, also of weighted examples, and metrics are Keras's.
func TestLossesAndMetrics(t *testing.T) {
	r := readRecorded(t)
	check := func(t *testing.T, what string, got, want float64) {
		if !(math.Abs(got-want) <= 1e-6*max(1, math.Abs(want))) {
			t.Errorf("%s is %v, Keras's %v", what, got, want)
		}
	}
	for name, l := range losses {
		t.Run(name, func(t *testing.T) {
			folder := "losses/" + name + "/"
			check(t, "the loss", evaluated(t, r, folder, l, nil, false)["loss"], r.scalar(t, folder+"value"))
			check(t, "the weighted loss", evaluated(t, r, folder, l, nil, true)["loss"], r.scalar(t, folder+"weighted"))
		})
	}
	for name, metric := range metrics {
		t.Run(name, func(t *testing.T) {
			folder := "metrics/" + name + "/"
			values := evaluated(t, r, folder, nil, []Metric{metric}, false)
			check(t, "the metric", values[metric.Label()], r.scalar(t, folder+"value"))
		})
	}
}
